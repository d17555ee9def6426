// Do millions of stored payments make anything slower, and how many bytes does each take? The control is the same work on the store
// before they are in it.
//   node dist/bench/growth.js [payments]      about 3.5 kB of disk each
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '#store/postgres/client.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { measureExpiries, onExpiryStage, sumUs } from './expiry.js';
import { type CpuSeconds, describeCpu, readCpu, subtractCpu } from './figures/cpu.js';
import { formatRows, type Row } from './figures/row.js';
import { formatCount, formatMs, percentile } from './figures/statistics.js';
import { openSellerSession } from './load/owner-session.js';
import { createRequest, getRequest, listRequest, newRun, searchRequest } from './load/requests.js';
import { createPayments } from './load/seed-payments.js';
import { sendOnSchedule } from './load/sender.js';
import { printBytes, tellLongWork, tellSeconds } from './records/long-work.js';
import { nameCustomer, storeManyPayments, timeOf } from './records/many-payments.js';
import { isAllSearchable } from './records/searchable.js';
import { isStarted, type Stage, watchedOf } from './stage/stage.js';

const PAYMENTS = 3_000_000;
/** The newest payments, whose words are stored. */
const SEARCHABLE = 1_000_000;
const SEARCHABLE_WITHIN_MS = 900_000;
/** Those of which requests read rows. */
const READ_TABLES = ['payments', 'payment_events'] as const;
const ALLOWED = 1.2;
const EXPIRIES = 3_000;
const SECONDS = 8;
const CREATES_A_SECOND = 1_000;
const GETS_A_SECOND = 1_000;
const LISTS_A_SECOND = 100;
const SEARCHES_A_SECOND = 20;
const CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
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
      from pg_stat_user_tables where relname = any(${[...READ_TABLES]}::text[])`;
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

/** Some payments of the merchant whose key asks; all of them while they are few. */
async function pickStored(sql: Postgres, merchantId: string): Promise<readonly Stored[]> {
  const some = await sql<Stored[]>`
    select id, reference_id as reference from payments tablesample system (1)
     where merchant_id = ${merchantId} limit 5000`;
  if (some.length > 0) return some;
  return sql<Stored[]>`
    select id, reference_id as reference from payments where merchant_id = ${merchantId} limit 5000`;
}

/** The merchant of the bench, and how many payments there are to be besides its own. */
interface Asker {
  readonly merchantId: string;
  /** Of a session, which searches. */
  readonly token: string;
  readonly count: number;
}

async function measureCosts(stage: Stage, sql: Postgres, asker: Asker): Promise<Costs> {
  const { merchantId, token, count } = asker;
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
  const searches = (name: string, words: (index: number) => string): Work => ({
    name,
    ratePerSecond: SEARCHES_A_SECOND,
    request: (index) => searchRequest(token, words(index)),
  });
  // Code is compiled and pages are in memory.
  await measureWork(stage, creates('warm-up'));
  // Before the lists, so that there are failed payments in the smaller store too.
  const { expired } = await measureExpiries(stage, sql, EXPIRIES);
  printCpu('expiry', expired, EXPIRIES);
  const stored = await pickStored(sql, merchantId);
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
    searches('search, one payment', (index) => `order-${count - 1 - index}`),
    searches('search, one in 5,000', (index) => nameCustomer(index)),
    searches('search, frequent word', () => 'budi'),
  ];
  const costs = new Map<string, Cost>();
  for (const work of works) costs.set(work.name, await measureWork(stage, work));
  return costs.set('expiry with its delivery', {
    us: sumUs(expired, EXPIRIES),
    p50Ms: NaN,
    errors: 0,
  });
}

/** A payment that is paid, for the copies. Returns its merchant. */
async function makePaid({ service }: Stage, sql: Postgres): Promise<string> {
  const [id = ''] = await createPayments(service, 1);
  await fetch(`http://127.0.0.1:${service.port}/v1/sandbox/payments/${id}/simulate`, {
    ...{
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"outcome":"paid"}',
    },
  });
  return waitUntil('the payment is paid', async () => {
    const [row] = await sql<{ merchant: string }[]>`
      select merchant_id as merchant from payments where id = ${id} and status = 'paid'`;
    return row?.merchant;
  });
}

/** Lets the webhooks process make the newest payments findable, and waits for it. */
async function searchNewest(sql: Postgres, count: number): Promise<void> {
  const fromMs = timeOf(count - SEARCHABLE, count).getTime();
  await sql`update payment_search_cursors set position_ms = ${fromMs}, position_seq = 0`;
  await waitUntil('all is findable', () => isAllSearchable(sql), SEARCHABLE_WITHIN_MS);
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

async function measureAll(stage: Stage, sql: Postgres, asker: Asker): Promise<Measured> {
  const before = await countRowsRead(sql);
  const costs = await measureCosts(stage, sql, asker);
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
  // A session of the service ends its statements after 4 s.
  await sql`set statement_timeout = 0`;
  const merchantId = await makePaid(stage, sql);
  const asker: Asker = { merchantId, token: await openSellerSession(sql), count };
  const empty = await measureAll(stage, sql, asker);
  await tellSeconds(`${formatCount(count)} payments stored`, async () => {
    await storeManyPayments({ databaseUrl: stage.service.databaseUrl, count });
    return `with their events and postings`;
  });
  await tellSeconds('analyzed', async () => {
    await sql`vacuum analyze`;
    return 'all tables';
  });
  await tellSeconds('search', async () => {
    await searchNewest(sql, count);
    return `${formatCount(Math.min(count, SEARCHABLE))} payments made findable`;
  });
  await sql`vacuum analyze payment_search`;
  const full = await measureAll(stage, sql, asker);
  await printBytes(sql);
  await tellLongWork(sql, stage.service.port, asker.token);
  const rows = [...empty.costs].map(([name, cost]) =>
    buildRow(name, cost, full.costs.get(name) ?? cost),
  );
  const read = READ_TABLES.map((table) => buildRowsReadRow(table, empty.rowsRead, full.rowsRead));
  console.log(formatRows([...rows, ...read]));
}

if (isStarted(import.meta.url)) {
  const [count = String(PAYMENTS)] = process.argv.slice(2);
  await onExpiryStage((stage, sql) => benchGrowth(stage, sql, Number(count)));
}
