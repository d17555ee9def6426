// The end of a LIVE refund by hand is stored with its administrator before its command is sent. The payments process refuses
// a command without such a row, whoever has the gateway's key: the test signs commands with it and appends them to Redis.
import t from 'tap';
import type { RefundEnd } from '#actors/core/approvals/refund-end.js';
import type { PaymentId, RefundId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { ApiAnswer } from '#test/support/api.js';
import {
  type Administrator,
  approve,
  makeAdministrators,
  showApproval,
} from '#test/support/approvals.js';
import { makeLivePayment, refundByHand, settleLive } from '#test/support/rails/live-payments.js';
import { startOperators } from '#test/support/operators.js';
import { createTestMerchant, readMetrics, uniqueWord } from '#test/support/processes.js';

const LIMIT = 1_000n;
const stage = await startOperators(t, { APPROVAL_LIMIT: String(LIMIT) });
const { service, sql, tell } = stage;
const [first, second] = await makeAdministrators(
  sql,
  service.gateways.map(({ baseUrl }) => baseUrl),
);
const { merchantId } = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });

interface Manual {
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
}

async function makeRefund(amount: bigint): Promise<Manual> {
  const paymentId = await makeLivePayment(tell, merchantId);
  await settleLive(tell, paymentId);
  return { paymentId, refundId: await refundByHand(tell, { merchantId, paymentId }, amount) };
}

const end = (
  by: Administrator,
  { refundId }: Manual,
  verb: string,
  reference: string,
): Promise<ApiAnswer> =>
  by.api.call(`/v1/admin/refunds/${refundId}/${verb}`, {
    method: 'POST',
    body: { external_reference: reference },
  });

/** A command with the signature of a gateway; the outcome of its quarantine is internal_error. */
const forge = (refund: Manual, externalReference: string, type: RefundEnd['type']) =>
  tell({ type, ...refund, externalReference });

const store = ({ paymentId, refundId }: Manual, reference: string, amount: bigint) => sql`
  insert into refund_ends (type, payment_id, refund_id, external_reference, merchant_id, environment, amount, decided_by)
  values ('complete_refund', ${paymentId}, ${refundId}, ${reference}, ${merchantId}, 'LIVE',
          ${amount.toString()}::text::bigint, 'usr_1')`;

async function findStatus({ refundId }: Manual): Promise<unknown> {
  const [row] = await sql`select status from refunds where id = ${refundId}`;
  return row?.['status'];
}

const listStored = ({ refundId }: Manual) => sql`
  select type, external_reference, amount::text as amount, decided_by
    from refund_ends where refund_id = ${refundId}`;

const listAudited = ({ refundId }: Manual) => sql`
  select actor, action from audit_log where target = ${refundId} order by id`;

async function listReasons({ refundId }: Manual): Promise<string[]> {
  const rows = await sql<{ error: string }[]>`
    select distinct error from quarantined_commands where error like ${`%${refundId}%`}`;
  return rows.map(({ error }) => error).sort();
}

async function countQuarantined(): Promise<number> {
  const pages = await Promise.all(service.payments.map(readMetrics));
  const counts = pages.map((page) => /^kasir_commands_quarantined_total (\d+)$/m.exec(page)?.[1]);
  return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
}

