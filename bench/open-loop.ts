// How long does a create take at 1,000 a second, counted from the moment it was due?
//   node dist/bench/open-loop.js [seconds] [creates a second]
import type { Target } from './stage/control.js';
import { describeCpu, readCpu, subtractCpu } from './figures/cpu.js';
import { createRequest, newRun } from './load/requests.js';
import type { Row } from './figures/row.js';
import { sendOnSchedule } from './load/sender.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';
import { formatCount, formatMs, percentile } from './figures/statistics.js';

const RATE = 1_000;
const CONNECTIONS = 256;
const TIMEOUT_MS = 10_000;
const WARM_UP_S = 3;
const P50_MS = 3;
const P99_MS = 12;

interface Latencies {
  sortedMs: number[];
  errors: number;
}

/** Creates at a steady rate, whatever the target does. */
export async function load(
  target: Target,
  seconds: number,
  ratePerSecond: number,
): Promise<Latencies> {
  const run = newRun();
  const sortedMs: number[] = [];
  let errors = 0;
  await sendOnSchedule({
    port: target.port,
    ratePerSecond,
    seconds,
    connections: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
    request: (index) => createRequest(target.key, run, index),
    onResult: ({ status, scheduledAtMs, endedAtMs }) => {
      if (status !== 201) errors += 1;
      sortedMs.push(endedAtMs - scheduledAtMs);
    },
  });
  return { sortedMs, errors };
}

export async function benchOpenLoop(stage: Stage, seconds = 15, rate = RATE): Promise<Row[]> {
  console.log(`open loop, ${formatCount(rate)} creates/s, ${seconds} s`);
  const figures: string[] = [];
  let isMet = false;
  for (const target of [stage.control, stage.service]) {
    await load(target, WARM_UP_S, rate);
    const before = readCpu(watchedOf(stage));
    const { sortedMs, errors } = await load(target, seconds, rate);
    const cpu = describeCpu(subtractCpu(readCpu(watchedOf(stage)), before), sortedMs.length);
    const [p50, p99] = [percentile(sortedMs, 0.5), percentile(sortedMs, 0.99)];
    const line = `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}, ${errors} errors`;
    const worst = formatMs(percentile(sortedMs, 1));
    console.log(`  ${target.name.padEnd(22)}${line}, worst ${worst}  CPU µs: ${cpu}`);
    figures.push(line);
    isMet = p50 <= P50_MS && p99 <= P99_MS && errors === 0;
  }
  return [
    {
      bench: `open loop, ${formatCount(rate)} creates/s`,
      control: `${figures[0]} (for information)`,
      service: figures[1] ?? '',
      result: '',
      target: `p50 ≤ ${P50_MS} ms, p99 ≤ ${P99_MS} ms, no error`,
      isMet,
    },
  ];
}

if (isStarted(import.meta.url)) {
  const [seconds = '15', rate = String(RATE)] = process.argv.slice(2);
  await onStage((stage) => benchOpenLoop(stage, Number(seconds), Number(rate)));
}
