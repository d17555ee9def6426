// What do more processes cost? CPU a create with 1, 2 and 4 gateways and payments processes, beside the size of their commits,
// which share the cost of a commit. The control is one process of each.
//   node dist/bench/processes.js [seconds a run]
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { sumUs } from './expiry.js';
import { describeCpu, readCpu, subtractCpu } from './figures/cpu.js';
import { formatCount, formatMs } from './figures/statistics.js';
import { newRun } from './load/requests.js';
import { WARM_UP_S } from './load/versus.js';
import { ensureWrk, rateOf, runWrk, type WrkRun } from './load/wrk.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';

const COUNTS = [1, 2, 4];
const CONNECTIONS = 256;
const SECONDS = 5;

async function countTransactions(sql: Postgres): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select xact_commit::float8 as count from pg_stat_database where datname = current_database()`;
  return row?.count ?? 0;
}

function sendCreates({ service: { port, key } }: Stage, seconds: number): Promise<WrkRun> {
  const args = ['/v1/payments', key, newRun()];
  return runWrk({ script: 'create.lua', port, connections: CONNECTIONS, seconds, args });
}

async function benchProcesses(stage: Stage, count: number, seconds: number): Promise<void> {
  await sendCreates(stage, WARM_UP_S);
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1);
  const [cpu, transactions] = [readCpu(watchedOf(stage)), await countTransactions(sql)];
  const run = await sendCreates(stage, seconds);
  const used = subtractCpu(readCpu(watchedOf(stage)), cpu);
  const commits = (await countTransactions(sql)) - transactions;
  await sql.end();
  const creates = run.requests - run.refused;
  console.log(
    `${count} gateways, ${count} payments processes: ${sumUs(used, creates)} µs of CPU a create, ` +
      `${(creates / commits).toFixed(1)} creates a transaction, ${formatCount(rateOf(run))}/s, ` +
      `p99 ${formatMs(run.p99Us / 1_000)}, errors ${run.errors + run.refused}\n` +
      `  ${describeCpu(used, creates)}`,
  );
}

if (isStarted(import.meta.url)) {
  const [seconds = String(SECONDS)] = process.argv.slice(2);
  ensureWrk();
  for (const count of COUNTS) {
    await onStage((stage) => benchProcesses(stage, count, Number(seconds)), {
      gateways: count,
      payments: count,
    });
  }
}