t.test('the signature of a gateway ends no LIVE refund, and the attempt is counted', async (t) => {
  const before = await countQuarantined();
  const refund = await makeRefund(LIMIT);
  for (const type of ['complete_refund', 'fail_refund'] as const) {
    t.equal(await forge(refund, 'x', type), 'internal_error', type);
  }
  t.equal(await findStatus(refund), 'manual_required');
  t.match(await listReasons(refund), [
    /no administrator has stored "complete_refund"/,
    /no administrator has stored "fail_refund"/,
  ]);
  await waitUntil('both are counted', async () => {
    return (await countQuarantined()) === before + 2;
  });
  t.match(await end(first, refund, 'complete', 'y'), { status: 200 }, 'an administrator ends it');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a stored end allows its own command only', async (t) => {
  const [below, above] = [await makeRefund(LIMIT), await makeRefund(LIMIT + 1n)];
  await store(below, 'one person', LIMIT);
  await store(above, 'one person', LIMIT + 1n);
  await store(above, 'another amount', 1n);
  const isRefused = async (refund: Manual, reference: string, type: RefundEnd['type']) => {
    t.equal(await forge(refund, reference, type), 'internal_error', reference);
  };
  await isRefused(above, 'one person', 'complete_refund');
  await isRefused(above, 'another amount', 'complete_refund');
  await isRefused(below, 'one person', 'fail_refund');
  await isRefused(below, 'another reference', 'complete_refund');
  await isRefused({ ...above, refundId: below.refundId }, 'one person', 'complete_refund');
  t.match(await listReasons(above), [
    /above the APPROVAL_LIMIT of this process/,
    /no administrator has stored/,
  ]);
  for (const refund of [below, above]) t.equal(await findStatus(refund), 'manual_required');
  t.equal(await forge(below, 'one person', 'complete_refund'), 'done');
  t.equal(await forge(below, 'one person', 'complete_refund'), 'unchanged', 'it arrives twice');
  t.strictSame(await stage.findFaults(), []);
});

t.test('a TEST refund needs no row: the signature of a gateway ends it', async (t) => {
  const paymentId = await stage.makePaid('10094');
  const body = { payment_id: paymentId, amount: '20' };
  const made = await service.api.call('/v1/refunds', { method: 'POST', body });
  const refund = { paymentId, refundId: String(made.body['id']) as RefundId };
  t.equal(await forge(refund, 'x', 'complete_refund'), 'done');
  t.same(await listStored(refund), []);
});

t.test('an end is stored and audited with its administrator, once', async (t) => {
  const refund = await makeRefund(LIMIT);
  const reference = uniqueWord();
  for (const by of [first, second]) {
    t.match(await end(by, refund, 'complete', reference), { status: 200 });
  }
  t.equal((await end(first, refund, 'fail', reference)).code, 'state_conflict');
  const stored = { type: 'complete_refund', external_reference: reference, amount: String(LIMIT) };
  t.same(await listStored(refund), [{ ...stored, decided_by: first.userId }]);
  t.same(await listAudited(refund), [{ actor: first.userId, action: 'refund_ends.insert' }]);
});

t.test('a repeat goes on when the process died between the row and the command', async (t) => {
  const refund = await makeRefund(LIMIT);
  await store(refund, 'x', LIMIT);
  t.equal(await findStatus(refund), 'manual_required');
  t.match(await end(second, refund, 'complete', 'x'), { status: 200 });
  t.equal(await findStatus(refund), 'succeeded');
  t.match(await listStored(refund), [{ decided_by: 'usr_1' }], 'the first has decided');
});

t.test('the repeat of an end without a row, from before an upgrade, is answered', async (t) => {
  for (const amount of [LIMIT, LIMIT + 1n]) {
    const refund = await makeRefund(amount);
    const proposed = await end(first, refund, 'complete', 'x');
    if (proposed.status === 202) await approve(second, proposed.body['id']);
    await sql`delete from refund_ends where refund_id = ${refund.refundId}`;
    await sql`delete from approvals where refund_id = ${refund.refundId}`;
    const repeated = await end(first, refund, 'complete', 'x');
    t.match(repeated, { status: 200, body: { status: 'SUCCEEDED' } }, repeated.text);
    t.same(await listStored(refund), [], 'it decides nothing');
  }
});

t.test('of two ends at once, the refused one is withdrawn and cannot be sent again', async (t) => {
  const refund = await makeRefund(LIMIT);
  const answers = await Promise.all([
    end(first, refund, 'complete', 'a'),
    end(second, refund, 'fail', 'b'),
  ]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409]);
  const isCompleted = (await findStatus(refund)) === 'succeeded';
  t.match(await listStored(refund), [{ type: isCompleted ? 'complete_refund' : 'fail_refund' }]);
  const lost = isCompleted
    ? forge(refund, 'b', 'fail_refund')
    : forge(refund, 'a', 'complete_refund');
  t.equal(await lost, 'internal_error');
  t.strictSame(await stage.findFaults(), []);
});

interface Contradicted extends Manual {
  readonly taskId: string;
}

