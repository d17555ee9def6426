// Actions of administrators on LIVE refunds, payouts and tasks: above APPROVAL_LIMIT another administrator approves them,
// at the limit and in TEST they act at once.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { makeId, type PaymentId, type PayoutId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type { LaterCommand } from '#actors/core/payout/commands.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { reservePayout } from '#store/postgres/payouts/reserve-payout.js';
import * as s from '#test/core/payout/samples.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  type Administrator,
  approve,
  makeAdministrators,
  proposeCorrection,
  readAudit,
  reject,
} from '#test/support/approvals.js';
import { makeLivePayment, refundByHand, settleLive } from '#test/support/rails/live-payments.js';
import { AMOUNT, startOperators, uniqueTransaction } from '#test/support/operators.js';
import { createTestMerchant, uniqueWord } from '#test/support/processes.js';

/** Below AMOUNT. */
const LIMIT = 1_000n;
const stage = await startOperators(t, { APPROVAL_LIMIT: String(LIMIT) });
const { service, sql, tell } = stage;
const baseUrls = service.gateways.map(({ baseUrl }) => baseUrl);
const [first, second, third] = await makeAdministrators(sql, baseUrls);
const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
await giveBalance(1_000_000);

/** By a correction, so that the ledger stays sound. */
async function giveBalance(amount: number): Promise<void> {
  const kind = 'adjustment_credit';
  const wish = { kind, merchant_id: merchantId, amount: String(amount), reference: 'start' };
  const { body } = await proposeCorrection(first, { ...wish, reason: 'uji' });
  await approve(second, body['id']);
}

const act = ({ api }: Administrator, path: string, body: object): Promise<ApiAnswer> =>
  api.call(`/v1/admin/${path}`, { method: 'POST', body });

async function makeRefund(amount: bigint) {
  const paymentId = await makeLivePayment(tell, merchantId);
  await settleLive(tell, paymentId);
  const refundId = await refundByHand(tell, { merchantId, paymentId }, amount);
  return { paymentId, refundId };
}

const say = (id: PayoutId, command: LaterCommand) =>
  applyCommand(sql, id, command, { nowMs: Date.now(), dueInMs: () => null });

async function makePayout(amount: bigint, ...commands: readonly LaterCommand[]): Promise<PayoutId> {
  const payoutId = makeId('po', randomBytes(16));
  const request = { ...s.REQUEST, amountMinor: makeMinor(amount) };
  const payout = { payoutId, merchantId, environment: 'LIVE', request, fingerprint: 'x' } as const;
  await reservePayout(sql, { payout, key: null, nowMs: Date.now() });
  for (const command of commands) await say(payoutId, command);
  return payoutId;
}

async function findStatus(table: 'refunds' | 'payouts', id: string): Promise<unknown> {
  const [row] = await sql`select status from ${sql(table)} where id = ${id}`;
  return row?.['status'];
}

async function findTask(paymentId: PaymentId, kind: string): Promise<Record<string, unknown>> {
  const { body } = await first.api.call(`/v1/admin/tasks?kind=${kind}&limit=100`);
  const tasks = body['data'] as Record<string, unknown>[];
  return tasks.find((task) => task['payment_id'] === paymentId) ?? {};
}

/** Proposed by the first, approved by the second; the answer of the approval. */
async function decide(t: Test, proposed: ApiAnswer, kind: string): Promise<ApiAnswer> {
  t.match(proposed, { status: 202, body: { kind, status: 'proposed' } }, proposed.text);
  const { id } = proposed.body;
  t.equal((await approve(first, id)).code, 'state_conflict', 'not by the proposer');
  const answers = await Promise.all([second, third].map((by) => approve(by, id)));
  for (const answer of answers) {
    t.ok(answer.status === 504 || answer.body['status'] === 'applied', answer.text);
  }
  t.equal((await readAudit(sql, id)).length, 3, 'proposed, approved and applied');
  return approve(third, id);
}

t.test('a refund above the limit needs two persons', async (t) => {
  for (const [verb, kind, ended] of [
    ['complete', 'refund_completion', 'succeeded'],
    ['fail', 'refund_failure', 'failed'],
  ] as const) {
    const { paymentId, refundId } = await makeRefund(LIMIT + 1n);
    const wish = { external_reference: uniqueWord(), reason: 'uji' };
    const proposed = await act(first, `refunds/${refundId}/${verb}`, wish);
    t.equal(await findStatus('refunds', refundId), 'manual_required');
    t.match(await act(second, `refunds/${refundId}/${verb}`, wish), {
      status: 202,
      body: { id: proposed.body['id'] },
    });
    const open = await act(first, `refunds/${refundId}/${verb}`, { external_reference: 'lain' });
    t.match(open, { status: 409, code: 'state_conflict' }, 'one approval of a refund at a time');
    t.match((await decide(t, proposed, kind)).body, { status: 'applied', refund_id: refundId });
    t.equal(await findStatus('refunds', refundId), ended);
    t.match(await act(first, `refunds/${refundId}/${verb}`, wish), {
      status: 200,
      body: { id: refundId },
    });
    t.match(await findTask(paymentId, 'refund_manual_required'), {
      status: 'resolved',
      resolved_by: /^usr_/,
    });
  }
  t.strictSame(await stage.findFaults(), []);
});

