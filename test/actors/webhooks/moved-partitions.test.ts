// Deliveries of a process whose share changes: they go to the process that has the lane now.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import { openDeliveryStore } from '#actors/webhooks/deliveries/ports.js';
import { openPoster, startDeliveries } from '#actors/webhooks/deliveries/start-deliveries.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { readConfig } from '#ops/runtime/config.js';
import { createLog } from '#ops/runtime/log.js';
import { createRegistry } from '#ops/runtime/metrics.js';
import { openPostgres } from '#store/postgres/client.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { PARTITIONS, repairDeliveries } from '#store/redis/webhooks/delivery-partitions.js';
import { enqueueDeliveries } from '#store/redis/webhooks/ready-entries.js';
import { createTestMerchant, TEST_KEYS } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';
import { countPending } from '#test/support/webhooks/kept.js';
import { addEndpoint, countDeliveries } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

const COUNT = 20;
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 4);
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
const blockingRedis = openRedis(server.url, () => {});
t.teardown(async () => {
  redis.disconnect();
  blockingRedis.disconnect();
  await sql.end({ timeout: 1 });
});
const { merchantId } = await createTestMerchant(databaseUrl);
const config = readConfig('start', {
  ...TEST_KEYS,
  ...(await receiverVariables(t)),
  LOG_LEVEL: 'silent',
});
const connected = () => isReady(redis) && isReady(blockingRedis);
await waitUntil('Redis is there', connected);

t.test('entries of a read that began before the share changed go to the new owner', async (t) => {
  await repairDeliveries(redis);
  const receiver = await startReceiver(t);
  const { id: endpointId } = await addEndpoint(sql, merchantId, receiver.url);
  let owned: readonly number[] = PARTITIONS;
  const stop = startDeliveries({
    ...{ config, redis, blockingRedis, poster: openPoster(config), random: Math.random },
    ...{
      store: openDeliveryStore({ reads: sql, attempts: sql, fanOut: sql }),
      clock: SYSTEM_CLOCK,
    },
    consumer: 'former owner',
    onRecorded: () => undefined,
    share: {
      listDeliveryPartitions: () => owned,
      ownsEndpoint: () => owned.length > 0,
      isIdle: () => false,
    },
    stopping: new AbortController().signal,
    registry: createRegistry(),
    log: createLog(config, 'webhooks'),
  });
  t.teardown(stop);
  await waitUntil('a read has just begun', async () => {
    const clients = String(await redis.client('LIST'));
    return /age=\d+ idle=0 flags=b .* cmd=xreadgroup/.test(clients);
  });
  owned = [];
  const ids = Array.from({ length: COUNT }, () => `del_${encodeBase32(randomBytes(16))}`);
  await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, body)
    select id, 'evt_' || id, ${endpointId}, 'pay_1', 2, 'payment.paid', '{}' from unnest(${ids}::text[]) id`;
  await enqueueDeliveries(
    redis,
    ids.map((id) => ({ id, endpointId })),
  );
  await waitUntil('the former owner holds none', async () => {
    const clients = String(await redis.client('LIST'));
    return !/flags=b/.test(clients) && (await countPending(redis)).size === 0;
  });
  t.equal(receiver.received.length, 0, 'it attempts none');
  owned = PARTITIONS;
  await waitUntil('the new owner delivers all', async () => {
    return (await countDeliveries(sql))['delivered'] === COUNT;
  });
  t.equal(receiver.received.length, COUNT);
});
