// Does a storm of expiries delay creates? Many unpaid payments expire within some seconds, as after a flash sale, beside a
// few creates a second. The control is the same creates before the storm.
//   node dist/bench/storm.js [payments]
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { formatRows } from './figures/row.js';
import { formatCount, formatMs, percentile } from './figures/statistics.js';
import { createRequest, newRun } from './load/requests.js';
import { sendOnSchedule } from './load/sender.js';
import { load } from './open-loop.js';
import { isStarted, onStage, type Stage } from './stage/stage.js';

const PAYMENTS = 50_000;
/** The payments expire within so many seconds. */
const STORM_S = 9;
const SEED_RATE = 2_000;
const SEED_CONNECTIONS = 64;
const TIMEOUT_MS = 10_000;
const MIN_EXPIRES_IN_S = 60;
const RATE = 100;
const QUIET_S = 10;
const ALLOWED = 2;
const SETTLES_MS = 600_000;

/** Creates payments whose expiries lie within STORM_S, however long the creates take; returns when the first is due. */
export async function createUnpaid({ service }: Stage, count: number): Promise<number> {
  const run = newRun();
  const seconds = count / SEED_RATE;
  const firstDueMs = Date.now() + (seconds + MIN_EXPIRES_IN_S) * 1_000;
  await sendOnSchedule({
    port: service.port,
    ratePerSecond: SEED_RATE,
    seconds,
    connections: SEED_CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request: (index) => {
      const dueMs = firstDueMs + (index / count) * STORM_S * 1_000;
      const expiresInS = Math.max(MIN_EXPIRES_IN_S, Math.round((dueMs - Date.now()) / 1_000));
      return createRequest(service.key, run, index, { expiresInS });
    },
    onResult: ({ status, body }) => {
      if (status !== 201) throw new Error(`a create got ${status}: ${body}`);
    },
  });
  return firstDueMs;
}

export const sleepUntil = (atMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - Date.now())));

async function waitUntilExpired(sql: Postgres, count: number): Promise<void> {
  const endMs = Date.now() + SETTLES_MS;
  while (Date.now() < endMs) {
    const [row] = await sql<{ expired: number }[]>`
      select count(*)::int as expired from payments where status = 'failed'`;
    if ((row?.expired ?? 0) >= count) return;
    await sleepUntil(Date.now() + 250);
  }
  throw new Error('the payments do not expire');
}

async function benchStorm(stage: Stage, count: number): Promise<void> {
  const firstDueMs = await createUnpaid(stage, count);
  const quiet = await load(stage.service, QUIET_S, RATE);
  await sleepUntil(firstDueMs - 1_000);
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1, { deadlineMs: null });
  const [storm] = await Promise.all([
    load(stage.service, STORM_S + 6, RATE),
    waitUntilExpired(sql, count),
  ]);
  const tookS = (Date.now() - firstDueMs) / 1_000;
  await sql.end();
  const describe = ({ sortedMs, errors }: typeof quiet): string =>
    `p50 ${formatMs(percentile(sortedMs, 0.5))}, p99 ${formatMs(percentile(sortedMs, 0.99))}, ${errors} errors`;
  const ratio = percentile(storm.sortedMs, 0.99) / percentile(quiet.sortedMs, 0.99);
  console.log(
    formatRows([
      {
        bench: `${RATE} creates/s beside ${formatCount(count)} expiries within ${STORM_S} s`,
        control: describe(quiet),
        service: describe(storm),
        result: `p99 × ${ratio.toFixed(2)}; all expired ${tookS.toFixed(1)} s after the first was due`,
        target: `p99 ≤ × ${ALLOWED}, no error`,
        isMet: ratio <= ALLOWED && storm.errors === 0,
      },
    ]),
  );
}

if (isStarted(import.meta.url)) {
  const [count = String(PAYMENTS)] = process.argv.slice(2);
  await onStage((stage) => benchStorm(stage, Number(count)), {
    gateways: 1,
    payments: 1,
    rails: 1,
  });
}
