// A long backlog of deliveries: Redis holds a bounded part of it, Postgres the rest, so that a dead endpoint costs nobody
// else their memory.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { openRedis, type RedisClient } from '#store/redis/client.js';
import { readOverflow } from '#store/redis/webhooks/due-list.js';
import { startProcess } from '#test/support/processes.js';
import { fillTables, startRedis } from '#test/support/servers.js';
import { startServingService } from '#test/support/serving.js';
import { countKept } from '#test/support/webhooks/kept.js';
import { addEndpoint, countDeliveries } from '#test/support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';

const PENDING = 100_000;
/** More than the queues may hold of one endpoint, and a tenth of what is pending. */
const MAX_KEPT = 10_000;
/** Gateways reject creates at 70 %: 100,000 entries of 157 bytes exceed it. */
const MAX_MEMORY = '20mb';
/** More than the list of a lane holds. */
const OVERFLOWING = 3_000;

async function addBacklog(sql: Postgres, endpointId: string, count: number): Promise<void> {
  await fillTables(
    sql,
    (tx) => tx`
      insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type, body)
      select 'del_' || md5(n::text), 'evt_' || md5(n::text), ${endpointId}, 'pay_' || md5(n::text), 2,
             'payment.paid', '{}'
        from generate_series(1, ${count}::int) n`,
  );
}

async function readUsedMemory(redis: RedisClient): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

t.test(
  'creates and other webhooks go on while a dead endpoint has 100,000 pending deliveries',
  async (t) => {
    const receiver = await startReceiver(t);
    const service = await startServingService(t, { variables: await receiverVariables(t) });
    const sql = openPostgres(service.databaseUrl, 'test', 2);
    const redis = openRedis(service.redis.url, () => {});
    t.teardown(async () => {
      redis.disconnect();
      await sql.end({ timeout: 1 });
    });
    const { merchantId } = service.merchant;
    await addEndpoint(sql, merchantId, receiver.url);
    const unreachable = await startReceiver(t);
    await unreachable.stop();
    const dead = await addEndpoint(sql, merchantId, unreachable.url, ['payment.failed']);
    await addBacklog(sql, dead.id, PENDING);
    await redis.config('SET', 'maxmemory', MAX_MEMORY);
    const before = await readUsedMemory(redis);
    await startProcess(t, 'webhooks', service.variables);
    await waitUntil('the whole backlog was offered to Redis', async () => {
      const overflow = Number(await readOverflow(redis, dead.id));
      return Math.max(overflow, await countKept(redis)) >= PENDING - MAX_KEPT;
    });
    const kept = await countKept(redis);
    t.ok(kept <= MAX_KEPT, `Redis holds ${kept} entries`);
    t.comment(`${Math.round((await readUsedMemory(redis)) - before) / 1_024} KiB more are used`);
    const { status, body } = await service.api.create({ amount: '150000', reference_id: 'ord_1' });
    t.equal(status, 201, 'a create is accepted');
    const id = String(body['id']);
    t.equal((await service.api.simulate(id, 'paid')).status, 200);
    await waitUntil('the webhook of the healthy endpoint arrives', () =>
      receiver.received.some((one) => one.body.toString().includes(id)),
    );
    const { pending = 0 } = await countDeliveries(sql);
    t.ok(pending > PENDING - MAX_KEPT, 'the backlog was still there');
  },
);

t.test('an endpoint that is back receives the deliveries that overflowed', async (t) => {
  const stage = await startWebhookStage(t, { processes: 2 });
  const { receiver, redisClient, sql, endpoint } = stage;
  await receiver.stop();
  const ids = await stage.emit(OVERFLOWING);
  await waitUntil('the lane overflows', () => readOverflow(redisClient, endpoint.id));
  await receiver.start();
  await waitUntil('every event was delivered', async () => {
    return (await countDeliveries(sql))['delivered'] === ids.length;
  });
  t.strictSame(new Set(receiver.received.map(({ id }) => id)), new Set(ids));
  await waitUntil('nothing is left in Redis', async () => (await countKept(redisClient)) === 0);
});

t.test('webhooks use the Redis of REDIS_URL_WEBHOOKS, and no other', async (t) => {
  const own = await startRedis(t);
  const stage = await startWebhookStage(t, { variables: { REDIS_URL_WEBHOOKS: own.url } });
  const { receiver, redisClient } = stage;
  const arrives = async (): Promise<void> => {
    const [id = ''] = await stage.emit(1);
    await waitUntil('the event arrives', () => receiver.received.some((one) => one.id === id));
  };
  await arrives();
  t.strictSame(await redisClient.keys('{w*'), []);
  await own.restart({ isWiped: true });
  await arrives();
  t.strictSame(await redisClient.keys('{w*'), []);
});