t.test('a refund at the limit, and one of TEST, need one person', async (t) => {
  const { refundId } = await makeRefund(LIMIT);
  const done = await act(first, `refunds/${refundId}/complete`, { external_reference: 'x' });
  t.match(done, { status: 200, body: { status: 'SUCCEEDED' } }, done.text);
  const paymentId = await stage.makePaid('10094');
  const { body } = await service.api.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: paymentId, amount: String(LIMIT + 1n) },
  });
  const test = await act(first, `refunds/${String(body['id'])}/complete`, {
    external_reference: 'x',
  });
  t.match(test, { status: 200, body: { status: 'SUCCEEDED' } }, test.text);
});

t.test('an approved refund that ended otherwise meanwhile is refused', async (t) => {
  const { paymentId, refundId } = await makeRefund(LIMIT + 1n);
  const proposed = await act(first, `refunds/${refundId}/fail`, { external_reference: 'x' });
  const answer = { result: 'succeeded', railReference: null } as const;
  await tell({ type: 'refund_answered', paymentId, refundId, answer });
  const refused = await approve(second, proposed.body['id']);
  const outcome = { code: 'state_conflict', message: /SUCCEEDED/ };
  t.match(refused, { status: 200, body: { status: 'refused', outcome } }, refused.text);
  const again = await act(first, `refunds/${refundId}/fail`, { external_reference: 'x' });
  t.equal(again.code, 'state_conflict', 'nor is it proposed again');
  t.strictSame(await stage.findFaults(), []);
});

t.test(
  'a repeat goes on when the process died between the end of the refund and its approval',
  async (t) => {
    const { refundId } = await makeRefund(LIMIT + 1n);
    const proposed = await act(first, `refunds/${refundId}/complete`, { external_reference: 'x' });
    const id = String(proposed.body['id']);
    t.match(await approve(second, id), { body: { status: 'applied' } });
    // The refund has ended; the approval is as it was before its end was stored.
    await sql`update approvals set status = 'approved', ended_at = null, claimed_until = now() where id = ${id}`;
    t.match(await approve(third, id), { status: 200, body: { status: 'applied' } });
    t.strictSame(await stage.findFaults(), []);
  },
);

t.test('a payout above the limit needs two persons', async (t) => {
  const cases = [
    ['complete', 'payout_completion', 'COMPLETED', [s.BY_HAND]],
    ['fail', 'payout_failure', 'FAILED', [s.BY_HAND]],
    ['reverse', 'payout_reversal', 'REVERSED', [s.SEND, s.COMPLETED]],
    ['complete', 'payout_completion', 'COMPLETED', [s.SEND, s.FAILED, s.COMPLETED]],
  ] as const;
  for (const [verb, kind, ended, commands] of cases) {
    const id = await makePayout(LIMIT + 1n, ...commands);
    const before = await findStatus('payouts', id);
    const wish = { external_reference: uniqueWord(), reason: 'uji' };
    const proposed = await act(first, `payouts/${id}/${verb}`, wish);
    t.equal(await findStatus('payouts', id), before);
    t.match((await decide(t, proposed, kind)).body, { status: 'applied', payout_id: id });
    t.equal(await findStatus('payouts', id), ended);
    t.match(await act(first, `payouts/${id}/${verb}`, wish), {
      status: 200,
      body: { status: ended },
    });
    const other = await act(first, `payouts/${id}/${verb}`, { external_reference: 'lain' });
    t.equal(other.code, 'state_conflict');
    const small = await makePayout(LIMIT, ...commands);
    t.match(await act(first, `payouts/${small}/${verb}`, wish), {
      status: 200,
      body: { status: ended },
    });
  }
  const unsent = await makePayout(LIMIT + 1n);
  const cancelled = await act(first, `payouts/${unsent}/cancel`, { external_reference: 'x' });
  t.match(cancelled, { status: 200, body: { status: 'FAILED' } }, 'it was not sent');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a repeat finds the end of a payout that its rail has changed since', async (t) => {
  const id = await makePayout(LIMIT + 1n, s.SEND, s.FAILED, s.COMPLETED);
  const proposed = await act(first, `payouts/${id}/complete`, { external_reference: 'x' });
  const approval = String(proposed.body['id']);
  t.match(await approve(second, approval), { body: { status: 'applied' } });
  await say(id, s.REVERSED);
  t.equal(await findStatus('payouts', id), 'REVERSED');
  await sql`
    update approvals set status = 'approved', ended_at = null, claimed_until = now()
     where id = ${approval}`;
  const repeated = await approve(third, approval);
  t.match(repeated, { status: 200, body: { status: 'applied', outcome: null } }, repeated.text);
  t.strictSame(await stage.findFaults(), []);
});

