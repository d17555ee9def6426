// How many payments a second can be created against what one would build instead: an ordinary service, a queue-first service on
// BullMQ, and a command handler on emmett's event store? All are durable when they answer.
//   node dist/bench/rivals.js [seconds a run] [rounds] [creates a second]
// With the last argument they come at that steady rate, counted from when each was due, instead of over 64 and 256 connections.
import { readCpu, subtractCpu, type Watched } from './figures/cpu.js';
import { formatCount, formatMs, median, percentile } from './figures/statistics.js';
import { newRun } from './load/requests.js';
import { checkAnswers } from './load/same-answers.js';
import { compare, type Cost, costOf, WARM_UP_S } from './load/versus.js';
import { ensureWrk } from './load/wrk.js';
import { load } from './open-loop.js';
import { startEventStore, startQueueFirst, type Target } from './stage/control.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';

const CONNECTIONS = [64, 256];

interface Figures extends Cost {
  readonly target: Target;
  readonly ratePerSecond: number;
  readonly p50Ms: number;
  readonly p95Ms?: number;
  readonly p99Ms: number;
  readonly failures: number;
}

interface Field {
  readonly targets: readonly Target[];
  readonly watched: Watched;
}

async function benchClosed(
  { targets, watched }: Field,
  connections: number,
  seconds: number,
  rounds: number,
): Promise<Figures[]> {
  const contenders = targets.map((target) => ({
    ...{ name: target.name, target },
    args: () => ['/v1/payments', target.key, newRun()],
  }));
  const test = { script: 'create.lua', connections, seconds, rounds, watched } as const;
  const measured = await compare(contenders, test);
  return measured.flatMap((one, index) => {
    const target = targets[index];
    return target === undefined
      ? []
      : [{ ...one, target, ...costOf(target, one.cpu, one.answers) }];
  });
}

async function measureSteady(
  target: Target,
  watched: Watched,
  seconds: number,
  rate: number,
): Promise<Figures> {
  const before = readCpu(watched);
  const { sortedMs, errors } = await load(target, seconds, rate);
  const cpu = subtractCpu(readCpu(watched), before);
  return {
    ...{ target, ratePerSecond: rate, failures: errors },
    p50Ms: percentile(sortedMs, 0.5),
    p95Ms: percentile(sortedMs, 0.95),
    p99Ms: percentile(sortedMs, 0.99),
    ...costOf(target, cpu, sortedMs.length),
  };
}

/** Medians of the rounds; the description is that of the last. */
async function benchSteady(
  { targets, watched }: Field,
  rate: number,
  seconds: number,
  rounds: number,
): Promise<Figures[]> {
  const runs = new Map<Target, Figures[]>(targets.map((target) => [target, []]));
  for (const target of targets) await load(target, WARM_UP_S, rate);
  for (let round = 0; round < rounds; round += 1) {
    for (const [target, list] of runs) {
      const run = await measureSteady(target, watched, seconds, rate);
      console.log(`  ${describeFigures(run)}`);
      list.push(run);
    }
  }
  return [...runs].map(([target, list]) => {
    const middle = (pick: (run: Figures) => number): number => median(list.map(pick));
    return {
      ...{ target, ratePerSecond: rate, description: list.at(-1)?.description ?? '' },
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p95Ms: middle(({ p95Ms = NaN }) => p95Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      cpuUs: middle(({ cpuUs }) => cpuUs),
      failures: list.reduce((sum, { failures }) => sum + failures, 0),
    };
  });
}

function describeFigures(one: Figures): string {
  return [
    one.target.name.padEnd(8),
    `${formatCount(one.ratePerSecond).padStart(7)}/s`,
    `p50 ${formatMs(one.p50Ms)}`,
    ...(one.p95Ms === undefined ? [] : [`p95 ${formatMs(one.p95Ms)}`]),
    `p99 ${formatMs(one.p99Ms)}`,
    `errors ${one.failures}`,
    `CPU µs ${Math.round(one.cpuUs)}: ${one.description}`,
  ].join('  ');
}

/** A row of the table in README.md: the figures of one target, and those of the service divided by them. */
function rowOf(title: string, one: Figures, service: Figures): string {
  const ratio = (pick: (figures: Figures) => number): string =>
    one === service ? '–' : `${(pick(service) / pick(one)).toFixed(2)} ×`;
  const latencies = [one.p50Ms, ...(one.p95Ms === undefined ? [] : [one.p95Ms]), one.p99Ms];
  const cells = [
    title,
    one.target.name,
    `${formatCount(one.ratePerSecond)}/s`,
    latencies.map(formatMs).join(', '),
    `${Math.round(one.cpuUs)} µs`,
    ratio(({ ratePerSecond }) => ratePerSecond),
    ratio(({ p50Ms }) => p50Ms),
    ratio(({ cpuUs }) => cpuUs),
  ];
  return `| ${cells.join(' | ')} |`;
}

function printTable(isSteady: boolean, measured: ReadonlyMap<string, readonly Figures[]>): void {
  const latencies = isSteady ? 'p50, p95, p99' : 'p50, p99';
  console.log(`\n| Load | | Creates | ${latencies} | CPU | Service: creates | p50 | CPU |`);
  console.log('|---|---|---|---|---|---|---|---|');
  for (const [title, figures] of measured) {
    const service = figures.at(-1);
    for (const one of figures) if (service !== undefined) console.log(rowOf(title, one, service));
  }
}

async function benchRivals(
  field: Field,
  seconds: number,
  rounds: number,
  rate?: number,
): Promise<void> {
  await checkAnswers(field.targets);
  console.log('all answer creates, repeats and conflicts alike');
  const measured = new Map<string, readonly Figures[]>();
  if (rate !== undefined) {
    const title = `${formatCount(rate)} creates/s`;
    console.log(title);
    measured.set(title, await benchSteady(field, rate, seconds, rounds));
  } else {
    ensureWrk();
    for (const connections of CONNECTIONS) {
      const title = `${connections} connections`;
      console.log(title);
      const figures = await benchClosed(field, connections, seconds, rounds);
      for (const one of figures) console.log(`  ${describeFigures(one)}`);
      measured.set(title, figures);
    }
  }
  printTable(rate !== undefined, measured);
}

/** Starts the rivals beside the control and the service of the stage. */
async function withRivals(stage: Stage, work: (field: Field) => Promise<void>): Promise<void> {
  const rivals: Target[] = [];
  try {
    for (const start of [startQueueFirst, startEventStore]) rivals.push(await start(stage.servers));
    const processes = rivals.flatMap((rival) => rival.processes);
    const watched = Object.fromEntries(processes.map(({ name, pid }) => [name, pid]));
    const targets = [stage.control, ...rivals, stage.service];
    await work({ targets, watched: { ...watchedOf(stage), ...watched } });
  } finally {
    for (const rival of rivals) await rival.stop();
  }
}

if (isStarted(import.meta.url)) {
  const [seconds = '6', rounds = '3', rate] = process.argv.slice(2);
  await onStage((stage) =>
    withRivals(stage, (field) =>
      benchRivals(
        field,
        Number(seconds),
        Number(rounds),
        rate === undefined ? undefined : Number(rate),
      ),
    ),
  );
}
