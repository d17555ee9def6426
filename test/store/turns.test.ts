// Turns in shared queues, on a real Postgres: mostly the payouts that are to be sent.
import t from 'tap';
import { BY_KEY, openPostgres } from '#store/postgres/client.js';
import { claimMails, createMailTurns } from '#store/postgres/accounts/mails.js';
import { createPayoutTurns, loadToSend } from '#store/postgres/payouts/due-payouts.js';
import { claimCalls } from '#store/postgres/rails/claim-calls.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const ENVIRONMENTS = ['TEST', 'LIVE'] as const;
/** More queue keys than one round visits. */
const KEYS = 1_500;
const BACKLOG = 20_000;
/** Rows that one round over a large backlog may read. */
const FEW = 400;

const sql = openPostgres(await createDatabase(t), 'test', 1, { plans: BY_KEY });
t.teardown(() => sql.end());
t.beforeEach(async () => {
  await sql`delete from payouts`;
});

/** Inserts pending payouts; each was due a second after the one before. */
const insertPayouts = (merchantId: string, environment: 'TEST' | 'LIVE', count: number) =>
  fillTables(
    sql,
    (tx) => tx`
      insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code,
                           account_number, account_holder, fingerprint, version, created_at, due_at)
      select ${merchantId} || n, ${merchantId}, ${environment}, 'PENDING', 5, 'IDR',
             'BCA', '1', 'Budi', '1:x', 1, now(), now() - interval '1 day' + n * interval '1 second'
        from generate_series(1, ${count}::integer) as n`,
  );

async function countByMerchant(limit: number): Promise<Readonly<Record<string, number>>> {
  const due = await loadToSend(sql, createPayoutTurns('send'), ENVIRONMENTS, limit);
  const counts: Record<string, number> = {};
  for (const { state } of due) counts[state.merchantId] = (counts[state.merchantId] ?? 0) + 1;
  return counts;
}

t.test('environments share a round evenly, and the merchants of each its part', async (t) => {
  await sql`
    insert into merchants (id, business_name, verification_status, live_enabled)
    values ('mer_live', 'x', 'APPROVED', true)`;
  await insertPayouts('mer_live', 'LIVE', 100);
  await insertPayouts('mer_a', 'TEST', 100);
  await insertPayouts('mer_b', 'TEST', 100);
  t.strictSame(await countByMerchant(40), { mer_live: 20, mer_a: 10, mer_b: 10 });
});

t.test('a share that is not needed goes to the others, the longest due first', async (t) => {
  await insertPayouts('mer_a', 'TEST', 100);
  await insertPayouts('mer_b', 'TEST', 3);
  t.strictSame(await countByMerchant(40), { mer_a: 37, mer_b: 3 });
  const [first] = await loadToSend(sql, createPayoutTurns('send'), ENVIRONMENTS, 1);
  t.equal(first?.state.id, 'mer_a1');
});

t.test('a round goes on behind the last queue key that the round before has visited', async (t) => {
  await fillTables(
    sql,
    (tx) => tx`
      insert into payouts (id, merchant_id, environment, status, amount, currency, bank_code,
                           account_number, account_holder, fingerprint, version, created_at, due_at)
      select 'po_' || n, 'mer_' || n, 'TEST', 'PENDING', 5, 'IDR', 'BCA', '1', 'Budi', '1:x', 1, now(), now()
        from generate_series(1, ${KEYS}::integer) as n`,
  );
  const turns = createPayoutTurns('send');
  const rounds = [await turns.listKeys(sql), await turns.listKeys(sql)];
  t.strictSame(
    rounds.map(({ length }) => length),
    [1_000, 500],
  );
  t.equal(new Set(rounds.flat()).size, KEYS);
  t.strictSame(await turns.listKeys(sql), rounds[0], 'then it begins again');
});

t.test('a round reads few rows of a large backlog', async (t) => {
  await insertPayouts('mer_a', 'TEST', BACKLOG);
  await insertPayouts('mer_b', 'TEST', 1);
  await sql`update payouts set due_at = now() + interval '1 hour' where merchant_id = 'mer_b'`;
  const countReads = async (): Promise<number> => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<{ rows: string }[]>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables
       where relname = 'payouts'`;
    return Number(row?.rows);
  };
  const before = await countReads();
  t.strictSame(await countByMerchant(64), { mer_a: 64 });
  const reads = (await countReads()) - before;
  t.ok(reads > 0 && reads < FEW, `${reads} rows`);
});

t.test('invoices of one merchant delay no reset of a password', async (t) => {
  await sql`
    insert into merchants (id, business_name, verification_status) values ('mer_a', 'A', 'APPROVED')`;
  await sql`
    insert into mails (id, budget, recipient, subject, body, merchant_id, next_attempt_at)
    select 'mail_' || n, 'invoice', n || '@example.com', 's', 'b', 'mer_a', now() - interval '1 hour'
      from generate_series(1, 50) as n`;
  await sql`
    insert into mails (id, budget, recipient, subject, body)
    values ('mail_reset', 'reset', 'budi@example.com', 's', 'b')`;
  const claimed = await claimMails(sql, createMailTurns(), 10);
  t.equal(claimed.length, 10);
  t.ok(claimed.some(({ id }) => id === 'mail_reset'));
  const next = await claimMails(sql, createMailTurns(), 10);
  t.notOk(
    next.some(({ id }) => claimed.some((before) => before.id === id)),
    'each is claimed once',
  );
});

t.test('charges of one merchant delay no charge of another', async (t) => {
  for (const [merchantId, count] of [
    ['mer_a', 50],
    ['mer_b', 1],
  ] as const) {
    await sql`
      insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
      select ${merchantId} || n, ${merchantId}, 'LIVE', 'creating', 1, 'IDR', now(), 1, '{}'
        from generate_series(1, ${count}::integer) as n`;
    await sql`
      insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
      select id, id, merchant_id, 'midtrans', 'charge',
             json_build_object('orderId', 'order_' || id, 'expiresAtMs', 9e12), now()
        from payments where merchant_id = ${merchantId}`;
  }
  const claimed = await claimCalls(sql, { rail: 'midtrans', operation: 'charge' }, 4, 1_000);
  t.equal(claimed.length, 4);
  t.ok(claimed.some(({ id }) => id === 'mer_b1'));
});