/** Administrators have failed the refund, and the rail reports it as made. */
async function makeContradicted(amount: bigint): Promise<Contradicted> {
  const refund = await makeRefund(amount);
  const failed = await end(first, refund, 'fail', uniqueWord());
  if (failed.status === 202) await approve(second, failed.body['id']);
  const answer = { result: 'succeeded', railReference: 'r-1' } as const;
  await tell({ type: 'refund_answered', ...refund, answer });
  const [task] = await sql<{ id: string }[]>`
    select id from operator_tasks
     where payment_id = ${refund.paymentId} and kind = 'refund_contradicted' and status = 'open'`;
  if (task === undefined) throw new Error(`${refund.refundId} is not contradicted`);
  return { ...refund, taskId: task.id };
}

const writeOff = ({ taskId }: Contradicted): Promise<ApiAnswer> =>
  first.api.call(`/v1/admin/tasks/${taskId}/resolve`, {
    method: 'POST',
    body: { action: 'write_off', note: 'uji' },
  });

/** As a gateway that dies after it has stored the decision. */
const approveOnly = (id: unknown) => sql`
  update approvals set status = 'approved', decided_by = ${second.userId}, decided_at = now()
   where id = ${String(id)}`;

t.test('an approved end is withdrawn when the task has moved the money', async (t) => {
  const refund = await makeContradicted(LIMIT + 1n);
  const { id } = (await end(first, refund, 'complete', 'late')).body;
  const covered = await approve(second, (await writeOff(refund)).body['id']);
  t.match(covered, { body: { status: 'applied' } }, covered.text);
  await approveOnly(id);
  t.equal(await forge(refund, 'late', 'complete_refund'), 'internal_error', 'its command waited');
  t.equal(await findStatus(refund), 'failed', 'the money moves once');
  t.match(await listReasons(refund), [`the task ${refund.taskId} has moved the money`]);
  t.strictSame(await stage.findFaults(), []);
  const message = new RegExp(`The task ${refund.taskId} .*write_off.*The status is FAILED`);
  const refused = { status: 'refused', outcome: { code: 'state_conflict', message } };
  t.match((await approve(second, id)).body, refused);
  t.match((await showApproval(first, id)).body, refused, 'its row says why');
  t.equal(await forge(refund, 'late', 'complete_refund'), 'internal_error', 'it is withdrawn');
  const again = await end(first, refund, 'complete', 'again');
  t.match(again, { status: 409, code: 'state_conflict' }, 'nor is it proposed again');
  t.match(again.text, refund.taskId);
  t.strictSame(await stage.findFaults(), []);
});

t.test('an end of one person is withdrawn when the task has moved the money', async (t) => {
  const refund = await makeContradicted(LIMIT);
  t.equal((await writeOff(refund)).status, 200);
  await store(refund, 'late', LIMIT);
  t.equal(await forge(refund, 'late', 'complete_refund'), 'internal_error', 'its command waited');
  const refused = await end(first, refund, 'complete', 'late');
  t.match(refused, { status: 409, code: 'state_conflict' });
  t.match(refused.text, `The task ${refund.taskId} has moved the money`);
  t.notMatch(await listStored(refund), [{ external_reference: 'late' }]);
  t.strictSame(await stage.findFaults(), []);
});

t.test('while an approved end waits, its task moves no money', async (t) => {
  const refund = await makeContradicted(LIMIT + 1n);
  const covering = await writeOff(refund);
  const { id } = (await end(first, refund, 'complete', 'before')).body;
  await approveOnly(id);
  const shown = await first.api.call(`/v1/admin/tasks/${refund.taskId}`);
  t.strictSame(shown.body['actions'], [], 'another way is taken');
  t.match(await approve(second, covering.body['id']), { body: { status: 'refused' } });
  t.equal((await writeOff(refund)).code, 'state_conflict');
  t.equal(await forge(refund, 'before', 'complete_refund'), 'done', 'its command waited');
  t.match((await approve(second, id)).body, { status: 'applied', outcome: null });
  t.equal(await findStatus(refund), 'succeeded');
  t.strictSame(await stage.findFaults(), []);
});
