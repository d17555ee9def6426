// Redis returns with older data (a failover, a restored disk), or its clock went back: streams have lost their tails,
// and their last ids are below the committed positions.
import { cpSync, rmSync } from 'node:fs';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { countUncommitted, type Stage, underLoad } from '../support/stage.js';

const STAGE = { gateways: 2, payments: 2 } as const;
const AHEAD_MS = 120_000;
const PARTITIONS = Array.from({ length: 16 }, (_, partition) => partition);

async function findFolder({ redisClient }: Stage): Promise<string> {
  const answer: unknown = await redisClient.config('GET', 'dir');
  return Array.isArray(answer) ? String(answer[1]) : '';
}

t.test('Redis that restarts on an older copy of its data is repaired', (t) =>
  underLoad(t, STAGE, async (stage) => {
    const { redis, load, serves } = stage;
    const folder = await findFolder(stage);
    const copy = `${folder}.copy`;
    cpSync(folder, copy, { recursive: true });
    await load.progress(200);
    await redis.kill();
    rmSync(folder, { recursive: true });
    cpSync(copy, folder, { recursive: true });
    await redis.start();
    await serves();
    rmSync(copy, { recursive: true });
  }),
);

t.test('last ids that fall below the positions are raised without a reconnect', (t) =>
  underLoad(t, STAGE, async ({ redisClient, sql, load, serves }) => {
    const ahead = `${Date.now() + AHEAD_MS}-0`;
    for (const partition of PARTITIONS) {
      await redisClient.call('XSETID', buildCommandsKey(partition), ahead);
    }
    await waitUntil('all positions are ahead of the clock', async () => {
      const [row] = await sql`select min(position_ms) as behind from partitions`;
      return Number(row?.['behind']) > Date.now() + AHEAD_MS / 2;
    });
    for (const partition of PARTITIONS) {
      const key = buildCommandsKey(partition);
      await redisClient.multi().del(key).xadd(key, '1-1', 'x', 'x').xtrim(key, 'MAXLEN', 0).exec();
    }
    await serves();
    await load.progress(50);
  }),
);

t.test('the loss of frames that are not yet read costs no answered request', (t) =>
  underLoad(t, STAGE, async ({ sql, redisClient, payments, load, serves }) => {
    for (const one of payments) one.pause();
    await waitUntil('frames wait', async () => {
      return (await countUncommitted(sql, redisClient)) > 20;
    });
    for (const partition of PARTITIONS)
      await redisClient.xtrim(buildCommandsKey(partition), 'MAXLEN', 0);
    for (const one of payments) one.resume();
    await serves();
    await load.progress(100);
  }),
);