t.test('a payout that ended otherwise meanwhile refuses its approval', async (t) => {
  const id = await makePayout(LIMIT + 1n, s.BY_HAND);
  const proposed = await act(first, `payouts/${id}/fail`, { external_reference: 'x' });
  await say(id, { type: 'complete', externalReference: 'y' });
  const refused = await approve(second, proposed.body['id']);
  const outcome = { code: 'state_conflict', message: /COMPLETED/ };
  t.match(refused, { status: 200, body: { status: 'refused', outcome } }, refused.text);
  t.strictSame(await stage.findFaults(), []);
});

/** Money of another amount than the payment's: it is suspended. */
async function makeSuspended(amount: bigint) {
  const paymentId = await makeLivePayment(tell, merchantId);
  await settleLive(tell, paymentId, { amount: String(amount) });
  return { paymentId, task: await findTask(paymentId, 'settlement_suspended') };
}

t.test('a task that moves more than the limit needs two persons', async (t) => {
  const { paymentId, task } = await makeSuspended(LIMIT + 1n);
  const path = `tasks/${String(task['id'])}/resolve`;
  const wish = { action: 'return', note: 'uji', external_reference: 'TRF-1' };
  const accounts = {
    suspense: `suspense:${merchantId}:LIVE:IDR`,
    bank: 'rail_clearing:manual:LIVE:IDR',
  };
  const proposed = await act(first, path, wish);
  t.match(await findTask(paymentId, 'settlement_suspended'), { status: 'open' });
  t.equal((await act(second, path, { ...wish, note: 'lain' })).code, 'state_conflict');
  t.equal((await act(second, path, { action: 'credit', note: 'uji' })).code, 'state_conflict');
  const moves = await stage.movesOf(accounts, async () => {
    await decide(t, proposed, 'task_resolution');
  });
  const share = Number(LIMIT + 1n) / Number(AMOUNT);
  t.strictSame(moves, { suspense: -share, bank: share });
  const resolved = { status: 'resolved', action: 'return', external_reference: 'TRF-1' };
  t.match(await findTask(paymentId, 'settlement_suspended'), resolved);
  t.match(await act(first, path, wish), { status: 200, body: resolved }, 'a repeat');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a rejected action may be proposed again; one at the limit acts at once', async (t) => {
  const { task } = await makeSuspended(LIMIT + 2n);
  const path = `tasks/${String(task['id'])}/resolve`;
  const wish = { action: 'credit', note: 'uji' };
  const proposed = await act(first, path, wish);
  t.equal((await reject(second, proposed.body['id'])).status, 200);
  await decide(t, await act(first, path, wish), 'task_resolution');
  const small = await makeSuspended(LIMIT);
  const at = await act(first, `tasks/${String(small.task['id'])}/resolve`, wish);
  t.match(at, { status: 200, body: { status: 'resolved' } }, at.text);
  t.strictSame(await stage.findFaults(), []);
});

t.test('an approved action on a task that was resolved meanwhile is refused', async (t) => {
  const paymentId = await makeLivePayment(tell, merchantId);
  const transaction = uniqueTransaction();
  await settleLive(tell, paymentId, { amount: '5000', transaction });
  const task = await findTask(paymentId, 'settlement_suspended');
  const path = `tasks/${String(task['id'])}/resolve`;
  const proposed = await act(first, path, { action: 'credit', note: 'uji' });
  await tell({ type: 'reverse', paymentId, rail: 'midtrans', railTransactionId: transaction });
  const closed = await act(second, path, { action: 'acknowledge', note: 'uji' });
  t.match(closed, { status: 200, body: { status: 'resolved' } }, closed.text);
  const refused = await approve(third, proposed.body['id']);
  t.match(refused.body, { status: 'refused', outcome: { code: 'state_conflict' } }, refused.text);
  t.strictSame(await stage.findFaults(), []);
});
