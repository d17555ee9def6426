// One endpoint must not delay another, and attempts during a rotation are signed with both secrets.
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { makeWebhookSecret, signBody } from '#actors/core/webhooks/sign.js';
import { sealSecret } from '#ops/runtime/sealed-secrets.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { deleteEndpoint } from '#store/postgres/webhooks/change-endpoints.js';
import { readMetrics } from '#test/support/processes.js';
import { startNameServer } from '#test/support/webhooks/name-server.js';
import { addEndpoint, countDeliveries, secretsKeys } from '#test/support/webhooks/outbox.js';
import { answerWith, startReceiver } from '#test/support/webhooks/receiver.js';
import { startWebhookStage } from '#test/support/webhooks/stage.js';

const ACTOR = { userId: makeId('usr', randomBytes(16)), address: '127.0.0.1' };
const EVENTS = 400;
const IN_FLIGHT = 8;
/** Failures that open a breaker. */
const FAILURES = 5;
const DEAD_NAMES = 15;

t.test('a healthy endpoint receives all events while others hang, refuse or fail', async (t) => {
  const stage = await startWebhookStage(t, { variables: { WEBHOOK_RETRY_SCHEDULE: '600' } });
  const { sql, merchantId, receiver, processes } = stage;
  const [webhooks] = processes;
  if (webhooks === undefined) throw new Error('no process');
  const hanging = await startReceiver(t);
  hanging.behave(() => {});
  await addEndpoint(sql, merchantId, hanging.url);
  await addEndpoint(sql, merchantId, 'https://localhost:2/hook');
  const failing = await startReceiver(t);
  failing.behave(answerWith(500));
  await addEndpoint(sql, merchantId, failing.url);
  await stage.emit(EVENTS);
  await waitUntil('the healthy endpoint received all events', () => {
    return receiver.received.length === EVENTS;
  });
  t.ok(
    hanging.connections() <= IN_FLIGHT,
    `${hanging.connections()} connections to the hanging endpoint`,
  );
  t.ok(hanging.received.length < EVENTS, 'the hanging endpoint was still under way');
  await waitUntil('a breaker opens', async () => {
    const page = await readMetrics(webhooks);
    return Number(/^kasir_webhook_breakers_open (\d+)$/m.exec(page)?.[1]) > 0;
  });
  const probes = failing.received.length;
  t.ok(probes < EVENTS, `${probes} attempts before the breaker opened`);
  failing.behave(answerWith(200));
  await waitUntil('a probe closes the breaker, and the other deliveries follow', async () => {
    const { delivered = 0 } = await countDeliveries(sql);
    return delivered > EVENTS && failing.received.length === EVENTS;
  });
  await waitUntil('the hanging endpoint is attempted again', () => {
    return hanging.received.length > 1;
  });
});

t.test('a healthy endpoint receives all events while names of a dead zone hang', async (t) => {
  const names = await startNameServer(t, { 'receiver.test': ['127.0.0.1'] });
  const variables = { WEBHOOK_DNS_SERVERS: names.address, WEBHOOK_RETRY_SCHEDULE: '1' };
  const stage = await startWebhookStage(t, { variables });
  const { sql, merchantId } = stage;
  const healthy = await startReceiver(t);
  await addEndpoint(sql, merchantId, `https://receiver.test:${healthy.port}/hook`);
  for (let name = 0; name < DEAD_NAMES; name += 1) {
    await addEndpoint(sql, merchantId, `https://${name}.dead.test/hook`);
  }
  await stage.emit(EVENTS / 4);
  await waitUntil('the healthy endpoint received all events', () => {
    return healthy.received.length === EVENTS / 4;
  });
  await waitUntil('a dead name has failed', async () => {
    const failed = await sql`select 1 from webhook_attempts where failure = 'timeout_dns' limit 1`;
    return failed.length === 1;
  });
});

t.test('a deleted endpoint has no open breaker, and its deliveries are dead at once', async (t) => {
  const stage = await startWebhookStage(t, { variables: { WEBHOOK_RETRY_SCHEDULE: '1' } });
  const { sql, merchantId, receiver, endpoint, processes } = stage;
  const [webhooks] = processes;
  if (webhooks === undefined) throw new Error('no process');
  receiver.behave(answerWith(500));
  await stage.emit(EVENTS);
  const readBreakers = async (): Promise<number> =>
    Number(/^kasir_webhook_breakers_open (\d+)$/m.exec(await readMetrics(webhooks))?.[1]);
  await waitUntil('the breaker opens', async () => (await readBreakers()) === 1);
  t.ok(await deleteEndpoint(sql, ACTOR, { id: endpoint.id, merchantId }));
  await waitUntil('the breaker is gone', async () => (await readBreakers()) === 0);
  await waitUntil('every delivery is dead', async () => {
    return (await countDeliveries(sql))['dead'] === EVENTS;
  });
});

t.test('deliveries that wait for their endpoint do not count as late', async (t) => {
  const stage = await startWebhookStage(t);
  const { sql, receiver, processes } = stage;
  const [webhooks] = processes;
  if (webhooks === undefined) throw new Error('no process');
  receiver.behave(answerWith(500));
  await stage.emit(EVENTS / 4);
  await waitUntil('two probes have failed', () => {
    return receiver.received.length >= FAILURES + 2;
  });
  receiver.behave(answerWith(200));
  await waitUntil('all are delivered', async () => {
    const { delivered = 0 } = await countDeliveries(sql);
    return delivered === EVENTS / 4;
  });
  const page = await readMetrics(webhooks);
  const attempted = await sql`select 1 from webhook_attempts where attempt > 1`;
  const readLag = (series: string): number =>
    Number(new RegExp(`^kasir_webhook_due_lag_seconds_${series} (.+)$`, 'm').exec(page)?.[1]);
  t.ok(
    readLag('count') < attempted.length,
    `${readLag('count')} of ${attempted.length} retries are counted`,
  );
  t.equal(readLag('count') - readLag('bucket\\{le="1"\\}'), 0, 'none took a second or longer');
});

t.test(
  'a rotating endpoint gets signatures of both secrets, after the switch of the new one only',
  async (t) => {
    const stage = await startWebhookStage(t);
    const { sql, endpoint, receiver } = stage;
    const next = makeWebhookSecret(randomBytes(32));
    const sealed = sealSecret(secretsKeys, endpoint.id, next);
    await sql`update webhook_endpoints set next_secret = ${sealed}, switch_at = now() + interval '1 hour'
             where id = ${endpoint.id}`;
    await stage.emit(1);
    const overlap = await waitUntil('the event arrives', () => receiver.received[0]);
    const { headers, body } = overlap;
    t.equal(headers['x-service-signature'], signBody(endpoint.secret, body));
    t.equal(headers['x-service-signature-next'], signBody(next, body));
    for (const secret of [endpoint.secret, next]) {
      t.ok(new Webhook(secret).verify(body.toString(), headers as Record<string, string>));
    }
    await sql`update webhook_endpoints set switch_at = now() where id = ${endpoint.id}`;
    const after = await waitUntil('the switch is seen', async () => {
      const before = receiver.received.length;
      await stage.emit(1);
      const received = await waitUntil('the event arrives', () => receiver.received[before]);
      return 'x-service-signature-next' in received.headers ? null : received;
    });
    t.equal(after.headers['x-service-signature'], signBody(next, after.body));
    t.throws(() => {
      const words = after.headers as Record<string, string>;
      new Webhook(endpoint.secret).verify(after.body.toString(), words);
    });
  },
);
