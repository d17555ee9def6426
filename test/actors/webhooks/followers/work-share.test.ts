// The shares of webhooks processes: together they have every partition, each partition has one process.
import t from 'tap';
import {
  listShare,
  startWorkShare,
  type WorkShare,
} from '#actors/webhooks/followers/work-share.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { readConfig } from '#ops/runtime/config.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { WEBHOOK_PROCESSES_KEY } from '#store/redis/keys.js';
import { DELIVERY_PARTITIONS, PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import { TEST_KEYS } from '#test/support/processes.js';
import { startRedis, type TestScope } from '#test/support/servers.js';

const PAYMENT_PARTITIONS = 5;
const HOUR_MS = 3_600_000;
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('Redis is there', () => isReady(redis));
const log = createLog(readConfig('start', { ...TEST_KEYS, LOG_LEVEL: 'silent' }), 'webhooks');

t.beforeEach(() => redis.flushall());

async function startShares(
  t: TestScope,
  count: number,
  probePostgres: (index: number) => Promise<unknown> = () => Promise.resolve(),
  countPartitions = () => PAYMENT_PARTITIONS,
): Promise<WorkShare[]> {
  const options = { redis, countPartitions, clock: SYSTEM_CLOCK, log };
  const shares = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startWorkShare({
        ...{ ...options, name: `webhooks-${index}` },
        probePostgres: () => probePostgres(index),
      }),
    ),
  );
  for (const share of shares) t.teardown(() => share.stop());
  return shares;
}

const sortAll = (lists: readonly (readonly number[])[]): number[] =>
  lists.flat().sort((a, b) => a - b);

/** Every partition has one process. */
const areDivided = (shares: readonly WorkShare[]): boolean => {
  const deliveries = sortAll(shares.map((share) => share.listDeliveryPartitions()));
  const payments = sortAll(shares.map((share) => share.listPaymentPartitions()));
  return deliveries.join() === PARTITIONS.join() && payments.length === PAYMENT_PARTITIONS;
};

t.test('a process that runs alone has all partitions', async (t) => {
  const [share] = await startShares(t, 1);
  t.strictSame(share?.listDeliveryPartitions(), PARTITIONS);
  t.equal(share?.listPaymentPartitions().length, PAYMENT_PARTITIONS);
  t.ok(share?.ownsEndpoint('we_any'));
});

t.test('processes divide the partitions, again when one leaves or is silent', async (t) => {
  const [first, ...rest] = await startShares(t, 3);
  if (first === undefined) throw new Error('there is no process');
  await waitUntil('three share', () => areDivided([first, ...rest]));
  for (const share of rest) t.ok(share.listDeliveryPartitions().length >= 5);
  t.equal(rest.filter((share) => share.ownsEndpoint('we_any')).length <= 1, true);
  await first.stop();
  await waitUntil('two share', () => areDivided(rest));
  await redis.zadd(WEBHOOK_PROCESSES_KEY, Date.now(), 'webhooks-killed');
  await waitUntil('a new one gets its share', () => !areDivided(rest));
  await waitUntil('it is silent and loses it', () => areDivided(rest));
});

t.test('a process whose note is in the future or that Redis lost is noted again', async (t) => {
  const shares = await startShares(t, 2);
  await waitUntil('they share', () => areDivided(shares));
  await redis.zadd(WEBHOOK_PROCESSES_KEY, Date.now() + HOUR_MS, 'webhooks-killed');
  await redis.zadd(WEBHOOK_PROCESSES_KEY, Date.now() + HOUR_MS, 'webhooks-0');
  await waitUntil('they share alone', async () => {
    return areDivided(shares) && (await redis.zcard(WEBHOOK_PROCESSES_KEY)) === 2;
  });
  await redis.flushall();
  await waitUntil('both are noted', async () => {
    return areDivided(shares) && (await redis.zcard(WEBHOOK_PROCESSES_KEY)) === 2;
  });
});

t.test('a process that Postgres does not answer has no share until it answers', async (t) => {
  let isAway = false;
  const [first, second] = await startShares(t, 2, (index) =>
    index === 0 && isAway ? Promise.reject(new Error('no answer')) : Promise.resolve(),
  );
  if (first === undefined || second === undefined) throw new Error('there is no process');
  await waitUntil('they share', () => areDivided([first, second]));
  isAway = true;
  await waitUntil('the other has everything', () => areDivided([second]));
  t.strictSame([first.listDeliveryPartitions(), first.listPaymentPartitions()], [[], []]);
  isAway = false;
  await waitUntil('they share again', () => {
    return (
      areDivided([first, second]) && first.ownsEndpoint('we_any') !== second.ownsEndpoint('we_any')
    );
  });
});

t.test('more processes than partitions leave some without a share', (t) => {
  const names = Array.from({ length: 100 }, (_, index) => `webhooks-${index}`);
  const shares = names.map((name) => listShare(names, name, DELIVERY_PARTITIONS));
  t.strictSame(sortAll(shares), PARTITIONS);
  t.strictSame(listShare(names, 'webhooks-99', DELIVERY_PARTITIONS), []);
  t.end();
});

t.test('partitions that come with a split are divided too', async (t) => {
  let partitions = PAYMENT_PARTITIONS;
  const shares = await startShares(t, 2, undefined, () => partitions);
  await waitUntil('both share', () => areDivided(shares));
  partitions *= 4;
  await waitUntil('the new partitions have processes', () => {
    const listed = sortAll(shares.map((share) => share.listPaymentPartitions()));
    return listed.length === partitions && listed.at(-1) === partitions - 1;
  });
});
