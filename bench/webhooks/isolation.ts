// Does a dead endpoint delay the others? 300 events a second for 100 endpoints; of every ten, nine are for the
// healthy ones and one is for the dead. The control is the same without the dead one's events: the same healthy
// load, in as many commits. Control and case take turns on one stage, in short windows, since the machine itself
// drifts by more than what is asked: a result is the median of what each pair of neighbours differs by. Dead
// endpoints are new at the start and again every few rounds, so that the time before their breaker opens counts as
// well as that behind it. Latency is from commit to arrival, of the healthy, in microseconds of one clock.
import type { Row } from '../figures/row.js';
import { formatMs, median, percentile } from '../figures/statistics.js';
import { describeCpu, readCpu, subtractCpu } from '../figures/cpu.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  buildDeferredKey,
  buildDueKey,
  buildLanesKey,
  buildOverflowKey,
} from '#store/redis/keys.js';
import { findDeliveryPartition } from '#store/redis/webhooks/delivery-partitions.js';
import { commitOnSchedule, inTurn, latenciesOf, type Turn } from './latency.js';
import type { Manner } from './receiver.js';
import { type BenchEndpoint, onWebhookStage, type WebhookStage } from './stage.js';

const ENDPOINTS = 100;
const RATE = 300;
/** One of so many events is for the dead. */
const DEAD_SHARE = 10;
const ROUNDS = 12;
/** Rounds after which others die; together longer than the deadlines that open a breaker. */
const DEAD_FOR_ROUNDS = 4;
const SECONDS = 5;
const WARM_UP_S = 5;
const ARRIVES_MS = 30_000;
const P50 = 1.1;
const P99 = 1.25;

interface Case {
  readonly name: string;
  readonly dead: number;
  readonly manner: Manner;
}

const CASES: Readonly<Record<string, Case>> = {
  hang: { name: '1 of 100 hangs', dead: 1, manner: 'hang' },
  'hang-30': { name: '30 of 100 hang', dead: 30, manner: 'hang' },
  drip: { name: '1 drips', dead: 1, manner: 'drip' },
  stall: { name: '1 stalls TLS', dead: 1, manner: 'stall' },
  reset: { name: '1 resets', dead: 1, manner: 'reset' },
  throttle: { name: '1 answers 429', dead: 1, manner: 'throttle' },
};
export const ISOLATION_CASES: readonly string[] = Object.keys(CASES);

interface Measured {
  readonly p50: number;
  readonly p99: number;
}

/** `only`: some of the cases; all of them unless given. */
export async function benchIsolation(only: readonly string[] = ISOLATION_CASES): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [key, one] of Object.entries(CASES)) {
    if (only.includes(key)) rows.push(await benchCase(one));
  }
  return rows;
}

function benchCase({ name, dead, manner }: Case): Promise<Row> {
  const manners = [
    ...Array.from({ length: ENDPOINTS - dead }, (): Manner => 'ok'),
    ...Array.from({ length: dead * (ROUNDS / DEAD_FOR_ROUNDS) }, () => manner),
  ];
  return onWebhookStage(manners, async (stage) => {
    console.log(`isolation: ${name}`);
    const good = stage.endpoints.filter((endpoint) => endpoint.manner === 'ok');
    const all = stage.endpoints.filter((endpoint) => endpoint.manner !== 'ok');
    await commitOnSchedule(stage, inTurn(good), RATE, WARM_UP_S);
    const [controls, services]: [Measured[], Measured[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const from = dead * Math.floor(round / DEAD_FOR_ROUNDS);
      const deadOnes = all.slice(from, from + dead);
      const control = async () => controls.push(await measure(stage, 'alone', turnOf(good, [])));
      const service = async () => {
        services.push(await measure(stage, 'with it', turnOf(good, deadOnes)));
        await forgetBacklog(stage, deadOnes);
      };
      // The order alternates from round to round.
      for (const step of round % 2 === 0 ? [control, service] : [service, control]) await step();
    }
    return rowOf(name, controls, services);
  });
}

const turnOf =
  (good: readonly BenchEndpoint[], dead: readonly BenchEndpoint[]): Turn =>
  (n) => {
    const before = Math.floor(n / DEAD_SHARE);
    if (n % DEAD_SHARE === DEAD_SHARE - 1) return dead[before % dead.length] ?? null;
    return good[(n - before) % good.length] ?? null;
  };

async function measure(stage: WebhookStage, what: string, turn: Turn): Promise<Measured> {
  const { servers, receiver, webhooks } = stage;
  const watched = { webhooks: webhooks.pid, ...servers.pids, receiver: receiver.pid };
  await stage.forget();
  const before = readCpu(watched);
  const load = await commitOnSchedule(stage, turn, RATE, SECONDS);
  const wanted = RATE * SECONDS * (1 - 1 / DEAD_SHARE);
  await waitUntil(
    'the healthy have everything',
    async () => {
      return (await stage.report()).requests.ok >= wanted;
    },
    ARRIVES_MS,
  );
  const cpu = subtractCpu(readCpu(watched), before);
  const latencies = await latenciesOf(stage, load);
  const measured = { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  console.log(
    `  ${what.padEnd(8)}${describe(measured)}  CPU µs: ${describeCpu(cpu, latencies.length)}`,
  );
  return measured;
}

/** Deletes the backlog of the dead endpoint, so that the next round begins empty. */
async function forgetBacklog(
  { sql, redis }: WebhookStage,
  dead: readonly BenchEndpoint[],
): Promise<void> {
  for (const { id } of dead) {
    const partition = findDeliveryPartition(id);
    const rows = await sql<{ id: string }[]>`
      delete from webhook_deliveries where endpoint_id = ${id} returning id`;
    const waiting = rows.map((delivery) => `${id} ${delivery.id}`);
    if (waiting.length > 0) await redis.zrem(buildDueKey(partition), ...waiting);
    await redis.del(buildDeferredKey(partition, id));
    await redis.zrem(buildLanesKey(partition), id);
    await redis.hdel(buildOverflowKey(partition), id);
  }
}

function rowOf(name: string, controls: readonly Measured[], services: readonly Measured[]): Row {
  const differs = (part: keyof Measured): number =>
    median(services.map((service, round) => service[part] / (controls[round]?.[part] ?? NaN)));
  const [p50, p99] = [differs('p50'), differs('p99')];
  return {
    bench: `isolation: ${name}`,
    control: describe(medianOf(controls)),
    service: describe(medianOf(services)),
    result: `p50 ${percents(p50)}, p99 ${percents(p99)}`,
    target: 'p50 + ≤ 10 %, p99 + ≤ 25 %',
    isMet: p50 <= P50 && p99 <= P99,
  };
}

const medianOf = (rounds: readonly Measured[]): Measured => ({
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
});

const describe = ({ p50, p99 }: Measured): string =>
  `p50 ${p50.toFixed(2)} ms, p99 ${formatMs(p99)}`;

function percents(ratio: number): string {
  const percent = Math.round((ratio - 1) * 100);
  return `${percent >= 0 ? '+' : '−'} ${Math.abs(percent)} %`;
}
