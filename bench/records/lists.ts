// Does a list stay fast with a million payments? (npm run bench:lists, about ten minutes)
//   node dist/bench/records/lists.js [payments] [seconds a list]
// Each list of a merchant is asked for over HTTP at a steady rate, first with a thousand payments (the control), then with all
// of them. The payments are stored by SQL with the columns and snapshots of real ones; the webhooks process makes them
// searchable itself.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { describeCpu, readCpu, subtractCpu } from '../figures/cpu.js';
import { describeRun, writeSection } from '../figures/readme.js';
import { formatRows, type Row } from '../figures/row.js';
import { formatCount, formatMs, percentile } from '../figures/statistics.js';
import { openSellerSession } from '../load/owner-session.js';
import { createPayments } from '../load/seed-payments.js';
import { sendOnSchedule } from '../load/sender.js';
import { isStarted, onStage, type Stage, watchedOf } from '../stage/stage.js';
import { isAllSearchable } from './searchable.js';

const PAYMENTS = 1_000_000;
const SEEDS = 1_000;
const ROWS_A_STATEMENT = 50_000;
const TARGET_MS = 300;
const RATE = 20;
const SECONDS = 6;
const CONNECTIONS = 8;
const TIMEOUT_MS = 10_000;
const SEARCHABLE_MS = 1_800_000;
const WORTH_WRITING = 1_000_000;
const RARE_EVERY = 100_000;

/** Names and queries of the lists. */
const LISTS: readonly [name: string, query: string][] = [
  ['no filter', ''],
  ['status=paid', 'status=paid'],
  ['status=failed, one in a hundred', 'status=failed'],
  ['reference', 'reference_id=order-4711'],
  ['customer, frequent', 'customer=budi'],
  ['q, frequent word', 'q=jakarta'],
  ['q, two words, the second a beginning', 'q=budi%20jak'],
  ['q, one in a thousand', 'q=kota7'],
  ['q, one in a hundred thousand', 'q=langka'],
  ['q, frequent word, status=failed', 'q=jakarta&status=failed'],
  ['q, no payment', 'q=tidakada'],
];

/** The service, a session of the merchant, and how long each list is asked for. */
interface Asked extends Pick<Stage, 'service'> {
  readonly token: string;
  readonly seconds: number;
}

interface Times {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly errors: number;
}

