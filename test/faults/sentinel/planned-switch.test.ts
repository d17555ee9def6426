// The planned switch of docs/operations/platforms/redis.md: writes are paused, then Sentinels make the replica master. No entry
// that was acknowledged is lost, and the service goes on.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { underLoadOn } from '#test/support/stage.js';
import { startWatchedRedis } from '#test/support/engines/watched-redis.js';

const KEY = 'test:entries';
const WRITERS = 8;
const ENTRIES = 200;
const HEALS_MS = 30_000;

t.test('a switch behind a pause of writes loses no acknowledged entry', async (t) => {
  const watched = await startWatchedRedis(t);
  const redis = openRedis(watched.url, () => {});
  t.teardown(() => {
    redis.disconnect();
  });
  await waitUntil('Redis is connected', () => isReady(redis));
  const acknowledged: string[] = [];
  let isOver = false;
  const write = async (): Promise<void> => {
    while (!isOver) {
      const id = await redis.xadd(KEY, '*', 'x', 'x').catch(() => null);
      if (id !== null) acknowledged.push(id);
      // A refusal comes at once, and would be followed by thousands.
      else await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await underLoadOn(
    t,
    { gateways: 2, payments: 2, redisUrl: watched.url },
    async ({ load, serves }) => {
      const writing = Array.from({ length: WRITERS }, write);
      await waitUntil('entries are written', () => acknowledged.length > ENTRIES);
      await watched.switchOver(await watched.findMaster());
      const before = acknowledged.length;
      await waitUntil('entries are written again', () => acknowledged.length > before + ENTRIES);
      isOver = true;
      await Promise.all(writing);
      await serves(HEALS_MS);
      await load.progress(100);
    },
  );
  const stored = new Set((await redis.xrange(KEY, '-', '+')).map(([id]) => id));
  t.strictSame(
    acknowledged.filter((id) => !stored.has(id)),
    [],
    'every acknowledged entry is there',
  );
});
