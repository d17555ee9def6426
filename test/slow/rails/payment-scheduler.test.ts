// The payment scheduler of several rails processes, of which one leads.
import t from 'tap';
import { type DuePaymentStore } from '#actors/rails/calls/ports.js';
import { startPaymentScheduler } from '#actors/rails/schedulers/payment-scheduler.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { openLeadership } from '#store/redis/leadership.js';
import { SILENT_LOG } from '#test/support/actors/loop.js';
import { startRedis } from '#test/support/servers.js';

const ROOM = { take: () => true, isUnderWay: () => false, isStuck: () => false, hasAny: true };

const redis = openRedis((await startRedis(t)).url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('Redis is connected', () => isReady(redis));

/** A scheduler whose store does as `loadDue` says. */
function start(name: string, loadDue: DuePaymentStore['loadDue']) {
  return startPaymentScheduler({
    store: { loadDue, postponeDue: () => Promise.resolve() },
    background: {
      readRoom: () => Promise.resolve(ROOM),
      send: () => Promise.resolve(new Set<string>()),
    },
    leadership: openLeadership({ redis, key: 'due', name, clock: SYSTEM_CLOCK }),
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
  });
}

t.test('a leader that cannot reach Postgres lets another process lead', async (t) => {
  let failures = 0;
  let reads = 0;
  const first = start('first', () => {
    failures += 1;
    return Promise.reject(new Error('ECONNREFUSED'));
  });
  await waitUntil('the first leads, and fails', () => failures > 0);
  const second = start('second', () => {
    reads += 1;
    return Promise.resolve([]);
  });
  await waitUntil('the second leads', () => reads > 0);
  const failed = failures;
  await waitUntil('the second goes on', () => reads > 20);
  t.equal(failures, failed, 'the first does not try meanwhile');
  await Promise.all([first.stop(), second.stop()]);
});
