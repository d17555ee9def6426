// Do millions of stored payments make anything slower? The control is the same work on the store before they are in it.
//   node dist/bench/growth.js [payments]
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '#store/postgres/client.js';
import { measureExpiries, onExpiryStage, sumUs } from './expiry.js';
import { type CpuSeconds, describeCpu, readCpu, subtractCpu } from './figures/cpu.js';
import { formatRows, type Row } from './figures/row.js';
import { formatCount, formatMs, percentile } from './figures/statistics.js';
import { createRequest, getRequest, listRequest, newRun } from './load/requests.js';
import { sendOnSchedule } from './load/sender.js';
import { isStarted, type Stage, watchedOf } from './stage/stage.js';

const PAYMENTS = 3_000_000;
const ROWS_A_STATEMENT = 100_000;
const ALLOWED = 1.2;
const EXPIRIES = 3_000;
const SECONDS = 8;
const CREATES_A_SECOND = 1_000;
const GETS_A_SECOND = 1_000;
const LISTS_A_SECOND = 100;
const CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
/** The tables that grow. */
const TABLES = ['payments', 'payment_events'] as const;
/** Backends tell their counters up to so much later. */
const COUNTED_WITHIN_MS = 12_000;

interface Cost {
  readonly us: number;
  readonly p50Ms: number;
  readonly errors: number;
}
type Costs = ReadonlyMap<string, Cost>;
/** Rows by table. */
type RowsRead = ReadonlyMap<string, number>;

interface Measured {
  readonly costs: Costs;
  /** By all processes while the costs were measured: a query that lost its index reads the whole table. */
  readonly rowsRead: RowsRead;
}

async function countRowsRead(sql: Postgres): Promise<RowsRead> {
  await sleep(COUNTED_WITHIN_MS);
  const rows = await sql<{ name: string; count: number }[]>`
    select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as count
      from pg_stat_user_tables where relname = any(${[...TABLES]}::text[])`;
  return new Map(rows.map(({ name, count }) => [name, count]));
}

interface Work {
  readonly name: string;
  readonly ratePerSecond: number;
  readonly request: (index: number) => string;
}

/** A ratio of sums cannot tell a slower query from a slower machine: the generator's part can. */
function printCpu(name: string, used: CpuSeconds, count: number): void {
  console.log(`  ${name.padEnd(20)}CPU µs: ${describeCpu(used, count)}`);
}

async function measureWork(stage: Stage, work: Work): Promise<Cost> {
  const { name, ratePerSecond, request } = work;
  const sortedMs: number[] = [];
  let errors = 0;
  const before = readCpu(watchedOf(stage));
  await sendOnSchedule({
    port: stage.service.port,
    ratePerSecond,
    seconds: SECONDS,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request,
    onResult: ({ status, scheduledAtMs, endedAtMs }) => {
      if (status >= 300 || status < 200) errors += 1;
      sortedMs.push(endedAtMs - scheduledAtMs);
    },
  });
  const used = subtractCpu(readCpu(watchedOf(stage)), before);
  printCpu(name, used, ratePerSecond * SECONDS);
  const us = sumUs(used, ratePerSecond * SECONDS);
  return { us, p50Ms: percentile(sortedMs, 0.5), errors };
}

interface Stored {
  readonly id: string;
  readonly reference: string | null;
}

/** Some of all payments; all of them while they are few. */
async function pickStored(sql: Postgres): Promise<readonly Stored[]> {
  const some = await sql<Stored[]>`
    select id, reference_id as reference from payments tablesample system (1) limit 5000`;
  if (some.length > 0) return some;
  return sql<Stored[]>`select id, reference_id as reference from payments limit 5000`;
}

async function measureCosts(stage: Stage, sql: Postgres): Promise<Costs> {
  const { key } = stage.service;
  const creates = (name: string): Work => {
    const run = newRun();
    const request = (index: number): string => createRequest(key, run, index);
    return { name, ratePerSecond: CREATES_A_SECOND, request };
  };
  const lists = (name: string, query: (index: number) => string): Work => ({
    name,
    ratePerSecond: LISTS_A_SECOND,
    request: (index) => listRequest(key, query(index)),
  });
  // Code is compiled and pages are in memory.
  await measureWork(stage, creates('warm-up'));
  // Before the lists, so that there are failed payments in the smaller store too.
  const { expired } = await measureExpiries(stage, sql, EXPIRIES);
  printCpu('expiry', expired, EXPIRIES);
  const stored = await pickStored(sql);
  const pick = (index: number): Stored =>
    stored[index % stored.length] ?? { id: '', reference: '' };
  const works: readonly Work[] = [
    creates('create'),
    {
      name: 'get',
      ratePerSecond: GETS_A_SECOND,
      request: (index) => getRequest(key, pick(index).id),
    },
    lists('list, newest', () => ''),
    lists('list, failed', () => 'status=failed'),
    lists('list, by reference', (index) => `reference_id=${pick(index).reference ?? ''}`),
  ];
  const costs = new Map<string, Cost>();
  for (const work of works) costs.set(work.name, await measureWork(stage, work));
  return costs.set('expiry with its delivery', {
    us: sumUs(expired, EXPIRIES),
    p50Ms: NaN,
    errors: 0,
  });
}

