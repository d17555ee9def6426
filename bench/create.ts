// How many payments a second can be created, durably, against an ordinary service on the same servers?
//   node dist/bench/create.js [seconds a run] [rounds]
import type { Target } from './stage/control.js';
import { newRun } from './load/requests.js';
import type { Row } from './figures/row.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';
import { formatCount, formatMs } from './figures/statistics.js';
import { compare, type Contender, describe, type Measured } from './load/versus.js';
import { ensureWrk } from './load/wrk.js';

const TARGETS = new Map([
  [64, 5],
  [256, 8],
]);

function creates(name: string, target: Target, path = '/v1/payments'): Contender {
  return { name, target, args: () => [path, target.key, newRun()] };
}

export async function benchCreate(stage: Stage, seconds = 6, rounds = 2): Promise<Row[]> {
  ensureWrk();
  const rows: Row[] = [];
  for (const [connections, atLeast] of TARGETS) {
    console.log(`create, ${connections} connections`);
    const test = { script: 'create.lua', connections, seconds, rounds } as const;
    const measured = await compare(
      [
        creates('control', stage.control),
        creates('service', stage.service),
        creates('control, 1 statement', stage.control, '/statement/payments'),
      ],
      { ...test, watched: watchedOf(stage) },
    );
    for (const one of measured) console.log(`  ${describe(one)}`);
    rows.push(rowOf(connections, atLeast, measured));
  }
  return rows;
}

function rowOf(connections: number, atLeast: number, measured: readonly Measured[]): Row {
  const [control, service, statement] = measured;
  if (control === undefined || service === undefined || statement === undefined) throw new Error();
  const ratio = service.ratePerSecond / control.ratePerSecond;
  const figures = (one: Measured): string =>
    `${formatCount(one.ratePerSecond)}/s, p99 ${formatMs(one.p99Ms)}`;
  return {
    bench: `create, ${connections} connections`,
    control: `${figures(control)} (one statement: ${formatCount(statement.ratePerSecond)}/s)`,
    service: figures(service),
    result: `${ratio.toFixed(1)} ×`,
    target: `≥ ${atLeast} ×, p99 no worse, no error`,
    isMet: ratio >= atLeast && service.p99Ms <= control.p99Ms && service.failures === 0,
  };
}

if (isStarted(import.meta.url)) {
  const [seconds = '6', rounds = '2'] = process.argv.slice(2);
  await onStage((stage) => benchCreate(stage, Number(seconds), Number(rounds)));
}
