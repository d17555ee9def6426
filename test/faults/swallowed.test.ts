// Connections that the network swallows: nothing passes any more, and nothing closes them. Redis and Postgres of gateways and
// payments processes are in proxy.test.ts and postgres.test.ts.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { subscribeNotifications } from '#store/postgres/notifications.js';
import { openPostgres } from '#store/postgres/client.js';
import { PASSWORD, startGateways } from '../support/accounts.js';
import { openApi } from '../support/api.js';
import { prepareProcess, startService, uniqueWord } from '../support/processes.js';
import { startProxy } from '../support/peers/proxy.js';
import { startRailService } from '../support/rails/service.js';
import { createDatabase } from '../support/servers.js';
import { startSmtp } from '../support/peers/smtp.js';
import { addEndpoint } from '../support/webhooks/outbox.js';
import { receiverVariables, startReceiver } from '../support/webhooks/receiver.js';

const HEALED_MS = 10_000;
const CHARGES = 20;
const BETWEEN_MS = 500;

const portOf = (url: string): number => Number(new URL(url).port);

t.test('a subscription to notifications is replaced', async (t) => {
  const databaseUrl = await createDatabase(t);
  const proxy = await startProxy(t, portOf(databaseUrl));
  const sql = openPostgres(databaseUrl, 'test', 1);
  const received: string[] = [];
  const stop = subscribeNotifications(proxy.through(databaseUrl), 'test_channel', (payload) => {
    received.push(payload);
  });
  t.teardown(async () => {
    await stop();
    await sql.end();
  });
  const arrives = (payload: string) =>
    waitUntil(
      `${payload} arrives`,
      async () => {
        await sql`select pg_notify('test_channel', ${payload})`;
        return received.includes(payload);
      },
      HEALED_MS,
    );
  await arrives('before');
  proxy.strand();
  await arrives('after');
});

t.test('mails are sent beside a connection to the SMTP server that was swallowed', async (t) => {
  const smtp = await startSmtp(t);
  const proxy = await startProxy(t, portOf(smtp.url));
  const { baseUrl } = await startGateways(t, 1, { SMTP_URL: proxy.through(smtp.url) });
  const register = () =>
    openApi(baseUrl).call('/v1/auth/register', {
      method: 'POST',
      body: { email: `${uniqueWord()}@example.com`, password: PASSWORD, business_name: 'Toko' },
    });
  proxy.hold();
  await register();
  await waitUntil('a mail is under way', () => proxy.connections() > 0);
  proxy.strand();
  proxy.heal();
  await register();
  await waitUntil('the second mail is sent', () => smtp.messages.length === 1, HEALED_MS);
});

t.test('the rails process heals from swallowed connections to Redis, and to a rail', async (t) => {
  const service = await startRailService(t, { RAIL_ROUTES: 'QRIS=midtrans' });
  const { variables, methods, create, test } = service;
  const redisProxy = await startProxy(t, service.redis.port);
  const railProxy = await startProxy(t, portOf(service.simulated.simulator.midtransUrl));
  const rails = await prepareProcess(t, 'rails', {
    ...variables,
    REDIS_URL: redisProxy.through(service.redis.url),
    RAIL_MIDTRANS_URL: railProxy.through(service.simulated.simulator.midtransUrl),
  });
  await rails.start();
  await waitUntil('methods are offered', async () => (await methods()).includes('QRIS'));
  const warm = await Promise.all(Array.from({ length: CHARGES }, () => create('QRIS')));
  t.ok(warm.every(({ status }) => status === 201));
  redisProxy.strand();
  const { body } = await test.create({ amount: '10092' });
  await waitUntil(
    'a payment of the sandbox is paid',
    async () => {
      return (await test.get(body['id'])).body['status'] === 'paid';
    },
    HEALED_MS,
  );
  railProxy.strand();
  // Each attempt may meet a kept connection that was swallowed: it then waits for the whole time-out.
  const isAccepted = repeat(async () => (await create('QRIS')).status === 201);
  await waitUntil('a charge is accepted', isAccepted, HEALED_MS);
});

t.test('webhooks arrive beside swallowed connections to Redis and to the receiver', async (t) => {
  const service = await startService(t);
  const { variables, merchant } = service;
  const test = openApi(service.baseUrl, merchant.testKey);
  const sql = openPostgres(service.databaseUrl, 'test', 1);
  t.teardown(() => sql.end());
  const receiver = await startReceiver(t);
  const redisProxy = await startProxy(t, service.redis.port);
  const receiverProxy = await startProxy(t, portOf(receiver.url));
  await addEndpoint(sql, merchant.merchantId, receiverProxy.through(receiver.url));
  const webhooks = await prepareProcess(t, 'webhooks', {
    ...variables,
    ...(await receiverVariables(t)),
    REDIS_URL: redisProxy.through(service.redis.url),
  });
  await webhooks.start();
  const arrives = (): Promise<unknown> => {
    const ids: unknown[] = [];
    const pay = repeat(async () => {
      const { body } = await test.create({ amount: '15000' });
      await test.simulate(body['id'], 'paid');
      ids.push(body['id']);
      return false;
    });
    return waitUntil(
      'a webhook arrives',
      () => {
        pay();
        return ids.some((id) =>
          receiver.received.some(({ body }) => body.toString().includes(String(id))),
        );
      },
      HEALED_MS,
    );
  };
  await arrives();
  redisProxy.strand();
  receiverProxy.strand();
  await arrives();
});

/** Returns a function that begins an attempt, at most twice a second, and returns whether one has succeeded. */
function repeat(attempt: () => Promise<boolean>): () => boolean {
  let hasSucceeded = false;
  let beganMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - beganMs < BETWEEN_MS) return hasSucceeded;
    beganMs = performance.now();
    attempt().then(
      (isDone) => {
        hasSucceeded ||= isDone;
      },
      () => {},
    );
    return hasSucceeded;
  };
}
