// The tables of a merchant, and what clear_merchant does with each: it clears an account that a stranger may have registered
// with somebody else's address. A new table or setting fails here until somebody decides.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { createDatabase } from '#test/support/servers.js';

const sql = openPostgres(await createDatabase(t), 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

/** test/gateway/accounts/one-address.test.ts shows each. */
const CLEARED = [
  'api_keys',
  'invoices',
  'merchant_logos',
  'payment_links',
  'users',
  'webhook_endpoints',
];

const KEPT = {
  'money, and what happened to it': [
    ...['payments', 'payment_events', 'refunds', 'refund_ends', 'payouts', 'payout_events'],
    ...['idempotency_claims', 'rail_calls', 'status_inquiries', 'payment_search', 'payment_totals'],
    'payment_matters',
  ],
  'records of what happened': ['api_logs', 'mails', 'notices', 'owner_events'],
  'only with a verified address': [
    'kyc_documents',
    'kyc_document_parts',
    'kyc_submissions',
    'kyc_uploads',
  ],
  'only by administrators': ['approvals', 'merchant_rail_routes', 'operator_tasks'],
  'work that ends with the endpoints': ['webhook_replays'],
  'erasures that were asked for take nothing back': [
    'erasure_requests',
    'erasure_subjects',
    'erasure_walks',
  ],
  'numbers have no gaps': ['invoice_counters'],
} as const;

t.test('each table with rows of a merchant is cleared, or named with the reason', async (t) => {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and a.attname = 'merchant_id'`;
  t.same(rows.map(({ name }) => name).sort(), [...CLEARED, ...Object.values(KEPT).flat()].sort());
});

/** The name is chosen at the registration and has no other place; the rest is decided by administrators. */
const KEPT_COLUMNS = ['id', 'business_name', 'verification_status', 'live_enabled', 'created_at'];

t.test('each column of a merchant is set to its default, or kept for a reason', async (t) => {
  await sql`
    insert into merchants (id, business_name) values ('mer_fresh', 'Toko'), ('mer_set', 'Toko')`;
  const columns = await sql<{ name: string; type: string }[]>`
    select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = 'merchants'
       and column_name not in ${sql(KEPT_COLUMNS)}`;
  t.ok(columns.length >= 8, 'columns were found');
  const values: Record<string, unknown> = {
    ...{ display_name: 'Palsu', brand_colour: '#aa0000', receipt_language: 'en' },
    ...{ support_email: 'a@example.com', support_phone: '0812', support_url: 'https://a.example' },
    ...{ notices: sql`'{payment_received}'::text[]`, sends_receipts: true },
  };
  const names = columns.map(({ name }) => name);
  t.same(names.sort(), Object.keys(values).sort(), 'this test sets each of them');
  for (const [name, value] of Object.entries(values)) {
    await sql`update merchants set ${sql(name)} = ${value as string} where id = 'mer_set'`;
  }
  const read = async (id: string): Promise<unknown> =>
    (await sql`select ${sql(names)} from merchants where id = ${id}`)[0];
  t.notSame(await read('mer_set'), await read('mer_fresh'));
  await sql`select clear_merchant('mer_set', null)`;
  t.same(await read('mer_set'), await read('mer_fresh'));
});
