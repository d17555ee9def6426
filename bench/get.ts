// How many payments a second can be read by id, against one select a request of an ordinary service?
//   node dist/bench/get.js [seconds a run] [rounds]
import { join } from 'node:path';
import postgres from 'postgres';
import type { Target } from './stage/control.js';
import type { Row } from './figures/row.js';
import { createPayments, writeIds } from './load/seed-payments.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';
import { formatCount, formatMs } from './figures/statistics.js';
import { compare, type Contender, describe, type Measured } from './load/versus.js';
import { ensureWrk } from './load/wrk.js';

const PAYMENTS = 5_000;
const AT_LEAST = 6;
const CONNECTIONS = [64, 256];

async function prepareGets(stage: Stage, target: Target): Promise<Contender> {
  const file = join(stage.servers.folder, `${target.name}.ids`);
  writeIds(file, await createPayments(target, PAYMENTS));
  await analyze(target.databaseUrl);
  return { name: target.name, target, args: () => ['/v1/payments', target.key, file] };
}

/** Autovacuum does this within a minute; without statistics the planner takes a wrong index. */
async function analyze(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1 });
  await sql`vacuum analyze`;
  await sql.end();
}

export async function benchGet(stage: Stage, seconds = 5, rounds = 2): Promise<Row[]> {
  ensureWrk();
  const control = await prepareGets(stage, stage.control);
  const service = await prepareGets(stage, stage.service);
  const rows: Row[] = [];
  for (const connections of CONNECTIONS) {
    console.log(`get by id, ${connections} connections, ${formatCount(PAYMENTS)} payments`);
    const test = { script: 'get.lua', connections, seconds, rounds } as const;
    const measured = await compare([control, service], { ...test, watched: watchedOf(stage) });
    for (const one of measured) console.log(`  ${describe(one)}`);
    rows.push(rowOf(connections, measured));
  }
  return rows;
}

function rowOf(connections: number, [control, service]: readonly Measured[]): Row {
  if (control === undefined || service === undefined) throw new Error('two were to be measured');
  const ratio = service.ratePerSecond / control.ratePerSecond;
  const figures = (one: Measured): string =>
    `${formatCount(one.ratePerSecond)}/s, p99 ${formatMs(one.p99Ms)}`;
  return {
    bench: `get by id, ${connections} connections`,
    control: figures(control),
    service: figures(service),
    result: `${ratio.toFixed(1)} ×`,
    target: `≥ ${AT_LEAST} ×, no error`,
    isMet: ratio >= AT_LEAST && service.failures === 0,
  };
}

if (isStarted(import.meta.url)) {
  const [seconds = '5', rounds = '2'] = process.argv.slice(2);
  await onStage((stage) => benchGet(stage, Number(seconds), Number(rounds)));
}
