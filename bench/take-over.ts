// How long does nobody answer for a partition when its payments process is killed, or asked to leave? And
// does a gateway that is asked to leave fail a request?
//   node dist/bench/take-over.js
// A steady open loop runs over all partitions with two payments processes and two gateways. A create that
// is due while its partition has no owner waits for the next one, so the longest wait is the time without
// answers. A connection that closes before the first byte of an answer is an error like any other.
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { waitUntil } from '../ops/dev/launch/wait-until.js';
import type { NodeProcess } from './stage/node-process.js';
import { createRequest, newRun } from './load/requests.js';
import type { Row } from './figures/row.js';
import { sendOnSchedule } from './load/sender.js';
import type { Service } from './stage/service.js';
import { isStarted, onStage } from './stage/stage.js';
import { formatMs, percentile } from './figures/statistics.js';

const RATE = 400;
const CONNECTIONS = 3_000;
const TIMEOUT_MS = 15_000;
const BEFORE_S = 2;
const SPREAD_MS = 20_000;

interface Outage {
  longestMs: number;
  usualMs: number;
  requests: number;
  failed: number;
}

/** Load for `seconds`; after two of them `disturb` happens. */
async function loadWhile(service: Service, seconds: number, disturb: () => void): Promise<Outage> {
  const run = newRun();
  const waits: number[] = [];
  const statuses = new Map<number, number>();
  const load = sendOnSchedule({
    port: service.port,
    ratePerSecond: RATE,
    seconds,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request: (index) => createRequest(service.key, run, index),
    onResult: ({ status, scheduledAtMs, endedAtMs }) => {
      waits.push(endedAtMs - scheduledAtMs);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    },
  });
  await sleep(BEFORE_S * 1000);
  disturb();
  await load;
  const failed = waits.length - (statuses.get(201) ?? 0) - (statuses.get(200) ?? 0);
  if (failed > 0) console.log('  answers by status (0: connection broken):', statuses);
  const [longestMs, usualMs] = [percentile(waits, 1), percentile(waits, 0.5)];
  return { longestMs, usualMs, requests: waits.length, failed };
}

/** Resolves once every partition has an owner and each of `processes` owns some. */
async function waitForSpread(service: Service, processes: number): Promise<void> {
  const sql = postgres(service.databaseUrl, { max: 1 });
  await waitUntil(
    'partitions are spread',
    async () => {
      const owners = await sql<{ owner: string | null; count: number }[]>`
      select p.owner, count(*)::int as count
        from partitions p left join payments_processes s on s.name = p.owner and s.lease_until > now()
       group by p.owner`;
      const counts = owners.map((row) => (row.owner === null ? 0 : row.count));
      return counts.length === processes && Math.max(...counts) - Math.min(...counts) <= 1;
    },
    SPREAD_MS,
  );
  await sql.end();
}

async function disturbPayments(
  service: Service,
  signal: NodeJS.Signals,
  seconds: number,
): Promise<Outage> {
  await waitForSpread(service, 2);
  const victim = takeLast(service.payments);
  const outage = await loadWhile(service, seconds, () => victim.kill(signal));
  await victim.ended;
  return outage;
}

function takeLast(processes: NodeProcess[]): NodeProcess {
  const last = processes.pop();
  if (last === undefined) throw new Error('there is no such process');
  return last;
}

export async function benchTakeOver(): Promise<Row[]> {
  return onStage(
    async ({ service }) => {
      console.log(`take-over, ${RATE} creates/s, 2 payments processes, 2 gateways`);
      const killed = await disturbPayments(service, 'SIGKILL', 10);
      await service.startPayments();
      const left = await disturbPayments(service, 'SIGTERM', 5);
      await service.startPayments();
      await waitForSpread(service, 2);
      const gateway = takeLast(service.gateways);
      const drained = await loadWhile(service, 5, () => gateway.kill('SIGTERM'));
      await gateway.ended;
      return [
        rowOf('kill -9 of a payments process', killed, 2_000),
        rowOf('SIGTERM of a payments process', left, 250),
        rowOf('SIGTERM of one of two gateways', drained, Infinity),
      ];
    },
    { gateways: 2, payments: 2 },
  );
}

function rowOf(bench: string, outage: Outage, limitMs: number): Row {
  const { longestMs, usualMs, requests, failed } = outage;
  const service = `longest wait ${formatMs(longestMs)}, ${failed} of ${requests} failed`;
  console.log(`  ${bench.padEnd(32)}${service}, usual ${formatMs(usualMs)}`);
  return {
    bench,
    control: `undisturbed p50 ${formatMs(usualMs)}`,
    service,
    result: '',
    target: `${limitMs < Infinity ? `≤ ${formatMs(limitMs)} without answers, ` : ''}none failed`,
    isMet: longestMs <= limitMs && failed === 0,
  };
}

if (isStarted(import.meta.url)) await benchTakeOver();