async function measure({ service, token, seconds }: Asked, query: string): Promise<Times> {
  const tookMs: number[] = [];
  let errors = 0;
  await sendOnSchedule({
    ...{ port: service.port, ratePerSecond: RATE, seconds },
    ...{ connections: CONNECTIONS, timeoutMs: TIMEOUT_MS },
    request: () =>
      `GET /v1/merchants/me/payments?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    onResult: ({ status, scheduledAtMs, endedAtMs }) => {
      if (status !== 200) errors += 1;
      tookMs.push(endedAtMs - scheduledAtMs);
    },
  });
  return { p50Ms: percentile(tookMs, 0.5), p95Ms: percentile(tookMs, 0.95), errors };
}

async function measureLists(asked: Asked): Promise<ReadonlyMap<string, Times>> {
  const times = new Map<string, Times>();
  for (const [name, query] of LISTS) times.set(name, await measure(asked, query));
  for (const query of ['', 'q=jakarta', 'q=kota7']) {
    const cursor = await readCursor(asked, query);
    const name = `second page of ${query === '' ? 'no filter' : query}`;
    times.set(name, await measure(asked, `${query}&cursor=${cursor}`));
  }
  return times;
}

async function readCursor({ service, token }: Asked, query: string): Promise<string> {
  const address = `http://127.0.0.1:${service.port}/v1/merchants/me/payments?limit=1&${query}`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  const { next_cursor: cursor } = (await answer.json()) as { next_cursor: string | null };
  if (cursor === null) throw new Error(`${query} has no second page`);
  return cursor;
}

/** Payments of two months with 900 towns, one of them rare, of which each seventh customer is Budi. */
async function storePayments(sql: Postgres, count: number): Promise<void> {
  await sql.unsafe('set statement_timeout = 0');
  for (let from = 0; from < count; from += ROWS_A_STATEMENT) {
    const to = Math.min(count, from + ROWS_A_STATEMENT) - 1;
    await sql`
      insert into payments (id, merchant_id, environment, status, amount, currency, payment_method, reference_id,
                            created_at, version, snapshot)
      select new_id, merchant_id, environment, new_status, amount, currency, payment_method, 'order-' || n,
             now() - interval '60 days' + n * interval '5 seconds', version,
             replace(replace(replace(replace(replace(snapshot, id, new_id), reference_id, 'order-' || n),
               '"status":"pending"', '"status":"' || new_status || '"'),
               'Budi Santoso', case when n % 7 = 0 then 'Budi ' else 'Siti ' end || md5(n::text)),
               '"metadata":{}', '"metadata":{"kota":"' ||
                 case when n % ${RARE_EVERY} = 50 then 'langka' when n % 3 = 0 then 'jakarta' else 'kota' || n % 1000 end ||
                 '","invoice":"INV-2026-' || n || '"}')
        from generate_series(${from}::integer, ${to}::integer) n
       cross join lateral (select 'pay_0' || left(md5(n::text), 25) as new_id,
                                  case when n % 100 = 1 then 'failed' else 'paid' end as new_status) made
       cross join (select * from payments order by created_at, id limit 1) p`;
  }
  await sql`vacuum analyze payments`;
  await beginSearch(sql);
}

/** Lets the webhooks process read all payments from the first one. */
async function beginSearch(sql: Postgres): Promise<void> {
  await sql`update payment_search_cursors set position_ms = 0, position_seq = 0`;
}

async function waitForSearch(sql: Postgres): Promise<void> {
  await waitUntil(
    'all payments are searchable',
    async () => {
      if (!(await isAllSearchable(sql))) return false;
      const [missing] = await sql`select from payments p where not exists
      (select from payment_search s where s.payment_id = p.id and (s.merchant_id, s.environment, s.created_at)
                                       = (p.merchant_id, p.environment, p.created_at)) limit 1`;
      if (missing === undefined) return true;
      // A round that had read the payments before the new ones were stored moves the cursors over them.
      await beginSearch(sql);
      return false;
    },
    SEARCHABLE_MS,
  );
}

function buildRow(name: string, few: Times, many: Times): Row {
  const describe = ({ p50Ms, p95Ms }: Times): string =>
    `p50 ${formatMs(p50Ms)}, p95 ${formatMs(p95Ms)}`;
  const errors = few.errors + many.errors;
  return {
    ...{ bench: name, control: describe(few), service: describe(many) },
    result: `${errors} errors`,
    target: `p95 < ${TARGET_MS} ms, no error`,
    isMet: many.p95Ms < TARGET_MS && errors === 0,
  };
}

/** Stores the payments and waits until they are searchable. Returns what that cost for each. */
async function fill(stage: Stage, sql: Postgres, payments: number): Promise<string> {
  await storePayments(sql, payments);
  const before = readCpu(watchedOf(stage));
  const beganMs = performance.now();
  await waitForSearch(sql);
  const seconds = (performance.now() - beganMs) / 1_000;
  const cpu = subtractCpu(readCpu(watchedOf(stage)), before);
  await sql`vacuum analyze payment_search`;
  const rate = formatCount(payments / seconds);
  return `Made searchable in ${seconds.toFixed(0)} s (${rate}/s); µs of CPU for each payment: ${describeCpu(cpu, payments)}.`;
}

async function benchLists(stage: Stage, payments: number, seconds: number): Promise<void> {
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1, { deadlineMs: null });
  try {
    await createPayments(stage.service, 1);
    await stage.service.startWebhooks();
    const asked = { service: stage.service, token: await openSellerSession(sql), seconds };
    await storePayments(sql, SEEDS);
    await waitForSearch(sql);
    const few = await measureLists(asked);
    await sql`delete from payment_search where payment_id like 'pay_0%'`;
    await sql`delete from payments where id like 'pay_0%'`;
    const cost = await fill(stage, sql, payments);
    const many = await measureLists(asked);
    const none = { p50Ms: NaN, p95Ms: NaN, errors: 0 };
    const rows = [...many].map(([name, times]) => buildRow(name, few.get(name) ?? none, times));
    const text = `${describeRun(stage.machine)} ${formatCount(payments)} payments, the control with ${formatCount(SEEDS)}. ${cost}\n\n${formatRows(rows)}`;
    console.log(text);
    if (payments >= WORTH_WRITING) writeSection('lists', text);
  } finally {
    await sql.end();
  }
}

if (isStarted(import.meta.url)) {
  const [payments = String(PAYMENTS), seconds = String(SECONDS)] = process.argv.slice(2);
  await onStage((stage) => benchLists(stage, Number(payments), Number(seconds)), {
    ...{ gateways: 1, payments: 1, env: { RATE_LIMIT_SESSION: '0' } },
  });
}
