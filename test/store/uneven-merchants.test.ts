// Lists of a merchant with many rows beside two thousand with few read no more rows than they show. The planner takes each merchant
// for one of average size, whose rows could as well all be read and sorted.
import t from 'tap';
import type { MerchantId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { listLogs } from '#store/postgres/merchants/list-api-logs.js';
import { listMerchantDeliveries } from '#store/postgres/webhooks/list-merchant-deliveries.js';
import { createDatabase, fillTables } from '#test/support/servers.js';

const ROWS = 100_000;
const LIMIT = 20;
const FEW = 200;
const merchantId = 'mer_0' as MerchantId;

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

// The merchant `mer_0` has three rows of ten.
await fillTables(sql, async (tx) => {
  const owner = tx`case when n % 10 < 3 then 0 else 1 + n / 10 % 2000 end`;
  await tx`insert into merchants (id, business_name)
           select 'mer_' || n, 'x' from generate_series(0, 2000) n`;
  await tx`insert into webhook_endpoints (id, merchant_id, environment, url, secret)
           select 'we_' || n, 'mer_' || n, 'TEST', 'https://example.com', '' from generate_series(0, 2000) n`;
  await tx`
    insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, status, attempts, created_at, settled_at)
    select 'del_' || md5(n::text), 'evt_' || n, 'we_' || ${owner}, 'pay_' || n, 2, 'payment.paid', 'delivered', 1,
           now() + (n - ${ROWS}::integer) * interval '1 second', now()
      from generate_series(1, ${ROWS}::integer) n`;
  await tx`
    insert into api_logs (at, request_id, merchant_id, environment, key_id, method, path, status, duration_ms)
    select now() + (n - ${ROWS}::integer) * interval '0.1 seconds', 'req_' || md5(n::text), 'mer_' || ${owner}, 'TEST', 'key_1',
           'POST', '/v1/payments', 201, 3
      from generate_series(1, ${ROWS}::integer) n`;
  await tx`analyze`;
});
// As rows are that are not new: their places are read from the index alone.
await sql`vacuum webhook_deliveries, api_logs`;

async function countReads(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`;
  const [row] = await sql<{ rows: string }[]>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_user_tables
     where relname = 'webhook_deliveries' or relname like 'api\\_logs\\_%'`;
  return Number(row?.rows);
}

const page = { limit: LIMIT, after: null };
const anyDelivery = {
  ...{ merchantId, environment: null, status: null, eventId: null, subjectIds: null },
  ...{ endpointId: null, type: null, reason: null, amount: null },
};
const anyLog = {
  ...{ merchantId, environment: null, status: null, method: null, path: null, requestId: null },
  ...{ subjectId: null, from: null, to: null },
};
const LISTS = {
  deliveries: () => listMerchantDeliveries(sql, anyDelivery, page),
  'deliveries of an endpoint': () =>
    listMerchantDeliveries(sql, { ...anyDelivery, endpointId: 'we_0' }, page),
  'API logs': () => listLogs(sql, anyLog, page),
  'API logs of some hours': () =>
    listLogs(sql, { ...anyLog, from: new Date(Date.now() - 7_200_000), to: new Date() }, page),
};

for (const [name, list] of Object.entries(LISTS)) {
  t.test(name, async (t) => {
    const before = await countReads();
    const { rows } = await list();
    t.equal(rows.length, LIMIT + 1);
    const reads = (await countReads()) - before;
    t.ok(reads < FEW, `${reads} rows`);
  });
}
