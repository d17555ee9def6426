import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import { describeUnknownOrder, describeUnresolvedOrder } from '#actors/core/tasks/unknown-order.js';

const SETTLEMENT = {
  rail: 'midtrans',
  railTransactionId: 'tx-1',
  orderId: 'theirs',
  amountMinor: makeMinor(15_000n),
  currency: 'IDR',
  settledAtMs: null,
} as const;

t.test('money of an unknown order is posted to platform suspense, with its details', (t) => {
  const { posting, details } = describeUnknownOrder(SETTLEMENT);
  t.match(posting, {
    debit: 'rail_clearing:midtrans:LIVE:IDR',
    credit: 'platform_suspense:LIVE:IDR',
    amountMinor: 15_000n,
  });
  t.same(JSON.parse(details), {
    ...{ rail: 'midtrans', railTransactionId: 'tx-1', orderId: 'theirs' },
    ...{ amount: '15000', currency: 'IDR' },
  });
  t.end();
});

t.test('the task id of an unknown order is equal for one transaction of one rail', (t) => {
  const { taskId } = describeUnknownOrder(SETTLEMENT);
  t.match(taskId, /^task_[0-9a-z]{26}$/);
  t.equal(describeUnknownOrder({ ...SETTLEMENT, orderId: 'other' }).taskId, taskId);
  t.not(describeUnknownOrder({ ...SETTLEMENT, rail: 'xendit' }).taskId, taskId);
  t.end();
});

t.test(
  'an order without an answer of its rail has one task, with what the callback reported',
  (t) => {
    const order = { rail: 'xendit', orderId: 'o-1' } as const;
    const nothing = { reference: null, amount: null, currency: null };
    const told = { reference: 'pr-1', amount: '25000', currency: 'IDR' };
    const [bare, full] = [nothing, told].map((more) =>
      describeUnresolvedOrder({ ...order, ...more }),
    );
    t.same(JSON.parse(bare?.details ?? ''), order);
    t.same(JSON.parse(full?.details ?? ''), {
      ...{ ...order, railReference: 'pr-1', toldAmount: '25000', toldCurrency: 'IDR' },
    });
    t.equal(bare?.id, full?.id, 'one task for the order');
    t.end();
  },
);