/** Copies of one expired payment and of its event, over two months, at positions that the fan-out has passed. */
async function storePayments(sql: Postgres, count: number): Promise<void> {
  // A session of the service ends its statements after 4 s.
  await sql`set statement_timeout = 0`;
  for (let from = 0; from < count; from += ROWS_A_STATEMENT) {
    const to = Math.min(count, from + ROWS_A_STATEMENT) - 1;
    await sql`
      with copied as (
        select p.*, n, 'pay_0' || substr(md5(n::text), 1, 25) as new_id,
               now() - interval '60 days' + n * interval '1 second' as new_at
          from generate_series(${from}::integer, ${to}::integer) n,
               (select * from payments where status = 'failed' limit 1) p)
      insert into payments (id, merchant_id, environment, status, amount, currency, payment_method,
                            reference_id, created_at, due_at, version, snapshot)
      select new_id, merchant_id, environment, status, amount, currency, payment_method,
             'order-' || n, new_at, null, version, replace(snapshot, id, new_id) from copied`;
    await sql`
      insert into payment_events (partition, position_ms, position_seq, index, payment_id, version, type, at,
                                  event, merchant_id, environment, envelope)
      select n % 16, 1, n + 1, 0, 'pay_0' || substr(md5(n::text), 1, 25), e.version, e.type,
             now() - interval '60 days' + n * interval '1 second', e.event, e.merchant_id, e.environment,
             replace(e.envelope, e.payment_id, 'pay_0' || substr(md5(n::text), 1, 25))
        from generate_series(${from}::integer, ${to}::integer) n,
             (select * from payment_events where envelope is not null limit 1) e`;
  }
  await sql`vacuum analyze`;
}

function buildRow(name: string, empty: Cost, full: Cost): Row {
  const ratio = full.us / empty.us;
  const errors = empty.errors + full.errors;
  const describe = ({ us, p50Ms }: Cost): string =>
    `${us} µs CPU${Number.isNaN(p50Ms) ? '' : `, p50 ${formatMs(p50Ms)}`}`;
  return {
    bench: name,
    control: describe(empty),
    service: describe(full),
    result: `CPU × ${ratio.toFixed(2)}, ${errors} errors`,
    target: `≤ × ${ALLOWED}, no error`,
    isMet: ratio <= ALLOWED && errors === 0,
  };
}

async function measureAll(stage: Stage, sql: Postgres): Promise<Measured> {
  const before = await countRowsRead(sql);
  const costs = await measureCosts(stage, sql);
  const after = await countRowsRead(sql);
  const rowsRead = new Map(
    [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)]),
  );
  return { costs, rowsRead };
}

function buildRowsReadRow(table: string, empty: RowsRead, full: RowsRead): Row {
  const [before, after] = [empty.get(table) ?? 0, full.get(table) ?? 0];
  const ratio = after / before;
  return {
    bench: `rows of ${table} that queries read`,
    control: formatCount(before),
    service: formatCount(after),
    result: `× ${ratio.toFixed(2)}`,
    target: `≤ × ${ALLOWED}`,
    isMet: ratio <= ALLOWED,
  };
}

async function benchGrowth(stage: Stage, sql: Postgres, count: number): Promise<void> {
  const empty = await measureAll(stage, sql);
  const startedAt = performance.now();
  await storePayments(sql, count);
  const tookS = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${formatCount(count)} payments and as many events stored in ${tookS} s`);
  const full = await measureAll(stage, sql);
  const rows = [...empty.costs].map(([name, cost]) =>
    buildRow(name, cost, full.costs.get(name) ?? cost),
  );
  const read = TABLES.map((table) => buildRowsReadRow(table, empty.rowsRead, full.rowsRead));
  console.log(formatRows([...rows, ...read]));
}

if (isStarted(import.meta.url)) {
  const [count = String(PAYMENTS)] = process.argv.slice(2);
  await onExpiryStage((stage, sql) => benchGrowth(stage, sql, Number(count)));
}
