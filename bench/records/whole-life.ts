// What does a create cost until all that follows it is done: its API log, its words of the search, the totals? (npm run bench:whole-life)
//   node dist/bench/records/whole-life.js [seconds a run] [rounds]
// All four processes run. The control makes the payment and nothing else. The CPU of a run counts until everything is caught up.
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { openRedis, type RedisClient } from '#store/redis/client.js';
import { API_LOGS_KEY } from '#store/redis/keys.js';
import { formatRows, type Row } from '../figures/row.js';
import { formatCount } from '../figures/statistics.js';
import { newRun } from '../load/requests.js';
import { compare, type Contender, costOf, describe, type Measured } from '../load/versus.js';
import { ensureWrk } from '../load/wrk.js';
import type { Target } from '../stage/control.js';
import { isStarted, onStage, type Stage, watchedOf } from '../stage/stage.js';
import { isAllSearchable } from './searchable.js';

/** Connections, and how many times the creates of the control are to reach. */
const TARGETS = new Map([
  [64, 3],
  [256, 4.5],
]);
const CAUGHT_UP_MS = 300_000;

async function isCaughtUp(sql: Postgres, redis: RedisClient): Promise<boolean> {
  if ((await redis.xlen(API_LOGS_KEY)) > 0) return false;
  return isAllSearchable(sql);
}

function buildRow(
  [connections, atLeast]: readonly [number, number],
  control: readonly [Target, Measured],
  service: readonly [Target, Measured],
): Row {
  const tell = ([target, one]: readonly [Target, Measured]): string =>
    `${formatCount(one.ratePerSecond)}/s, ${Math.round(costOf(target, one.cpu, one.answers).cpuUs)} µs CPU`;
  const ratio = service[1].ratePerSecond / control[1].ratePerSecond;
  return {
    bench: `create with all that follows, ${connections} connections`,
    ...{ control: tell(control), service: tell(service) },
    result: `${ratio.toFixed(1)} ×`,
    target: `≥ ${atLeast} ×, no error`,
    isMet: ratio >= atLeast && service[1].failures === 0,
  };
}

async function benchWholeLife(stage: Stage, seconds: number, rounds: number): Promise<void> {
  ensureWrk();
  const { control, service, servers } = stage;
  await service.startWebhooks();
  const sql = openPostgres(service.databaseUrl, 'bench', 1);
  const redis = openRedis(servers.redis.url, console.error);
  const catchUp = async (): Promise<void> => {
    await waitUntil('all is caught up', () => isCaughtUp(sql, redis), CAUGHT_UP_MS);
  };
  const creates = (target: Target): Contender => ({
    ...{ name: target.name, target },
    args: () => ['/v1/payments', target.key, newRun()],
  });
  const rows: Row[] = [];
  for (const goal of TARGETS) {
    const [connections] = goal;
    const test = { script: 'create.lua', connections, seconds, rounds } as const;
    const measured = await compare([creates(control), { ...creates(service), finish: catchUp }], {
      ...test,
      watched: watchedOf(stage),
    });
    for (const one of measured) console.log(`  ${describe(one)}`);
    const [first, second] = measured;
    if (first === undefined || second === undefined) throw new Error('nothing was measured');
    rows.push(buildRow(goal, [control, first], [service, second]));
  }
  redis.disconnect();
  await sql.end();
  console.log(formatRows(rows));
}

if (isStarted(import.meta.url)) {
  const [seconds = '6', rounds = '3'] = process.argv.slice(2);
  await onStage((stage) => benchWholeLife(stage, Number(seconds), Number(rounds)), {
    ...{ gateways: 1, payments: 1, rails: 1 },
  });
}
