// Does a storm of expiries delay creates, and how fast are its webhooks delivered? Many unpaid payments expire within some
// seconds, as after a flash sale, beside a few creates a second. The control is the same creates before the storm.
//   node dist/bench/storm.js [payments]
import type { Postgres } from '#store/postgres/client.js';
import { countDelivered, onExpiryStage } from './expiry.js';
import { formatRows, type Row } from './figures/row.js';
import { formatCount, formatMs, percentile } from './figures/statistics.js';
import { createUnpaid, sleepUntil, STORM_S } from './load/unpaid.js';
import { load } from './open-loop.js';
import { isStarted, type Stage } from './stage/stage.js';

const PAYMENTS = 50_000;
const RATE = 100;
const QUIET_S = 10;
/** Creates are sent for so long: a storm lasts longer than its expiries are due. */
const BESIDE_S = STORM_S + 6;
const ALLOWED = 2;
const DELIVERED_A_SECOND = 1_000;
const SETTLES_MS = 600_000;

type Latencies = Awaited<ReturnType<typeof load>>;

interface Progress {
  /** Webhooks delivered in each second after the first payment was due. */
  readonly delivered: readonly number[];
  /** Seconds from the first due time. */
  readonly expiredAfterS: number;
}

/** Follows the storm from the first due time until every payment has expired and its webhook is delivered. */
async function followStorm(sql: Postgres, firstDueMs: number, count: number): Promise<Progress> {
  const delivered: number[] = [];
  let sum = 0;
  let expiredAfterS = 0;
  await sleepUntil(firstDueMs);
  for (let second = 1; Date.now() < firstDueMs + SETTLES_MS; second += 1) {
    await sleepUntil(firstDueMs + second * 1_000);
    const total = await countDelivered(sql);
    delivered.push(total - sum);
    sum = total;
    if (expiredAfterS === 0 && (await countExpired(sql)) >= count) expiredAfterS = second;
    if (sum >= count) return { delivered, expiredAfterS };
  }
  throw new Error('the payments do not expire, or their webhooks are not delivered');
}

async function countExpired(sql: Postgres): Promise<number> {
  const [row] = await sql<{ expired: number }[]>`
    select count(*)::int as expired from payments where status = 'failed'`;
  return row?.expired ?? 0;
}

async function benchStorm(stage: Stage, sql: Postgres, count: number): Promise<void> {
  const firstDueMs = await createUnpaid(stage.service, count);
  const quiet = await load(stage.service, QUIET_S, RATE);
  await sleepUntil(firstDueMs - 1_000);
  const [storm, progress] = await Promise.all([
    load(stage.service, BESIDE_S, RATE),
    followStorm(sql, firstDueMs, count),
  ]);
  console.log(formatRows([rowOfCreates(count, quiet, storm), rowOfDeliveries(progress)]));
}

function rowOfCreates(count: number, quiet: Latencies, storm: Latencies): Row {
  const describe = ({ sortedMs, errors }: Latencies): string =>
    `p50 ${formatMs(percentile(sortedMs, 0.5))}, p99 ${formatMs(percentile(sortedMs, 0.99))}, ${errors} errors`;
  const ratio = percentile(storm.sortedMs, 0.99) / percentile(quiet.sortedMs, 0.99);
  return {
    bench: `${RATE} creates/s beside ${formatCount(count)} expiries within ${STORM_S} s`,
    control: describe(quiet),
    service: describe(storm),
    result: `p99 × ${ratio.toFixed(2)}`,
    target: `p99 ≤ × ${ALLOWED}, no error`,
    isMet: ratio <= ALLOWED && storm.errors === 0,
  };
}

function rowOfDeliveries({ delivered, expiredAfterS }: Progress): Row {
  // The last second is not a whole one.
  const whole = delivered.slice(0, -1);
  const first = delivered[0] ?? 0;
  const median = percentile(whole, 0.5);
  return {
    bench: 'webhooks of these expiries',
    control: '–',
    service: `${formatCount(first)} in the first second, then ${formatCount(median)}/s (median)`,
    result: `all expired after ${expiredAfterS} s, all delivered after ${delivered.length} s`,
    target: `≥ ${formatCount(DELIVERED_A_SECOND)}/s from the first second`,
    isMet: first >= DELIVERED_A_SECOND && median >= DELIVERED_A_SECOND,
  };
}

if (isStarted(import.meta.url)) {
  const [count = String(PAYMENTS)] = process.argv.slice(2);
  await onExpiryStage((stage, sql) => benchStorm(stage, sql, Number(count)));
}
