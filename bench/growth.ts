// Do millions of stored payments make anything slower? The control is the same work on the store before they are in it.
//   node dist/bench/growth.js [payments]
import type { Postgres } from '#store/postgres/client.js';
import { measureExpiries, onExpiryStage, sumUs } from './expiry.js';
import { readCpu, subtractCpu } from './figures/cpu.js';
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

interface Cost {
  readonly us: number;
  readonly p50Ms: number;
  readonly errors: number;
}
type Costs = ReadonlyMap<string, Cost>;

async function measureRequests(
  stage: Stage,
  ratePerSecond: number,
  request: (index: number) => string,
): Promise<Cost> {
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
  const us = sumUs(subtractCpu(readCpu(watchedOf(stage)), before), ratePerSecond * SECONDS);
  return { us, p50Ms: percentile(sortedMs, 0.5), errors };
}

async function measureAll(stage: Stage, sql: Postgres): Promise<Costs> {
  const { key } = stage.service;
  const run = newRun();
  const create = (index: number): string => createRequest(key, run, index);
  // Warms up: code is compiled and pages are in memory.
  await measureRequests(stage, CREATES_A_SECOND, create);
  const rows = await sql<{ id: string; reference: string | null }[]>`
    select id, reference_id as reference from payments tablesample system (1) limit 5000`;
  const all =
    rows.length > 0
      ? rows
      : await sql<typeof rows>`
    select id, reference_id as reference from payments limit 5000`;
  const pick = (index: number): (typeof all)[number] =>
    all[index % all.length] ?? { id: '', reference: '' };
  const next = newRun();
  const costs = new Map([
    [
      'create',
      await measureRequests(stage, CREATES_A_SECOND, (index) => createRequest(key, next, index)),
    ],
    [
      'get',
      await measureRequests(stage, GETS_A_SECOND, (index) => getRequest(key, pick(index).id)),
    ],
    ['list, newest', await measureRequests(stage, LISTS_A_SECOND, () => listRequest(key, ''))],
    [
      'list, failed',
      await measureRequests(stage, LISTS_A_SECOND, () => listRequest(key, 'status=failed')),
    ],
    [
      'list, by reference',
      await measureRequests(stage, LISTS_A_SECOND, (index) =>
        listRequest(key, `reference_id=${pick(index).reference ?? ''}`),
      ),
    ],
  ]);
  const { expired } = await measureExpiries(stage, sql, EXPIRIES);
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
        select *, n, 'pay_0' || substr(md5(n::text), 1, 25) as new_id,
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

async function benchGrowth(stage: Stage, sql: Postgres, count: number): Promise<void> {
  const empty = await measureAll(stage, sql);
  const startedAt = performance.now();
  await storePayments(sql, count);
  const tookS = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${formatCount(count)} payments and as many events stored in ${tookS} s`);
  const full = await measureAll(stage, sql);
  const rows = [...empty].map(([name, cost]) => buildRow(name, cost, full.get(name) ?? cost));
  console.log(formatRows(rows));
}

if (isStarted(import.meta.url)) {
  const [count = String(PAYMENTS)] = process.argv.slice(2);
  await onExpiryStage((stage, sql) => benchGrowth(stage, sql, Number(count)));
}
