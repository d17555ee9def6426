// Refunds and payouts while a Redis of each kind is killed: what was answered is there, once, and the books agree.
import t from 'tap';
import { buildCommandsKey } from '#store/redis/keys.js';
import { startClusteredRedis } from '#test/support/engines/clustered-redis.js';
import { startWatchedRedis } from '#test/support/engines/watched-redis.js';
import { watchMoney } from '#test/support/load/money.js';
import { startOn, startStage } from '#test/support/stage.js';

const FAULT = 'kill -9 of the master';
/** The load of creates rests, so that the merchant's money is the only one that moves. */
const STAGE = { gateways: 2, payments: 2, perSecond: 0 } as const;
const HEALS_MS = 60_000;

t.test('one Redis is killed while money moves', async (t) => {
  const stage = await startStage(t, STAGE);
  await stage.serves();
  await watchMoney(t, stage, { engine: 'Redis, one server', fault: FAULT }, async () => {
    await stage.redis.restart();
    await stage.serves();
  });
});

t.test('a master that Sentinels watch is killed while money moves', async (t) => {
  const redis = await startWatchedRedis(t);
  const service = await startOn(t, { ...STAGE, redisUrl: redis.url });
  await service.serves(HEALS_MS);
  await watchMoney(t, service, { engine: 'Redis, Sentinels', fault: FAULT }, async () => {
    const master = await redis.findMaster();
    await redis.servers.get(master)?.kill();
    await redis.waitForOther(master);
    await service.serves(HEALS_MS);
  });
});

t.test('a master of a cluster is killed while money moves', async (t) => {
  const redis = await startClusteredRedis(t);
  const service = await startOn(t, { ...STAGE, redisUrl: redis.url });
  await service.serves(HEALS_MS);
  await watchMoney(t, service, { engine: 'Redis Cluster', fault: FAULT }, async () => {
    const key = buildCommandsKey(0);
    const master = await redis.findMaster(key);
    await master.server.kill();
    await redis.waitForOther(key, master);
    await service.serves(HEALS_MS);
  });
});
