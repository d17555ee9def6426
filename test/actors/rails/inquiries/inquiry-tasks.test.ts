// Amounts that callbacks reported against the amount that the status inquiry found.
import t from 'tap';
import { deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import { buildContradictionTasks } from '#actors/rails/inquiries/inquiry-tasks.js';
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
const reported = (amount: string, currency = 'IDR') => ({ amount, currency });

t.test('a callback with the requested or the found amount opens no task', (t) => {
  t.same(buildContradictionTasks([], ASKED, FOUND), []);
  t.same(buildContradictionTasks([reported('25000'), reported('24000')], ASKED, FOUND), []);
  t.end();
});

t.test('another amount or currency opens one task per order and amount', (t) => {
  const sums = [reported('1'), reported('24000', 'USD'), reported('25000')];
  const tasks = buildContradictionTasks(sums, ASKED, FOUND);
  t.same(
    tasks.map(({ kind, details }) => [kind, JSON.parse(details) as unknown]),
    [reported('1'), reported('24000', 'USD')].map(({ amount, currency }) => [
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
    buildContradictionTasks(sums, ASKED, { ...FOUND, railTransactionId: 'tx-2' }).map(
      ({ id }) => id,
    ),
    ids,
  );
  t.end();
});
