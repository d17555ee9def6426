// Differences that a reconciliation found: `book` proposes to book them on the payment, and the approval resolves the task.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import type { PaymentId } from '#actors/core/ids.js';
import { deriveOrderId } from '#actors/core/ids.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  type Administrator,
  approve,
  makeAdministrators,
  proposeCorrection,
  reject,
} from '#test/support/approvals.js';
import { makeLivePayment, settleLive } from '#test/support/rails/live-payments.js';
import { AMOUNT, startOperators, uniqueTransaction } from '#test/support/operators.js';
import { createTestMerchant } from '#test/support/processes.js';

const stage = await startOperators(t);
const { service, sql, tell } = stage;
const baseUrls = service.gateways.map(({ baseUrl }) => baseUrl);
const [first, second, third] = await makeAdministrators(sql, baseUrls);
const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });

/** As the reconciliation writes it. */
async function openDifference(
  paymentId: PaymentId,
  details: Readonly<Record<string, string>>,
): Promise<string> {
  const id = `task_${randomBytes(13).toString('hex')}`;
  const of = { rail: 'midtrans', orderId: deriveOrderId(paymentId, 1), day: '2026-08-02' };
  const found = { difference: 'differing', field: 'status', ours: 'pending', theirs: 'settled' };
  await sql`
    insert into operator_tasks (id, kind, payment_id, details, opened_at)
    values (${id}, 'rail_difference', ${paymentId},
            ${JSON.stringify({ ...of, ...found, ...details })}::text, now())`;
  return id;
}

const resolve = ({ api }: Administrator, id: string, action: string): Promise<ApiAnswer> =>
  api.call(`/v1/admin/tasks/${id}/resolve`, { method: 'POST', body: { action, note: 'uji' } });

async function findTask(id: string): Promise<Record<string, unknown>> {
  const { body } = await first.api.call('/v1/admin/tasks?kind=rail_difference&limit=100');
  return (body['data'] as Record<string, unknown>[]).find((task) => task['id'] === id) ?? {};
}

const money = { amount: AMOUNT, currency: 'IDR' };

t.test(
  'each booking of a difference is approved, booked once, and resolves its task',
  async (t) => {
    const accounts = {
      pending: `merchant_pending:${merchantId}:LIVE:IDR`,
      clearing: 'rail_clearing:midtrans:LIVE:IDR',
    };
    const expected = { settlement: 1, reversal: -1, refund: -1, chargeback: -1 };
    for (const [booking, moved] of Object.entries(expected)) {
      const paymentId = await makeLivePayment(tell, merchantId);
      const transaction = uniqueTransaction();
      if (booking !== 'settlement') await settleLive(tell, paymentId, { transaction });
      const isOfSettlement = booking === 'settlement' || booking === 'reversal';
      const railTransactionId = isOfSettlement ? transaction : uniqueTransaction();
      const task = await openDifference(paymentId, { booking, railTransactionId, ...money });
      t.match(await findTask(task), { actions: ['book', 'acknowledge'], status: 'open' });
      const moves = await stage.movesOf(accounts, async () => {
        const proposed = await resolve(first, task, 'book');
        const about = { kind: booking, task_id: task, payment_id: paymentId, ...money };
        t.match(proposed, { status: 202, body: { status: 'proposed', ...about } }, proposed.text);
        t.match(await resolve(second, task, 'book'), {
          status: 202,
          body: { id: proposed.body['id'] },
        });
        t.match(await findTask(task), { status: 'open' });
        t.equal((await approve(first, proposed.body['id'])).code, 'state_conflict');
        t.match(await approve(second, proposed.body['id']), { body: { status: 'applied' } });
        t.match(await approve(third, proposed.body['id']), { body: { status: 'applied' } });
      });
      t.strictSame(moves, { pending: moved, clearing: -moved }, booking);
      t.match(await findTask(task), {
        status: 'resolved',
        action: 'book',
        resolved_by: second.userId,
      });
      t.equal((await resolve(first, task, 'book')).status, 200, 'a repeat');
      t.strictSame(await stage.findFaults(), []);
    }
  },
);

t.test('a difference without a booking is acknowledged only', async (t) => {
  const paymentId = await makeLivePayment(tell, merchantId);
  const task = await openDifference(paymentId, {});
  t.match(await findTask(task), { actions: ['acknowledge'] });
  t.equal((await resolve(first, task, 'book')).code, 'state_conflict');
  t.equal((await resolve(first, task, 'acknowledge')).status, 200);
  const unknown = await openDifference(paymentId, { booking: 'gift', ...money });
  t.match((await resolve(first, unknown, 'book')).body['error'], { message: /acknowledge it/ });
});

t.test('a difference that was booked or acknowledged meanwhile is booked once', async (t) => {
  const paymentId = await makeLivePayment(tell, merchantId);
  const railTransactionId = uniqueTransaction();
  const booking = { booking: 'settlement', railTransactionId, ...money };
  const task = await openDifference(paymentId, booking);
  const wish = {
    ...{ kind: 'settlement', payment_id: paymentId, rail: 'midtrans', amount: AMOUNT },
    ...{ rail_transaction_id: railTransactionId, reason: 'uji' },
  };
  const manual = await proposeCorrection(first, wish);
  t.equal((await resolve(second, task, 'book')).code, 'state_conflict', 'proposed by hand');
  await reject(second, manual.body['id']);
  const proposed = await resolve(second, task, 'book');
  t.equal((await resolve(first, task, 'acknowledge')).status, 200);
  t.match(await approve(first, proposed.body['id']), { body: { status: 'applied' } });
  t.match(await findTask(task), { status: 'resolved', action: 'acknowledge' });
  const late = await openDifference(paymentId, booking);
  t.match(await resolve(second, late, 'book'), { code: 'state_conflict' });
  t.equal((await resolve(second, late, 'acknowledge')).status, 200);
  t.strictSame(await stage.findFaults(), []);
});
