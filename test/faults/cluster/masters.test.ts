// A master of a Redis Cluster hands over to its replica. The service goes on without a restart, and breaks no invariant. Masters
// that are killed, deposed or hang, and slots that move, are in test/scale/redis/cluster.test.ts.
import t from 'tap';
import { buildCommandsKey } from '#store/redis/keys.js';
import { startClusteredRedis } from '#test/support/engines/clustered-redis.js';
import { underLoadOn } from '#test/support/stage.js';

const KEY = buildCommandsKey(0);
const HEALS_MS = 30_000;

t.test('a master hands over as planned', async (t) => {
  const redis = await startClusteredRedis(t);
  const options = { gateways: 2, payments: 2, redisUrl: redis.url };
  await underLoadOn(t, options, async ({ load, serves }) => {
    const first = await redis.findMaster(KEY);
    const replica = await redis.findReplica(first);
    await replica.redis.call('CLUSTER', 'FAILOVER');
    await redis.waitForOther(KEY, first);
    await serves(HEALS_MS);
    await load.progress(200);
  });
});
