// LIVE payouts about which the rail speaks after an administrator has ended them: each later word becomes a task, and no
// money moves until a person decides.
import t from 'tap';
import type { PayoutId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { verifyLedger } from '#store/postgres/ledger/verify-ledger.js';
import type { ApiAnswer } from '#test/support/api.js';
import { readMetrics, uniqueWord } from '#test/support/processes.js';
import {
  balanceOf,
  hasStatus,
  openLivePayouts,
  payOut,
  showPayout,
} from '#test/support/rails/payouts.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

/** The simulated rail accepts payouts to this account and reports nothing more. */
const SILENT_ACCOUNT = '131313';

const service = await startRailService(t, { RAIL_SYNC_SCHEDULE: '3600' });
const { sql, simulated } = service;
await startRails(service);
const { live, admin } = await openLivePayouts(service, 100_000);

/** A payout that the rail has accepted, and that an administrator has failed. */
async function makeFailedByHand(amount: string): Promise<PayoutId> {
  const made = await payOut(live, { amount, account_number: SILENT_ACCOUNT }, uniqueWord());
  const id = String(made.body['id']) as PayoutId;
  await waitUntil('the rail has accepted it', async () => {
    const [row] = await sql`select rail_reference from payouts where id = ${id}`;
    return typeof row?.['rail_reference'] === 'string';
  });
  await applyCommand(
    sql,
    id,
    { type: 'leave_unresolved', status: 'PROCESSING' },
    { nowMs: Date.now(), dueInMs: () => 60_000 },
  );
  const failed = await admin.call(`/v1/admin/payouts/${id}/fail`, {
    method: 'POST',
    body: { external_reference: uniqueWord(), reason: 'the rail said it was not paid' },
  });
  if (failed.body['status'] !== 'FAILED') throw new Error(failed.text);
  return id;
}

const report = (id: string, status: 'SUCCEEDED' | 'FAILED' | 'REVERSED') =>
  simulated.control('POST', `payouts/${id}`, { status });

const hasTask = (id: string) =>
  waitUntil(`a contradiction of ${id} is a task`, async () => {
    const rows = await sql`
      select details from operator_tasks
       where payout_id = ${id} and kind = 'payout_contradicted' and status = 'open'`;
    return rows.length === 1;
  });

t.test('a payout failed by hand that its rail then reports as paid becomes a task', async (t) => {
  const id = await makeFailedByHand('10');
  const before = await balanceOf(live);
  await report(id, 'SUCCEEDED');
  await hasTask(id);
  t.strictSame(await balanceOf(live), before, 'no money moves without a person');
  await waitUntil('the task is counted', async () => {
    const page = await readMetrics(service.rails);
    return page.includes('kasir_operator_tasks_open{kind="payout_contradicted"} 1');
  });
  const completed = await admin.call(`/v1/admin/payouts/${id}/complete`, {
    method: 'POST',
    body: { external_reference: 'BANK-1', reason: 'it was paid' },
  });
  t.match(completed.body, { status: 'COMPLETED', contradicted: false }, completed.text);
  t.equal(Number(before.available) - Number((await balanceOf(live)).available), 10);
});

const resolve = async (id: string, action: string): Promise<ApiAnswer> => {
  const [task] = await sql<{ id: string }[]>`
    select id from operator_tasks where payout_id = ${id} and status = 'open'`;
  const body = { action, note: 'asked the bank' };
  return admin.call(`/v1/admin/tasks/${String(task?.id)}/resolve`, { method: 'POST', body });
};

t.test('a rail that changes its word after the decision opens another task', async (t) => {
  const [corrected, writtenOff] = [await makeFailedByHand('14'), await makeFailedByHand('15')];
  for (const id of [corrected, writtenOff]) {
    await report(id, 'SUCCEEDED');
    await hasTask(id);
  }
  const body = { external_reference: 'BANK-2', reason: 'it was paid' };
  await admin.call(`/v1/admin/payouts/${corrected}/complete`, { method: 'POST', body });
  t.equal((await resolve(writtenOff, 'write_off')).status, 200);
  for (const id of [corrected, writtenOff]) {
    await report(id, 'FAILED');
    await hasTask(id);
  }
  t.equal((await resolve(writtenOff, 'write_off')).code, 'state_conflict', 'it is borne once');
  t.equal((await resolve(writtenOff, 'acknowledge')).status, 200);
  const reversed = await admin.call(`/v1/admin/payouts/${corrected}/reverse`, {
    method: 'POST',
    body: { external_reference: 'BANK-3', reason: 'it was not paid' },
  });
  t.match(reversed.body, { status: 'REVERSED', contradicted: false }, reversed.text);
  const open = await sql`
    select id from operator_tasks
     where payout_id in (${corrected}, ${writtenOff}) and status = 'open'`;
  t.equal(open.length, 0, 'each task has ended');
  const { faults } = await verifyLedger(sql);
  t.strictSame(
    faults.filter(({ subject }) => subject !== null && /^(task|po)_/.test(subject)),
    [],
  );
});

t.test('a payout failed by hand is inquired about even when the callback is lost', async (t) => {
  const id = await makeFailedByHand('11');
  const [row] = await sql`select due_at > now() as "isPlanned" from payouts where id = ${id}`;
  t.equal(row?.['isPlanned'], true, 'an inquiry is planned');
  await simulated.plan({ kind: 'lost', operation: 'callback' });
  await report(id, 'SUCCEEDED');
  await simulated.plan();
  await sql`update payouts set due_at = now() where id = ${id}`;
  await hasTask(id);
});

t.test('a status that lags behind its callback is inquired about again', async (t) => {
  const id = await makeFailedByHand('12');
  await simulated.plan({ kind: 'server_error', operation: 'status', subject: id, times: 1 });
  await report(id, 'SUCCEEDED');
  await hasTask(id);
  t.match((await showPayout(live, id)).body, { status: 'FAILED' }, 'a person decides');
  await simulated.plan();
});

t.test('a payout that the rail reversed and then reports as paid becomes a task', async (t) => {
  const made = await payOut(live, { amount: '13', account_number: '654321' }, uniqueWord());
  const id = String(made.body['id']);
  await hasStatus(live, id, 'REVERSED');
  const before = await balanceOf(live);
  await report(id, 'SUCCEEDED');
  await hasTask(id);
  t.strictSame(await balanceOf(live), before);
  const { body } = await admin.call('/v1/admin/tasks?kind=payout_contradicted&status=open');
  const [task] = (body['data'] as { id: string; actions: string[]; payout_id?: string }[]).filter(
    ({ actions }) => actions.includes('write_off'),
  );
  t.ok(task, 'the platform may bear it');
});
