// What does a stack cost that has nothing to do? CPU by process, commands of Redis by name, and transactions of Postgres.
// The processes are those of `npm start` without its demo. There is no control: an idle stack should cost nothing.
//   node dist/bench/idle.js [seconds]
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { type CpuSeconds, readCpu, subtractCpu } from './figures/cpu.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';

const SECONDS = 20;
/** After the start: partitions are taken, pools are open, loops have found nothing, and code is compiled. */
const SETTLES_MS = 30_000;
const SHOWN_COMMANDS = 14;
const TARGET_PERCENT = 2;

interface Reading {
  readonly cpu: CpuSeconds;
  readonly commands: ReadonlyMap<string, number>;
  readonly transactions: number;
}

async function readCommands(redis: Redis): Promise<Map<string, number>> {
  const stats = await redis.info('commandstats');
  const found = stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm);
  return new Map([...found].map(([, name = '', calls]) => [name, Number(calls)]));
}

async function readTransactions(sql: Postgres): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (xact_commit + xact_rollback)::float8 as count from pg_stat_database
     where datname = current_database()`;
  return row?.count ?? 0;
}

async function benchIdle(stage: Stage, seconds: number): Promise<void> {
  await stage.service.startWebhooks();
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1);
  const redis = new Redis(stage.servers.redis.url);
  const read = async (): Promise<Reading> => ({
    cpu: readCpu(watchedOf(stage)),
    commands: await readCommands(redis),
    transactions: await readTransactions(sql),
  });
  await sleep(SETTLES_MS);
  const before = await read();
  await sleep(seconds * 1_000);
  const after = await read();
  redis.disconnect();
  await sql.end();
  print(before, after, seconds);
}

function print(before: Reading, after: Reading, seconds: number): void {
  const percents = Object.entries(subtractCpu(after.cpu, before.cpu))
    .filter(([name]) => name !== 'generator' && !name.startsWith('control'))
    .map(([name, used]) => ({ name, percent: (used / seconds) * 100 }))
    .sort((one, other) => other.percent - one.percent);
  const sum = percents.reduce((total, { percent }) => total + percent, 0);
  const named = percents.map(({ name, percent }) => `${name} ${percent.toFixed(2)}`);
  const rates = [...after.commands]
    .map(([name, calls]) => ({ name, rate: (calls - (before.commands.get(name) ?? 0)) / seconds }))
    .filter(({ rate }) => rate >= 0.1)
    .sort((one, other) => other.rate - one.rate);
  const all = rates.reduce((total, { rate }) => total + rate, 0);
  const shown = rates
    .slice(0, SHOWN_COMMANDS)
    .map(({ name, rate }) => `${name} ${rate.toFixed(1)}`);
  const transactions = (after.transactions - before.transactions) / seconds;
  console.log(
    `idle for ${seconds} s: ${sum.toFixed(2)} % of a core; to reach: ≤ ${TARGET_PERCENT} %\n` +
      `  by process: ${named.join(' · ')}\n` +
      `  Redis: ${all.toFixed(0)} commands/s: ${shown.join(' · ')}\n` +
      `  Postgres: ${transactions.toFixed(1)} transactions/s`,
  );
}

if (isStarted(import.meta.url)) {
  const [seconds = String(SECONDS)] = process.argv.slice(2);
  await onStage((stage) => benchIdle(stage, Number(seconds)), {
    ...{ gateways: 1, payments: 1, rails: 1 },
  });
}
