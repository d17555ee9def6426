// How long from the commit of an event to its request at the receiver, at a steady 500 events a second?
// Commits go by a fixed schedule; the commit's answer and the request's arrival are told by one clock.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../figures/row.js';
import { formatCount, formatMs, percentile } from '../figures/statistics.js';
import { describeCpu, readCpu, subtractCpu } from '../figures/cpu.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { commitEvents } from './events.js';
import type { BenchEndpoint, WebhookStage } from './stage.js';

const RATE = 500;
const TICK_MS = 10;
const SECONDS = 12;
const WARM_UP_S = 3;
const ARRIVES_MS = 30_000;
const P99_MS = 100;

export interface Load {
  /** When each event's commit was answered, Unix milliseconds. */
  readonly committed: ReadonlyMap<string, number>;
}

/** For whom the event `n` of a schedule is; null: for nobody, and it is left out. */
export type Turn = (n: number) => BenchEndpoint | null;

export const inTurn =
  (endpoints: readonly BenchEndpoint[]): Turn =>
  (n) =>
    endpoints[n % endpoints.length] ?? null;

/** Commits events by schedule, one commit a tick. */
export async function commitOnSchedule(
  stage: WebhookStage,
  turn: Turn,
  ratePerSecond: number,
  seconds: number,
): Promise<Load> {
  const committed = new Map<string, number>();
  const began = performance.now();
  const perTick = (ratePerSecond * TICK_MS) / 1_000;
  const commits: Promise<void>[] = [];
  for (let tick = 0, sent = 0; tick < (seconds * 1_000) / TICK_MS; tick += 1) {
    const upTo = Math.floor((tick + 1) * perTick);
    const chosen: BenchEndpoint[] = [];
    for (; sent < upTo; sent += 1) {
      const endpoint = turn(sent);
      if (endpoint !== null) chosen.push(endpoint);
    }
    if (chosen.length > 0) {
      commits.push(
        commitEvents(stage, chosen, chosen.length).then(({ ids, atMs }) => {
          for (const id of ids) committed.set(id, atMs);
        }),
      );
    }
    const ahead = began + (tick + 1) * TICK_MS - performance.now();
    if (ahead > 0) await sleep(ahead);
  }
  await Promise.all(commits);
  return { committed };
}

/** From commit to arrival, of those that have arrived. */
export async function latenciesOf(stage: WebhookStage, { committed }: Load): Promise<number[]> {
  const { arrivals } = await stage.report(true);
  return arrivals.flatMap(([id, atMs]) => {
    const since = committed.get(id);
    return since === undefined ? [] : [Math.max(0, atMs - since)];
  });
}

export async function benchLatency(stage: WebhookStage): Promise<Row[]> {
  console.log(`latency, ${RATE} events/s to ${stage.endpoints.length} endpoints`);
  const { servers, webhooks, endpoints } = stage;
  await commitOnSchedule(stage, inTurn(endpoints), RATE, WARM_UP_S);
  await stage.forget();
  const watched = { webhooks: webhooks.pid, ...servers.pids };
  const before = readCpu(watched);
  const load = await commitOnSchedule(stage, inTurn(endpoints), RATE, SECONDS);
  await waitUntil(
    'all have arrived',
    async () => {
      return (await stage.report()).requests.ok >= load.committed.size;
    },
    ARRIVES_MS,
  );
  const cpu = subtractCpu(readCpu(watched), before);
  const latencies = await latenciesOf(stage, load);
  const [p50, p99, worst] = [0.5, 0.99, 1].map((part) => percentile(latencies, part));
  const figures = `p50 ${formatMs(p50 ?? NaN)}, p99 ${formatMs(p99 ?? NaN)}`;
  console.log(
    `  ${figures}, worst ${formatMs(worst ?? NaN)}  CPU µs: ${describeCpu(cpu, latencies.length)}`,
  );
  return [
    {
      bench: `committed → first byte, ${formatCount(RATE)}/s`,
      control: '–',
      service: figures,
      result: '',
      target: `p99 ≤ ${P99_MS} ms`,
      isMet: (p99 ?? Infinity) <= P99_MS,
    },
  ];
}
