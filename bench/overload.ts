// What is left of the throughput when five times as much is asked as can be carried, and does it come back?
//   node dist/bench/overload.js [seconds]
// On one machine a generator of five times the load would take the CPU that the load needs. So what can be
// carried is made small instead: the payments process is held still most of the time (SIGSTOP, SIGCONT),
// as if it had a fiftieth of a core. The gateway and the rest run free.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRequest, newRun } from './load/requests.js';
import { sendOnSchedule } from './load/sender.js';
import { isStarted, onStage, type Stage } from './stage/stage.js';
import { formatCount, formatMs, percentile } from './figures/statistics.js';
import { ensureWrk, rateOf, runWrk } from './load/wrk.js';

const TIMES = 5;
const GOODPUT = 0.9;
const CONNECTIONS = 8_000;
const TIMEOUT_MS = 15_000;
const RECOVERY_SHARE = 0.7;
const BEST_CONNECTIONS = [256, 1_000];

interface Load {
  goodPerSecond: number;
  statuses: Map<number, number>;
  /** Answers below 400 only. */
  p99GoodMs: number;
  p99RefusedMs: number;
}

function holdBack(pid: number): ChildProcess {
  const loop = `while kill -STOP ${pid}; do sleep 0.098; kill -CONT ${pid}; sleep 0.002; done`;
  return spawn('sh', ['-c', loop], { stdio: 'ignore' });
}

/** `seconds` of open loop; goodput counts the second half, when every queue is full. */
async function load(stage: Stage, ratePerSecond: number, seconds: number): Promise<Load> {
  const { service } = stage;
  const run = newRun();
  const statuses = new Map<number, number>();
  const good: number[] = [];
  const refused: number[] = [];
  const beganAtMs = performance.now();
  let goodInHalf = 0;
  await sendOnSchedule({
    port: service.port,
    ratePerSecond,
    seconds,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request: (index) => createRequest(service.key, run, index),
    onResult: ({ status, scheduledAtMs, endedAtMs }) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isGood = status === 201 || status === 200;
      (isGood ? good : refused).push(endedAtMs - scheduledAtMs);
      const atS = (endedAtMs - beganAtMs) / 1000;
      if (isGood && atS > seconds / 2 && atS <= seconds) goodInHalf += 1;
    },
  });
  return {
    goodPerSecond: goodInHalf / (seconds / 2),
    statuses,
    p99GoodMs: percentile(good, 0.99),
    p99RefusedMs: percentile(refused, 0.99),
  };
}

async function findBest({ service }: Stage, seconds: number): Promise<number> {
  const rates: number[] = [];
  for (const connections of BEST_CONNECTIONS) {
    const args = ['/v1/payments', service.key, newRun()];
    const { port } = service;
    const run = await runWrk({ script: 'create.lua', port, connections, seconds, args });
    rates.push(rateOf(run));
  }
  return Math.max(...rates);
}

function tell(what: string, { goodPerSecond, statuses, p99GoodMs, p99RefusedMs }: Load): void {
  const counts = [...statuses].map(([status, count]) => `${status}: ${formatCount(count)}`);
  console.log(
    `  ${what.padEnd(12)} ${formatCount(goodPerSecond)}/s good, p99 ${formatMs(p99GoodMs)}, ` +
      `p99 refused ${formatMs(p99RefusedMs)}, answers ${counts.join(', ')}`,
  );
}

async function benchOverload(stage: Stage, seconds: number): Promise<void> {
  ensureWrk();
  const pid = stage.service.payments[0]?.pid ?? 0;
  const brake = holdBack(pid);
  try {
    const best = await findBest(stage, seconds);
    console.log(`best: ${formatCount(best)} creates/s`);
    const over = await load(stage, best * TIMES, seconds);
    tell(`${TIMES} times`, over);
    await sleep(1_000);
    const after = await load(stage, best * RECOVERY_SHARE, seconds);
    tell('afterwards', after);
    const share = over.goodPerSecond / best;
    const failed = [...after.statuses].some(([status]) => status !== 201 && status !== 200);
    console.log(
      `goodput ${(share * 100).toFixed(0)} % of the best: ` +
        `${share >= GOODPUT ? 'reached' : 'MISSED'}; recovery ${failed ? 'MISSED' : 'reached'}`,
    );
  } finally {
    brake.kill('SIGKILL');
    process.kill(pid, 'SIGCONT');
  }
}

if (isStarted(import.meta.url)) {
  const [seconds = '10'] = process.argv.slice(2);
  await onStage((stage) => benchOverload(stage, Number(seconds)));
}
