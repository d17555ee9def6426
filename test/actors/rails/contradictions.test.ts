// What callbacks said of an order's money against what its look-up found.
import t from 'tap';
import { deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import { listContradictions } from '#actors/rails/inquiries/contradictions.js';
import { PAYMENT_ID } from '#test/core/payment/samples.js';

const ASKED = { amountMinor: makeMinor(25_000n), currency: 'IDR' } as const;
const FOUND: Settlement = {
  rail: 'midtrans',
  railTransactionId: 'tx-1',
  orderId: deriveOrderId(PAYMENT_ID, 1),
  amountMinor: makeMinor(24_000n),
  currency: 'IDR',
  settledAtMs: null,
};
const told = (amount: string, currency = 'IDR') => ({ amount, currency });

t.test('who names what was asked for, or what was found, contradicts nothing', (t) => {
  t.same(listContradictions([], ASKED, FOUND), []);
  t.same(listContradictions([told('25000'), told('24000')], ASKED, FOUND), []);
  t.end();
});

t.test('another amount or currency is a task, once for an order and a sum', (t) => {
  const sums = [told('1'), told('24000', 'USD'), told('25000')];
  const tasks = listContradictions(sums, ASKED, FOUND);
  t.same(
    tasks.map(({ kind, details }) => [kind, JSON.parse(details) as unknown]),
    [told('1'), told('24000', 'USD')].map(({ amount, currency }) => [
      'callback_contradicted',
      {
        ...{ rail: 'midtrans', railTransactionId: 'tx-1', orderId: FOUND.orderId },
        ...{ amount: '24000', currency: 'IDR', toldAmount: amount, toldCurrency: currency },
      },
    ]),
  );
  const ids = tasks.map(({ id }) => id);
  t.equal(new Set(ids).size, 2);
  t.ok(ids.every((id) => /^task_[0-9a-z]{26}$/.test(id)));
  t.same(
    listContradictions(sums, ASKED, { ...FOUND, railTransactionId: 'tx-2' }).map(({ id }) => id),
    ids,
  );
  t.end();
});
