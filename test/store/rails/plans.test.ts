// Plans that were made while the tables were empty still find rows by key when the tables are full. (The tables are not
// analyzed here, as in a new installation.)
import t from 'tap';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { BY_KEY, openPostgres } from '#store/postgres/client.js';
import { commitBatch } from '#store/postgres/payments/commit-batch.js';
import { claimCalls } from '#store/postgres/rails/claim-calls.js';
import { loadPendingCommands } from '#store/postgres/rails/pending-commands.js';
import { recordAnswers, recordUnknown } from '#store/postgres/rails/record-answers.js';
import {
  claimInquiries,
  countUnknownCalls,
  recordInquiries,
} from '#store/postgres/rails/inquiries.js';
import {
  at,
  buildBatch,
  buildMove,
  buildNewPayment,
  generatePaymentId,
} from '#test/support/actors/batches.js';
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

/** Runs the statements that serve one LIVE payment. */
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
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
    select call, ${id}, 'mer_1', 'midtrans', 'charge',
           json_build_object('orderId', 'order_' || call, 'expiresAtMs', 9e12), now()
      from unnest(${calls}::text[]) as call`;
  const claimed = await claimCalls(sql, CHARGES, 10, 0);
  if (claimed.length !== calls.length) throw new Error(`${claimed.length} calls were claimed`);
  await answer(round, id);
}

async function answer(round: number, paymentId: string): Promise<void> {
  const [callId = '', inquiryId = ''] = [`answered_${round}`, `order_answered_${round}`];
  const [isFirst] = await recordAnswers(sql, [
    { callId, command: '{}', inquiryId, inquireInMs: LEASE_MS, reference: null },
  ]);
  if (isFirst !== true) throw new Error('the answer was not the first');
  const unknown = { callId: `unknown_${round}`, inquiryId: `order_unknown_${round}` };
  await recordUnknown(sql, { ...unknown, inquireInMs: LEASE_MS, reference: null });
  await countUnknownCalls(sql);
  const claim = { rail: 'midtrans', limit: 10, leaseMs: LEASE_MS, givenUpMs: LEASE_MS } as const;
  const results = (await claimInquiries(sql, claim)).map(({ id, number, callbacks }) => {
    const answeredCalls = id === `order_looked_up_${round}` ? [`looked_up_${round}`] : [];
    const inquiry = { id, number, callbacks };
    return {
      inquiry,
      paymentId,
      next: null,
      answeredCalls,
      commands: ['{}'],
      absence: null,
      close: null,
      tasks: [],
    };
  });
  await recordInquiries(sql, results);
  await loadPendingCommands(sql, '', 10, 0);
}

/** Counts the rows of these tables that were read so far. */
async function countReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: string }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables
     where relname in ('payments', 'rail_calls', 'status_inquiries')`;
  return Number(row?.rows);
}

t.test('statements with plans of empty tables read few rows of full tables', async (t) => {
  for (let round = 1; round <= 3; round += 1) await serve(round);
  await beside`
    insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
    select 'pay_' || n, 'mer_1', 'TEST', 'pending', 1, 'IDR', now(), 1, '{}'
      from generate_series(1, ${BESIDE}) as n`;
  await beside`
    insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at, state, sent_at)
    select 'waits_' || n, 'pay_' || n, 'mer_1', 'midtrans', 'charge', '{}', now(), 'sent', now()
      from generate_series(1, ${BESIDE}) as n`;
  await beside`
    insert into status_inquiries (id, kind, rail, payment_id, merchant_id, due_at, inquire_until)
    select 'order_waits_' || n, 'order', 'midtrans', 'pay_' || n, 'mer_1', now() + interval '1 hour', now()
      from generate_series(1, ${BESIDE}) as n`;
  const before = await countReads();
  await serve(10);
  const reads = (await countReads()) - before;
  t.ok(reads > 0 && reads < FEW, `${reads} rows`);
});
