// Plans that were made while the tables were empty still find due payments, snapshots and new events by key when the tables
// are full. (The tables are not analyzed here, as in a new installation.)
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { BY_KEY, openPostgres } from '#store/postgres/client.js';
import { followPayments } from '#store/postgres/links-and-invoices/follow-payments.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import { createDueTurns, loadDue, postponeDue } from '#store/postgres/payments/due-payments.js';
import { type ReadPositions, readPaymentChanges } from '#store/postgres/changes/payment-changes.js';
import { loadSnapshots } from '#store/postgres/payments/load-payments.js';
import {
  at,
  buildBatch,
  buildMove,
  buildNewPayment,
  generatePaymentId,
} from '#test/support/actors/batches.js';
import { createDatabase } from '#test/support/servers.js';

const BESIDE = 3_000;
/** Rows of the tables that one round may read. */
const FEW = 60;
const PARTITIONS = [0, 1, 2, 3];
let positions: ReadPositions = new Map();

const url = await createDatabase(t);
const sql = openPostgres(url, 'test', 1, { plans: BY_KEY });
const beside = openPostgres(url, 'test beside', 1);
t.teardown(() => Promise.all([sql, beside].map((pool) => pool.end())));
await checkInstallation(sql, { partitions: PARTITIONS.length, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);

/** Creates a payment that is due, reads it in each way, and postpones it. */
async function serve(round: number): Promise<void> {
  const id = generatePaymentId();
  const created = buildBatch(await buildMove(sql, 0, at(round)));
  created.created.push(buildNewPayment(id, { dueAtMs: Date.now() - 1_000 }));
  await commitBatch(sql, created);
  const due = await loadDue(sql, createDueTurns(), 10, [generatePaymentId()]);
  if (due.length !== 1) throw new Error(`${due.length} payments are due`);
  if ((await loadSnapshots(sql, [id])).size !== 1) throw new Error('the snapshot was not found');
  await postponeDue(
    sql,
    due.map((one) => ({ ...one, inMs: 3_600_000 })),
  );
  await followPayments(sql, PARTITIONS);
  ({ positions } = await readPaymentChanges(sql, positions, [makeId('mer', Buffer.alloc(16))]));
}

/** Counts the rows of these tables that were read so far. */
async function countReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: string }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables
     where relname in ('payments', 'payment_events')`;
  return Number(row?.rows);
}

t.test('statements with plans of empty tables read few rows of full tables', async (t) => {
  for (let round = 1; round <= 3; round += 1) await serve(round);
  await beside`
    insert into payments (id, merchant_id, environment, status, amount, currency, created_at, due_at, version, snapshot)
    select 'pay_' || n, 'mer_' || n % 3, 'TEST', 'pending', 1, 'IDR', now(),
           case when n % 2 = 0 then now() + interval '1 hour' end, 1, '{}'
      from generate_series(1, ${BESIDE}) as n`;
  await beside`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type, at, event,
                                merchant_id, environment)
    select n % ${PARTITIONS.length}, 0, n, 0, 'pay_' || n, 1, 'expired', now(), '{}', 'mer_1', 'TEST'
      from generate_series(1, ${BESIDE}) as n`;
  const before = await countReads();
  await serve(10);
  const reads = (await countReads()) - before;
  t.ok(reads > 0 && reads < FEW, `${reads} rows`);
});
