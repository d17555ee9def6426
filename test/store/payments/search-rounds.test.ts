// The rounds that make payments findable look each payment up by its key, also with a plan that was made when no words were stored:
// a plan without keys reads all words that were ever stored, once for each payment, and then no round ends.
import t from 'tap';
import { BY_KEY, openPostgres } from '#store/postgres/client.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { followSearch } from '#store/postgres/payments/follow-search.js';
import { makeMerchant } from '#test/support/accounts.js';
import { createDatabase } from '#test/support/servers.js';

const PAYMENTS = 100;
const ROUNDS = 3;
const START_MS = Date.UTC(2026, 7, 1);

const sql = openPostgres(await createDatabase(t), 'test', 1, { plans: BY_KEY });
t.teardown(() => sql.end({ timeout: 1 }));
await sql`insert into partitions (id) values (0)`;
await ensureCursors(sql);
const merchantId = await makeMerchant(sql);

/** One payment a millisecond, committed. */
async function storePayments(round: number): Promise<void> {
  const fromMs = START_MS + round * PAYMENTS;
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, created_at, version, snapshot)
    select id, ${merchantId}, 'TEST', 'pending', 1000, 'IDR', ${new Date(fromMs)}::timestamptz + n * interval '1 millisecond', 1,
           json_build_object('id', id, 'environment', 'TEST', 'amount', '1000',
                             'internal', json_build_object('merchantId', ${merchantId}::text))
      from (select n, 'pay_' || lpad((${fromMs}::bigint + n)::text, 26, '0') as id
              from generate_series(1, ${PAYMENTS}::integer) n) made`;
  await sql`update partitions set position_ms = ${fromMs + PAYMENTS}`;
}

async function countRead(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ entries: number }[]>`
    select idx_tup_read::integer as entries from pg_stat_user_indexes
     where indexrelname = 'payment_search_pkey'`;
  return row?.entries ?? 0;
}

t.test('each round reads the words of its payments only', async (t) => {
  await storePayments(0);
  await sql`analyze`;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0) await storePayments(round);
    const before = await countRead();
    t.equal((await followSearch(sql, 2 * PAYMENTS)).payments, PAYMENTS);
    const entries = (await countRead()) - before;
    t.ok(entries <= 2 * PAYMENTS, `round ${round} reads ${entries} entries`);
  }
});
