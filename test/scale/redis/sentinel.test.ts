// Redis with Sentinels under load: the master is killed, hands over as planned, hands over unplanned, and is stopped without a word
// until another one is master.
import t from 'tap';
import { startWatchedRedis, type WatchedRedis } from '#test/support/engines/watched-redis.js';
import { type Service, underLoadOn, watchFault } from '#test/support/stage.js';

const ENGINE = 'Redis, Sentinels';
const STAGE = { gateways: 2, payments: 2 } as const;
/** Until Sentinels agree, and processes have heard of it. */
const HEALS_MS = 60_000;

type Change = (redis: WatchedRedis, master: number) => Promise<unknown>;

const CASES: readonly (readonly [string, Change])[] = [
  [
    'kill -9 of the master',
    async (redis, master) => {
      await redis.servers.get(master)?.kill();
      await redis.waitForOther(master);
    },
  ],
  ['planned switch', (redis, master) => redis.switchOver(master)],
  ['failover of a healthy master', (redis, master) => redis.stepDown(master)],
  [
    'the master hangs, another takes over',
    async (redis, master) => {
      redis.servers.get(master)?.pause();
      await redis.waitForOther(master);
    },
  ],
];

/** The former master comes back as a replica. */
async function bringBack(redis: WatchedRedis, master: number): Promise<void> {
  const server = redis.servers.get(master);
  if (server?.isRunning() === true) server.resume();
  else await server?.start();
}

for (const [fault, change] of CASES) {
  t.test(`Sentinels: ${fault}`, async (t) => {
    const redis = await startWatchedRedis(t);
    const run = async (service: Service): Promise<void> => {
      const { load, serves } = service;
      if (fault === CASES[0]?.[0])
        await watchFault(service, { engine: ENGINE, fault: 'none' }, () => load.progress(300));
      const master = await redis.findMaster();
      await watchFault(service, { engine: ENGINE, fault }, async () => {
        await change(redis, master);
        await serves(HEALS_MS);
      });
      await bringBack(redis, master);
      await serves(HEALS_MS);
      await load.progress(200);
    };
    await underLoadOn(t, { ...STAGE, redisUrl: redis.url }, run);
  });
}
