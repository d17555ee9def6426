// A Redis Cluster loses masters: one is killed, one hands over as planned, and one is deposed without being asked, so that the
// last commands it took are lost. The service goes on without a restart, and breaks no invariant.
import t from 'tap';
import { buildCommandsKey } from '#store/redis/keys.js';
import { underLoadOn } from '#test/support/stage.js';
import { startClusteredRedis } from './clustered-redis.js';

const STAGE = { gateways: 2, payments: 2 } as const;
const KEY = buildCommandsKey(0);
/** Until the others agree that a master is down, and its replica is elected. */
const HEALS_MS = 30_000;

t.test('a master is killed, and returns as a replica', async (t) => {
  const redis = await startClusteredRedis(t);
  await underLoadOn(t, { ...STAGE, redisUrl: redis.url }, async ({ load, serves }) => {
    const first = await redis.findMaster(KEY);
    await first.server.kill();
    await redis.waitForOther(KEY, first);
    await serves(HEALS_MS);
    await load.progress(200);
    await first.server.start();
    await serves(HEALS_MS);
    await load.progress(100);
  });
});

for (const [how, words] of [
  ['hands over as planned', []],
  ['is deposed', ['TAKEOVER']],
] as const) {
  t.test(`a master ${how}`, async (t) => {
    const redis = await startClusteredRedis(t);
    await underLoadOn(t, { ...STAGE, redisUrl: redis.url }, async ({ load, serves }) => {
      const first = await redis.findMaster(KEY);
      const replica = await redis.findReplica(first);
      await replica.redis.call('CLUSTER', 'FAILOVER', ...words);
      await redis.waitForOther(KEY, first);
      await serves(HEALS_MS);
      await load.progress(200);
    });
  });
}

t.test('the slot of a partition moves, and stays half moved for a while', async (t) => {
  const redis = await startClusteredRedis(t);
  await underLoadOn(t, { ...STAGE, redisUrl: redis.url }, async ({ load, serves }) => {
    const first = await redis.findMaster(KEY);
    await redis.moveSlot(KEY, { run: () => load.progress(200) });
    await redis.waitForOther(KEY, first);
    await serves(HEALS_MS);
    await load.progress(100);
  });
});
