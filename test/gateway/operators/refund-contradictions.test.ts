// Refunds that are booked as failed and that their rail then reports as made: they count against the refundable amount at
// once, and an administrator decides. The test sends the answers of the rail as the rails process does.
import t from 'tap';
import type { PaymentId, RefundId } from '#actors/core/ids.js';
import type { ApiAnswer } from '#test/support/api.js';
import { startOperators } from '#test/support/operators.js';
import { uniqueWord } from '#test/support/processes.js';

/** Refunds of this TEST amount are made by hand. */
const AMOUNT = '10094';
const stage = await startOperators(t);
const { office, offices, service, sql, tell } = stage;
const { merchantId } = service.merchant;
const AVAILABLE = `merchant_available:${merchantId}:TEST:IDR`;
const CLEARING = 'rail_clearing:sandbox:TEST:IDR';

interface Case {
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
}

const refund = (paymentId: string, amount: string): Promise<ApiAnswer> =>
  service.api.call('/v1/refunds', { method: 'POST', body: { payment_id: paymentId, amount } });

const end = (refundId: string, verb: string, reference: string, at = office): Promise<ApiAnswer> =>
  at.call(`/v1/admin/refunds/${refundId}/${verb}`, {
    method: 'POST',
    body: { external_reference: reference },
  });

const resolve = (id: string, action: string): Promise<ApiAnswer> =>
  office.call(`/v1/admin/tasks/${id}/resolve`, { method: 'POST', body: { action, note: 'test' } });

const findTask = (paymentId: PaymentId) => stage.findTask(paymentId, 'refund_contradicted');

const report = ({ paymentId, refundId }: Case): Promise<string> =>
  tell({
    ...({ type: 'refund_answered', paymentId, refundId } as const),
    answer: { result: 'succeeded', railReference: 'r-1' },
  });

async function showPayment(id: PaymentId) {
  return (await service.api.get(id)).body;
}

/** A refund that an administrator failed and that the rail then reports as made. */
async function makeContradicted(amount = '20'): Promise<Case> {
  const paymentId = await stage.makePaid(AMOUNT);
  const made = await refund(paymentId, amount);
  const refundId = String(made.body['id']) as RefundId;
  const failed = await end(refundId, 'fail', uniqueWord());
  if (failed.body['status'] !== 'FAILED') throw new Error(failed.text);
  const found = { paymentId, refundId };
  await report(found);
  return found;
}

t.test(
  'a refund made by the rail against its record counts against the refundable amount',
  async (t) => {
    const { paymentId, refundId } = await makeContradicted();
    t.match(await showPayment(paymentId), { refundable_amount: '10074', refunded_amount: '0' });
    const whole = await refund(paymentId, AMOUNT);
    t.equal(whole.code, 'refund_exceeds_payment', whole.text);
    const listed = await office.call('/v1/admin/refunds?status=FAILED&limit=1');
    t.match(listed.body['data'], [{ id: refundId, contradicted: true }]);
  },
);

t.test('an administrator corrects the record: the merchant pays and hears of it', async (t) => {
  const { paymentId, refundId } = await makeContradicted();
  const before = await stage.balanceOf(AVAILABLE);
  const answers = await Promise.all(
    offices.flatMap((at) => [1, 2].map(() => end(refundId, 'complete', 'BANK-1', at))),
  );
  for (const { body, text } of answers) t.match(body, { status: 'SUCCEEDED', amount: '20' }, text);
  t.equal(Number(before) - Number(await stage.balanceOf(AVAILABLE)), 20, 'taken once');
  t.match(await showPayment(paymentId), { refundable_amount: '10074', refunded_amount: '20' });
  t.strictSame(await stage.openTasks(paymentId), [], 'its task is resolved');
  const events = await service.api.call(`/v1/payments/${paymentId}/events`);
  t.match(events.body['data'], [
    { type: 'payment.paid' },
    { type: 'refund.failed', data: { refund_id: refundId } },
    { type: 'payment.refunded', data: { refund_id: refundId, refund_amount: '20' } },
  ]);
  t.equal((await end(refundId, 'fail', 'BANK-2')).code, 'state_conflict');
  t.strictSame(await stage.findFaults(), []);
});

