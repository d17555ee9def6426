// One leader over several processes, on a real Redis.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { type Leadership, openLeadership } from '#store/redis/leadership.js';
import { startRedis } from '#test/support/servers.js';

const KEY = 'leader';

const redis = openRedis((await startRedis(t)).url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('Redis is connected', () => isReady(redis));
t.beforeEach(() => redis.flushall());

/** A process; its clock can be put forward. */
function openProcess(name: string): Leadership & { forwardMs: number } {
  const clock = { monotonicMs: () => SYSTEM_CLOCK.monotonicMs() + process.forwardMs };
  const process = { ...openLeadership({ redis, key: KEY, name, clock }), forwardMs: 0 };
  return process;
}

t.test('one of several processes leads, and renews its lease', async (t) => {
  const [first, second] = [openProcess('first'), openProcess('second')];
  t.equal(await first.isLeading(), true);
  t.equal(await second.isLeading(), false);
  await redis.pexpire(KEY, 100);
  first.forwardMs = 1_000;
  t.equal(await first.isLeading(), true);
  t.ok((await redis.pttl(KEY)) > 1_000, 'the lease lasts longer again');
  second.forwardMs = 1_000;
  t.equal(await second.isLeading(), false);
});

t.test('Redis is asked once within a second', async (t) => {
  const first = openProcess('first');
  t.equal(await first.isLeading(), true);
  await redis.del(KEY);
  t.equal(await first.isLeading(), true);
  t.equal(await redis.exists(KEY), 0);
});

t.test('a leader that resigns is followed at once', async (t) => {
  const [first, second] = [openProcess('first'), openProcess('second')];
  await first.isLeading();
  await first.resign();
  t.equal(await second.isLeading(), true);
});

t.test('a process that does not lead cannot give the lease back', async (t) => {
  const [first, second] = [openProcess('first'), openProcess('second')];
  await first.isLeading();
  await second.isLeading();
  await second.resign();
  t.equal(await redis.get(KEY), 'first');
});

t.test('a leader whose lease has ended follows the next one', async (t) => {
  const [first, second] = [openProcess('first'), openProcess('second')];
  await first.isLeading();
  await waitUntil('the lease ends', async () => (await redis.exists(KEY)) === 0);
  t.equal(await second.isLeading(), true);
  first.forwardMs = 1_000;
  t.equal(await first.isLeading(), false);
  await first.resign();
  t.equal(await redis.get(KEY), 'second');
});
