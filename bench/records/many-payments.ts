// Fills the store as years of payments do: copies of one paid payment with its events and postings, of many merchants, of which
// the one of the bench has three of ten. Indexes are dropped before and built after, because ids are in no order.
import postgres from 'postgres';
import { DAY_MS } from '#actors/core/days.js';
import type { Postgres } from '#store/postgres/client.js';

const ROWS_A_STATEMENT = 50_000;
/** One for each core of the machine on which the figures are told. */
const WRITERS = 2;
const MERCHANTS = 2_000;
const DAYS = 730;
export const TABLES = ['payments', 'payment_events', 'postings'] as const;

export interface ManyPayments {
  readonly databaseUrl: string;
  readonly count: number;
}

const NEWEST_MS = Date.now() - 3_600_000;

/** When the payment `n` of `count` was made: the newest an hour ago, all others evenly over two years. */
export const timeOf = (n: number, count: number): Date =>
  new Date(NEWEST_MS - (count - n) * ((DAYS * DAY_MS) / count));

const CUSTOMERS = 5_000;

/** The customer of each payment whose number has this rest. */
export const nameCustomer = (n: number): string => `budi${n % CUSTOMERS}`;

interface Kept {
  readonly drop: string;
  readonly build: string;
}

/** Copies the payment that was paid last. The followers of the events are behind none of the copies. */
export async function storeManyPayments({ databaseUrl, count }: ManyPayments): Promise<void> {
  const sql = postgres(databaseUrl, {
    max: WRITERS,
    onnotice: () => undefined,
    connection: {
      ...{ statement_timeout: 0, synchronous_commit: 'off' },
      ...{ maintenance_work_mem: '1GB', max_parallel_maintenance_workers: 1 },
    },
  });
  try {
    await addMerchants(sql);
    const kept = await listIndexes(sql);
    for (const { drop } of kept) await sql.unsafe(drop);
    await makeTemplates(sql);
    let from = 0;
    const write = async (): Promise<void> => {
      while (from < count) {
        const first = from;
        from += ROWS_A_STATEMENT;
        await copyPayments(sql, { first, last: Math.min(count, from) - 1, count });
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    await sql`drop table bench_payment, bench_events, bench_postings`;
    for (const { build } of kept) await sql.unsafe(build);
    await sumBalances(sql);
  } finally {
    await sql.end();
  }
}

async function addMerchants(sql: Postgres): Promise<void> {
  await sql`
    insert into merchants (id, business_name, verification_status, live_enabled)
    select 'mer_0' || substr(md5('merchant ' || n), 1, 25), 'Merchant ' || n, 'APPROVED', true
      from generate_series(1, ${MERCHANTS}::integer) n`;
}

/** Of the tables that are filled. Constraints first, since they own an index each. */
async function listIndexes(sql: Postgres): Promise<Kept[]> {
  return sql<Kept[]>`
    with filled as (select oid, relname from pg_class where relname = any(${[...TABLES]}::text[]) and relkind = 'r')
    select format('alter table %I drop constraint %I', t.relname, c.conname) as drop,
           format('alter table %I add constraint %I %s', t.relname, c.conname, pg_get_constraintdef(c.oid)) as build
      from pg_constraint c join filled t on t.oid = c.conrelid where c.contype in ('p', 'u')
    union all
    select format('drop index %I', i.relname), pg_get_indexdef(i.oid)
      from pg_index x join filled t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
     where not exists (select from pg_constraint c where c.conindid = i.oid)`;
}

async function makeTemplates(sql: Postgres): Promise<void> {
  await sql`
    create unlogged table bench_payment as
      select * from payments where status = 'paid' order by created_at desc limit 1`;
  await sql`
    create unlogged table bench_events as
      select e.* from payment_events e join bench_payment p on p.id = e.payment_id`;
  await sql`
    create unlogged table bench_postings as
      select g.* from postings g join bench_payment p on p.id = g.cause_id`;
}

interface Part {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

async function copyPayments(sql: Postgres, { first, last, count }: Part): Promise<void> {
  const made = sql`
    select n, 'pay_0' || substr(md5(n::text), 1, 25) as id, 'order-' || n as reference,
           case when n % 10 < 3 then p.merchant_id
                else 'mer_0' || substr(md5('merchant ' || 1 + n / 10 % ${MERCHANTS}::integer), 1, 25) end as merchant,
           date_trunc('milliseconds', ${timeOf(count, count)}::timestamptz
             - (${count}::integer - n) * (interval '1 day' * ${DAYS} / ${count})) as at
      from generate_series(${first}::integer, ${last}::integer) n, bench_payment p`;
  await sql`
    insert into payments (id, merchant_id, environment, status, amount, currency, payment_method, reference_id,
                          created_at, due_at, version, snapshot)
    select m.id, m.merchant, p.environment, p.status, p.amount, p.currency, p.payment_method, m.reference, m.at, null, p.version,
           replace(replace(replace(replace(p.snapshot, p.id, m.id), p.merchant_id, m.merchant), p.reference_id, m.reference),
                   'Budi Santoso', 'Budi Budi' || m.n % ${CUSTOMERS}::integer)
      from (${made}) m, bench_payment p`;
  await sql`
    insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type, at, event,
                                merchant_id, environment, envelope)
    select m.n % 16, extract(epoch from m.at) * 1000 + 60000, m.n, e.index, m.id, e.version, e.type, m.at + interval '1 minute',
           e.event, m.merchant, e.environment,
           replace(replace(replace(e.envelope, e.payment_id, m.id), e.merchant_id, m.merchant), p.reference_id, m.reference)
      from (${made}) m, bench_payment p, bench_events e`;
  await sql`
    insert into postings (cause_kind, cause_id, version, index, debit, credit, amount, currency, reason, at)
    select g.cause_kind, m.id, g.version, g.index, replace(g.debit, p.merchant_id, m.merchant),
           replace(g.credit, p.merchant_id, m.merchant), g.amount, g.currency, g.reason, m.at + interval '1 minute'
      from (${made}) m, bench_payment p, bench_postings g`;
}

async function sumBalances(sql: Postgres): Promise<void> {
  await sql`truncate balance_rows`;
  await sql`
    insert into balance_rows (account, shard, currency, amount)
    select m.account, 0, min(m.currency), sum(m.amount)
      from postings g, lateral (values (g.debit, g.currency, -g.amount), (g.credit, g.currency, g.amount))
                               as m (account, currency, amount)
     group by m.account`;
}