t.test('an administrator confirms the failure: the amount is refundable again', async (t) => {
  const one = await makeContradicted();
  const { paymentId, refundId } = one;
  t.match((await end(refundId, 'fail', 'BANK-3')).body, { status: 'FAILED' });
  t.match(await showPayment(paymentId), { refundable_amount: AMOUNT, refunded_amount: '0' });
  t.equal((await end(refundId, 'fail', 'BANK-3')).status, 200, 'the repeat is idempotent');
  t.strictSame(await stage.openTasks(paymentId), []);
  await report(one);
  t.strictSame(await stage.openTasks(paymentId), [], 'a repeat of the rail opens no second task');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a repeat of the request that failed the refund decides nothing', async (t) => {
  const paymentId = await stage.makePaid(AMOUNT);
  const { body } = await refund(paymentId, '20');
  const refundId = String(body['id']) as RefundId;
  await end(refundId, 'fail', 'BANK-4');
  await report({ paymentId, refundId });
  t.equal((await end(refundId, 'fail', 'BANK-4')).status, 200);
  t.match(await showPayment(paymentId), { refundable_amount: '10074' }, 'still contradicted');
  t.match(await findTask(paymentId), { actions: ['debit', 'write_off'] });
});

t.test('the platform bears the refund: it stays failed and is not refundable again', async (t) => {
  const { paymentId, refundId } = await makeContradicted();
  const before = await stage.balanceOf(AVAILABLE);
  const clearing = await stage.balanceOf(CLEARING);
  const task = await findTask(paymentId);
  t.equal((await resolve(task.id, 'acknowledge')).code, 'state_conflict', 'fail says so instead');
  t.equal((await resolve(task.id, 'write_off')).status, 200);
  for (const verb of ['complete', 'fail']) {
    t.equal((await end(refundId, verb, 'BANK-5')).code, 'state_conflict', 'one way is taken');
  }
  t.match(await showPayment(paymentId), { refundable_amount: '10074', refunded_amount: '0' });
  t.equal(await stage.balanceOf(AVAILABLE), before);
  t.equal(Number(await stage.balanceOf(CLEARING)) - Number(clearing), 20);
  t.strictSame(await stage.findFaults(), []);
});

t.test('of all ways at once one is taken', async (t) => {
  for (let round = 0; round < 6; round += 1) {
    const { paymentId, refundId } = await makeContradicted();
    const task = await findTask(paymentId);
    const answers = await Promise.all([
      end(refundId, 'complete', 'BANK-6'),
      resolve(task.id, 'write_off'),
      end(refundId, 'complete', 'BANK-6'),
      end(refundId, 'fail', 'BANK-7'),
    ]);
    const [completed, writtenOff, , failed] = answers.map(({ status }) => status === 200);
    t.equal([completed, writtenOff, failed].filter(Boolean).length, 1, String(round));
    t.strictSame(await stage.openTasks(paymentId), [], 'no task is left');
  }
  t.strictSame(await stage.findFaults(), []);
});

t.test('a correction beyond the amount of the payment is refused', async (t) => {
  const { paymentId, refundId } = await makeOverpaid();
  t.match(await showPayment(paymentId), { refundable_amount: '0', status: 'refunded' });
  t.equal((await end(refundId, 'complete', 'BANK-8')).code, 'state_conflict');
  const task = await findTask(paymentId);
  t.match(task, { actions: ['debit', 'write_off'] }, 'the task is as before');
  t.equal((await resolve(task.id, 'debit')).status, 200);
  const rows = await sql`select status from operator_tasks where payment_id = ${paymentId}`;
  t.ok(rows.every(({ status }) => status === 'resolved'));
  t.strictSame(await stage.findFaults(), []);
});

t.test('requests that end nothing keep the claim of an end that is under way', async (t) => {
  const paymentId = await stage.makePaid(AMOUNT);
  const { body } = await refund(paymentId, '20');
  const refundId = String(body['id']) as RefundId;
  await end(refundId, 'fail', 'BANK-9');
  await report({ paymentId, refundId });
  const overpaid = await makeOverpaid();
  // As another administrator's request has stored it, whose command waits.
  await sql`update operator_tasks set is_ending = true
             where payment_id in (${paymentId}, ${overpaid.paymentId}) and kind = 'refund_contradicted'`;
  t.equal((await end(refundId, 'fail', 'BANK-9')).status, 200, 'a repeat');
  t.equal((await end(overpaid.refundId, 'complete', 'BANK-10')).code, 'state_conflict', 'refused');
  t.strictSame((await findTask(paymentId)).actions, []);
  t.strictSame((await findTask(overpaid.paymentId)).actions, []);
});

/** A failed refund that the rail reports as made after another one has refunded the whole payment. */
async function makeOverpaid(): Promise<Case> {
  const paymentId = await stage.makePaid(AMOUNT);
  const { body } = await refund(paymentId, '20');
  const refundId = String(body['id']) as RefundId;
  await end(refundId, 'fail', uniqueWord());
  const whole = await refund(paymentId, AMOUNT);
  await end(String(whole.body['id']), 'complete', uniqueWord());
  const found = { paymentId, refundId };
  await report(found);
  return found;
}
