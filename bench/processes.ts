// What do more processes cost? CPU a create with 2 and 4 gateways and payments processes, beside what a model of one process of
// each predicts (docs/scaling.md). The model is fitted in the same run: CPU a create of each kind of process is a fixed part and a
// share of the cost of a commit, `fixed + commit / creates a commit`, from loads with smaller and larger commits. P payments
// processes share the creates that wait, so that their commits have 1/P of the creates.
//   node dist/bench/processes.js [seconds a run]
import { Redis } from 'ioredis';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { readCpu, subtractCpu } from './figures/cpu.js';
import { formatCount, formatMs } from './figures/statistics.js';
import { newRun } from './load/requests.js';
import { WARM_UP_S } from './load/versus.js';
import { ensureWrk, rateOf, runWrk, type WrkRun } from './load/wrk.js';
import { isStarted, onStage, type Stage, watchedOf } from './stage/stage.js';

const COUNTS = [2, 4];
const CONNECTIONS = 256;
/** With one process of each: their commits have different sizes. */
const FITTED_CONNECTIONS = [16, 32, 64, 128, CONNECTIONS];
const SECONDS = 5;
const KINDS = ['gateway', 'payments', 'postgres', 'redis'] as const;
const TOLERANCE = 0.15;

type Kind = (typeof KINDS)[number];

/** Microseconds of CPU a create, of all processes of a kind together. */
type CostUs = Readonly<Record<Kind, number>>;

/** Totals of the stores. */
interface Totals {
  readonly transactions: number;
  /** Of Postgres' log. */
  readonly logBytes: number;
  /** Used by Redis. */
  readonly redisBytes: number;
}

interface Measured {
  readonly costUs: CostUs;
  /** A create; of Redis only until frames are trimmed after their retention of 30 s. */
  readonly logBytes: number;
  readonly redisBytes: number;
  readonly createsPerCommit: number;
  readonly run: WrkRun;
}

interface Line {
  readonly fixedUs: number;
  readonly commitUs: number;
}

async function readTotals(sql: Postgres, redis: Redis): Promise<Totals> {
  const [row] = await sql<Omit<Totals, 'redisBytes'>[]>`
    select xact_commit::float8 as transactions,
           pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "logBytes"
      from pg_stat_database where datname = current_database()`;
  const memory = await redis.info('memory');
  const redisBytes = Number(/^used_memory:(\d+)/m.exec(memory)?.[1]);
  return { transactions: 0, logBytes: 0, ...row, redisBytes };
}

function sendCreates(
  { service: { port, key } }: Stage,
  connections: number,
  seconds: number,
): Promise<WrkRun> {
  const args = ['/v1/payments', key, newRun()];
  return runWrk({ script: 'create.lua', port, connections, seconds, args });
}

async function measure(stage: Stage, connections: number, seconds: number): Promise<Measured> {
  await sendCreates(stage, connections, WARM_UP_S);
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1);
  const redis = new Redis(stage.servers.redis.url);
  const [cpu, before] = [readCpu(watchedOf(stage)), await readTotals(sql, redis)];
  const run = await sendCreates(stage, connections, seconds);
  const used = subtractCpu(readCpu(watchedOf(stage)), cpu);
  const after = await readTotals(sql, redis);
  redis.disconnect();
  await sql.end();
  const creates = run.requests - run.refused;
  const sumUs = (kind: Kind): number =>
    Object.entries(used)
      .filter(([name]) => name === kind || name.startsWith(`${kind}-`))
      .reduce((sum, [, seconds_]) => sum + (seconds_ * 1e6) / creates, 0);
  return {
    costUs: {
      gateway: sumUs('gateway'),
      payments: sumUs('payments'),
      postgres: sumUs('postgres'),
      redis: sumUs('redis'),
    },
    createsPerCommit: creates / (after.transactions - before.transactions),
    logBytes: (after.logBytes - before.logBytes) / creates,
    redisBytes: (after.redisBytes - before.redisBytes) / creates,
    run,
  };
}

/** Least squares of the cost against the share of a commit. */
function fitLine(points: readonly Measured[], kind: Kind): Line {
  const xs = points.map(({ createsPerCommit }) => 1 / createsPerCommit);
  const ys = points.map(({ costUs }) => costUs[kind]);
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const covariance = mean(xs.map((x, index) => (x - meanX) * ((ys[index] ?? 0) - meanY)));
  const commitUs = covariance / mean(xs.map((x) => (x - meanX) ** 2));
  return { fixedUs: meanY - commitUs * meanX, commitUs };
}

function describe(name: string, measured: Measured): string {
  const { costUs, createsPerCommit, logBytes, run } = measured;
  const parts = KINDS.map((kind) => `${kind} ${costUs[kind].toFixed(0)}`);
  const sum = KINDS.reduce((total, kind) => total + costUs[kind], 0);
  return (
    `${name}: ${sum.toFixed(0)} µs of CPU a create (${parts.join(' · ')}), ` +
    `${createsPerCommit.toFixed(1)} creates a commit, ${logBytes.toFixed(0)} bytes of log, ${formatCount(rateOf(run))}/s, ` +
    `p99 ${formatMs(run.p99Us / 1_000)}, errors ${run.errors + run.refused}`
  );
}

function comparePrediction(
  lines: ReadonlyMap<Kind, Line>,
  predictedBatch: number,
  { costUs, createsPerCommit }: Measured,
): string {
  const rows = [...lines].map(([kind, { fixedUs, commitUs }]) => {
    const predictedUs = fixedUs + commitUs / predictedBatch;
    const ratio = costUs[kind] / predictedUs;
    const verdict = Math.abs(ratio - 1) <= TOLERANCE ? 'within 15 %' : 'missed';
    return `  ${kind}: predicted ${predictedUs.toFixed(0)}, measured ${costUs[kind].toFixed(0)} (× ${ratio.toFixed(2)}, ${verdict})`;
  });
  const batch = `  creates a commit: predicted ${predictedBatch.toFixed(1)}, measured ${createsPerCommit.toFixed(1)}`;
  return [batch, ...rows].join('\n');
}

async function fitModel(
  seconds: number,
): Promise<{ lines: ReadonlyMap<Kind, Line>; largestBatch: number }> {
  const points: Measured[] = [];
  await onStage(async (stage) => {
    for (const connections of FITTED_CONNECTIONS) {
      const measured = await measure(stage, connections, seconds);
      if (points.length === 0)
        console.log(`${measured.redisBytes.toFixed(0)} bytes a create in Redis`);
      points.push(measured);
      console.log(describe(`one of each, ${connections} connections`, measured));
    }
  });
  const lines = new Map(KINDS.map((kind) => [kind, fitLine(points, kind)]));
  for (const [kind, { fixedUs, commitUs }] of lines)
    console.log(`  ${kind}: ${fixedUs.toFixed(1)} µs a create and ${commitUs.toFixed(0)} a commit`);
  return { lines, largestBatch: points.at(-1)?.createsPerCommit ?? 1 };
}

if (isStarted(import.meta.url)) {
  const [seconds = String(SECONDS)] = process.argv.slice(2);
  ensureWrk();
  const { lines, largestBatch } = await fitModel(Number(seconds));
  for (const count of COUNTS) {
    await onStage(
      async (stage) => {
        const measured = await measure(stage, CONNECTIONS, Number(seconds));
        console.log(describe(`${count} of each, ${CONNECTIONS} connections`, measured));
        console.log(comparePrediction(lines, largestBatch / count, measured));
      },
      { gateways: count, payments: count },
    );
  }
}
