// A Redis Cluster under load: a master is killed, hands over as planned, is deposed without being asked, hangs until its replica
// is master, and a slot moves. A cluster that is deposed loses the last commands that it took.
import t from 'tap';
import { buildCommandsKey } from '#store/redis/keys.js';
import {
  type ClusteredRedis,
  type ClusterNode,
  startClusteredRedis,
} from '#test/support/engines/clustered-redis.js';
import { type Service, underLoadOn, watchFault } from '#test/support/stage.js';

const ENGINE = 'Redis Cluster';
const STAGE = { gateways: 2, payments: 2 } as const;
const KEY = buildCommandsKey(0);
/** Until the others agree that a master is down, and its replica is elected. */
const HEALS_MS = 60_000;

type Change = (redis: ClusteredRedis, master: ClusterNode, service: Service) => Promise<unknown>;

async function fail(redis: ClusteredRedis, master: ClusterNode, ...words: string[]) {
  const replica = await redis.findReplica(master);
  await replica.redis.call('CLUSTER', 'FAILOVER', ...words);
}

const CASES: readonly (readonly [string, Change])[] = [
  ['kill -9 of a master', (_redis, master) => master.server.kill()],
  ['planned switch of a master', (redis, master) => fail(redis, master)],
  ['a master is deposed (TAKEOVER)', (redis, master) => fail(redis, master, 'TAKEOVER')],
  [
    'a master hangs, its replica takes over',
    (_redis, master) => {
      master.server.pause();
      return Promise.resolve();
    },
  ],
  [
    'a slot moves, half moved for a while',
    (redis, _master, { load }) => redis.moveSlot(KEY, { run: () => load.progress(200) }),
  ],
];

async function bringBack({ server }: ClusterNode): Promise<void> {
  if (server.isRunning()) server.resume();
  else await server.start();
}

for (const [fault, change] of CASES) {
  t.test(`Cluster: ${fault}`, async (t) => {
    const redis = await startClusteredRedis(t);
    const run = async (service: Service): Promise<void> => {
      const { load, serves } = service;
      if (fault === CASES[0]?.[0])
        await watchFault(service, { engine: ENGINE, fault: 'none' }, () => load.progress(300));
      const master = await redis.findMaster(KEY);
      await watchFault(service, { engine: ENGINE, fault }, async () => {
        await change(redis, master, service);
        await redis.waitForOther(KEY, master);
        await serves(HEALS_MS);
      });
      await bringBack(master);
      await serves(HEALS_MS);
      await load.progress(200);
    };
    await underLoadOn(t, { ...STAGE, redisUrl: redis.url }, run);
  });
}
