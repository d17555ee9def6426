// Payouts compared with the rail's list: a difference makes the inquiry due, and a contradiction is a task too.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { uniqueWord } from '#test/support/processes.js';
import { hasStatus, openLivePayouts, payOut } from '#test/support/rails/payouts.js';
import { listDifferences, openReconciled } from '#test/support/rails/reconciled.js';
import { startRailService, startRails } from '#test/support/rails/service.js';

const REJECTED_ACCOUNT = '999999';
const SILENT_ACCOUNT = '131313';

const service = await startRailService(t, { RAIL_SYNC_SCHEDULE: '3600' });
const { sql } = service;
await startRails(service);
const { live } = await openLivePayouts(service, 100_000);
const { change, dateBack, tasksOf, reconcile } = openReconciled(service);

async function make(amount: string, account?: string, status = 'COMPLETED'): Promise<string> {
  const to = account === undefined ? {} : { account_number: account };
  const { body } = await payOut(live, { amount, ...to }, uniqueWord());
  const id = String(body['id']);
  await hasStatus(live, id, status);
  return id;
}

t.test('payouts that differ from the rail are found', async (t) => {
  const alike = await make('10');
  const paidAfterAll = await make('11', REJECTED_ACCOUNT, 'FAILED');
  await change(`payouts/${paidAfterAll}/amend`, { status: 'SUCCEEDED' });
  const ended = await make('12', SILENT_ACCOUNT, 'PROCESSING');
  await waitUntil('the rail has accepted it', async () => {
    const [row] = await sql`select rail_reference from payouts where id = ${ended}`;
    return typeof row?.['rail_reference'] === 'string';
  });
  await change(`payouts/${ended}/amend`, { status: 'SUCCEEDED' });
  const other = await make('13');
  await change(`payouts/${other}/amend`, { amount: '14' });
  const lost = await make('15');
  await dateBack([], [alike, paidAfterAll, ended, other]);
  await change(`payouts/${lost}/forget`);

  const found = await reconcile('--rail', 'xendit');
  t.strictSame(
    listDifferences(found),
    [
      [paidAfterAll, 'differing', 'payout', 'FAILED', 'completed'],
      [ended, 'differing', 'payout', 'PROCESSING', 'completed'],
      [other, 'differing', 'payout', '13 IDR', '14 IDR'],
      [lost, 'missing', 'payout', 'COMPLETED', 'absent'],
    ].sort(),
    found.text,
  );
  for (const id of [paidAfterAll, other, lost]) {
    t.match(await tasksOf(id), [{ payoutId: id, paymentId: null, details: { field: 'payout' } }]);
  }
  for (const id of [alike, ended]) t.strictSame(await tasksOf(id), []);
  await hasStatus(live, ended, 'COMPLETED');
  await waitUntil('the inquiry found the contradiction', async () => {
    const [row] = await sql`select contradiction from payouts where id = ${paidAfterAll}`;
    return row?.['contradiction'] === 'completed';
  });
});
