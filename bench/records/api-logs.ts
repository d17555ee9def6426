// What do API logs cost a create? (npm run bench:api-logs)
//   node dist/bench/records/api-logs.js [seconds a run] [rounds]
// Two gateways in front of one service, one with API_LOGS=0, in turn; a webhooks process stores what the other
// hands over, as in production. Both share the stores and the payments process. A run begins when all that
// was noted before is stored: else the one without logs pays for those of the other.
import postgres from 'postgres';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openRedis } from '#store/redis/client.js';
import { API_LOGS_KEY } from '#store/redis/keys.js';
import { findFreePort } from '#ops/dev/servers/ports.js';
import type { Target } from '../stage/control.js';
import { describeRun, writeSection } from '../figures/readme.js';
import { formatCount } from '../figures/statistics.js';
import { load } from '../open-loop.js';
import { newRun } from '../load/requests.js';
import { compare, type Contender, describe, WARM_UP_S } from '../load/versus.js';
import { ensureWrk } from '../load/wrk.js';
import { isStarted, onStage, type Stage, watchedOf } from '../stage/stage.js';

const CONNECTIONS = [64, 256];
/** Creates a second, far below what it can take: all of those are to be logged. */
const STEADY = [1_000, 2_000];
/** The share of the throughput that they may cost. */
const MOST = 0.1;
const SETTLE_MS = 240_000;

async function benchApiLogs(stage: Stage, seconds: number, rounds: number): Promise<void> {
  ensureWrk();
  const { service, servers } = stage;
  const port = await findFreePort();
  await service.startGateway({ PORT: String(port), API_LOGS: '0' });
  await service.startWebhooks();
  const redis = openRedis(servers.redis.url, console.error);
  const settle = async (): Promise<void> => {
    await waitUntil('all is stored', async () => (await redis.xlen(API_LOGS_KEY)) === 0, SETTLE_MS);
  };
  const creates = (name: string, target: Target): Contender => ({
    ...{ name, target, settle },
    args: () => ['/v1/payments', target.key, newRun()],
  });
  const sql = postgres(service.databaseUrl, { max: 1 });
  const countStored = async (): Promise<number> => {
    await settle();
    const [row] = await sql<{ rows: string }[]>`select count(*) as rows from api_logs`;
    return Number(row?.rows);
  };
  const results: string[] = [];
  for (const connections of CONNECTIONS) {
    const test = { script: 'create.lua', connections, seconds, rounds } as const;
    const before = await countStored();
    const measured = await compare([creates('on', service), creates('off', { ...service, port })], {
      ...test,
      watched: watchedOf(stage),
    });
    for (const one of measured) console.log(`  ${describe(one)}`);
    const [on, off] = measured;
    if (on === undefined || off === undefined) throw new Error('nothing was measured');
    const answers = on.ratePerSecond * (seconds * rounds + WARM_UP_S);
    const kept = ((await countStored()) - before) / answers;
    const lost = 1 - on.ratePerSecond / off.ratePerSecond;
    const rates = `${formatCount(on.ratePerSecond)}/s on, ${formatCount(off.ratePerSecond)}/s off`;
    const verdict = lost <= MOST ? 'reached' : '**missed**';
    results.push(
      `${connections} connections: ${rates}, ${(-lost * 100).toFixed(1)} % (at most − 10 %: ${verdict}), ${Math.round(kept * 100)} % of the requests logged.`,
    );
  }
  for (const rate of STEADY) {
    results.push(await tellSteady(service, { rate, seconds: seconds * rounds }, countStored));
  }
  redis.disconnect();
  await sql.end();
  console.log(results.join('\n'));
  writeSection('api-logs', `${describeRun(stage.machine)} ${results.join(' ')}`);
}

async function tellSteady(
  target: Target,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
  countStored: () => Promise<number>,
): Promise<string> {
  const before = await countStored();
  const { sortedMs, errors } = await load(target, seconds, rate);
  const kept = ((await countStored()) - before) / sortedMs.length;
  return `${formatCount(rate)} creates/s: ${(kept * 100).toFixed(1)} % logged, ${errors} errors.`;
}

if (isStarted(import.meta.url)) {
  const [seconds = '5', rounds = '3'] = process.argv.slice(2);
  await onStage((stage) => benchApiLogs(stage, Number(seconds), Number(rounds)));
}
