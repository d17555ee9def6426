// Plans that were made while the tables were empty serve when they are full: a row is found by its key, and what a
// statement reads does not grow with what waits beside it. (Nothing analyzes the tables here, nor does a new one.)
import t from 'tap';
import { checkInstallation } from '#store/postgres/installation.js';
import { BY_KEY, openPostgres } from '#store/postgres/client.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import { claimCalls } from '#store/postgres/rails/claim-calls.js';
import { loadFacts } from '#store/postgres/rails/facts.js';
import { recordAnswers, recordUnknown } from '#store/postgres/rails/record-answers.js';
import {
  claimInquiries,
  countUnknownCalls,
  recordInquiries,
} from '#store/postgres/rails/inquiries.js';
import { at, buildBatch, buildMove, buildNewPayment, generatePaymentId } from '#test/support/actors/batches.js';
import { createDatabase } from '#test/support/servers.js';

const LEASE_MS = 60_000;
const BESIDE = 3_000;
/** Rows that one round of the statements below may read. */
const FEW = 60;
const CHARGES = { rail: 'midtrans', operation: 'charge' } as const;

const url = await createDatabase(t);
const sql = openPostgres(url, 'test', 1, { plans: BY_KEY });
const beside = openPostgres(url, 'test beside', 1);
t.teardown(() => Promise.all([sql, beside].map((pool) => pool.end())));
await checkInstallation(sql, { partitions: 4, idKey: Buffer.alloc(32, 7) });

/** What becomes of one LIVE payment, in the statements of the processes that serve it. */
async function serve(round: number): Promise<void> {
  const id = generatePaymentId();
  const calls = [`answered_${round}`, `unknown_${round}`, `looked_up_${round}`];
  const created = buildBatch(await buildMove(sql, 0, at(round)));
  created.created.push(buildNewPayment(id, { environment: 'LIVE' }));
  await commitBatch(sql, created);
  const changed = buildBatch(await buildMove(sql, 0, at(round, 1)));
  changed.changed.push({
    ...{ id, status: 'paid', paymentMethod: null, dueAtMs: null, snapshot: '{}' },
    ...{ fromVersion: 1, version: 2 },
  });
  await commitBatch(sql, changed);
  await beside`
    insert into rail_calls (id, payment_id, rail, operation, request, due_at)
    select call, ${id}, 'midtrans', 'charge',
           json_build_object('orderId', 'order_' || call, 'expiresAtMs', 9e12), now()
      from unnest(${calls}::text[]) as call`;
  const claimed = await claimCalls(sql, CHARGES, 10, 0);
  if (claimed.length !== calls.length) throw new Error(`${claimed.length} calls were claimed`);
  await answer(round, id);
}

async function answer(round: number, paymentId: string): Promise<void> {
  const [callId = '', inquiryId = ''] = [`answered_${round}`, `order_answered_${round}`];
  const [isFirst] = await recordAnswers(sql, [
    { callId, command: '{}', inquiryId, inquireInMs: LEASE_MS },
  ]);
  if (isFirst !== true) throw new Error('the answer was not the first');
  await recordUnknown(sql, `unknown_${round}`, `order_unknown_${round}`, LEASE_MS);
  await countUnknownCalls(sql);
  const wish = { rail: 'midtrans', limit: 10, leaseMs: LEASE_MS, givenUpMs: LEASE_MS } as const;
  const looks = (await claimInquiries(sql, wish)).map(({ id, number }) => {
    const answeredCalls = id === `order_looked_up_${round}` ? [`looked_up_${round}`] : [];
    const watch = { id, number };
    return { inquiry: watch, paymentId, next: null, answeredCalls, commands: ['{}'], tasks: [] };
  });
  await recordInquiries(sql, looks);
  await loadFacts(sql, '', 10, 0);
}

/** Rows that were read of the tables so far. */
async function countReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: string }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables
     where relname in ('payments', 'rail_calls', 'rail_watches')`;
  return Number(row?.rows);
}

t.test('what is read does not grow with the tables', async (t) => {
  for (let round = 1; round <= 3; round += 1) await serve(round);
  await beside`
    insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
    select 'pay_' || n, 'mer_1', 'TEST', 'pending', 1, 'IDR', now(), 1, '{}'
      from generate_series(1, ${BESIDE}) as n`;
  await beside`
    insert into rail_calls (id, payment_id, rail, operation, request, due_at, state, sent_at)
    select 'waits_' || n, 'pay_' || n, 'midtrans', 'charge', '{}', now(), 'sent', now()
      from generate_series(1, ${BESIDE}) as n`;
  await beside`
    insert into rail_watches (id, kind, rail, payment_id, look_at, watch_until)
    select 'order_waits_' || n, 'order', 'midtrans', 'pay_' || n, now() + interval '1 hour', now()
      from generate_series(1, ${BESIDE}) as n`;
  const before = await countReads();
  await serve(10);
  const reads = (await countReads()) - before;
  t.ok(reads > 0 && reads < FEW, `${reads} rows`);
});
