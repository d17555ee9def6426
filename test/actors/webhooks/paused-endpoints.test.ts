// An endpoint that refuses everything, over HTTP: its state, the times of its deliveries, a test event during its pause, and
// its deliveries while it is switched off.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { startProcess } from '#test/support/processes.js';
import { startServingService } from '#test/support/serving.js';
import { answerWith, receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';

const HOOKS = '/v1/merchants/me/webhooks';
const PAYMENTS = 12;
const FAILURES = 5;

const receiver = await startReceiver(t);
receiver.behave(answerWith(503));
const schedule = Array.from({ length: 30 }, () => 1).join(',');
const service = await startServingService(t, {
  variables: { ...(await receiverVariables(t)), WEBHOOK_RETRY_SCHEDULE: schedule },
});
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
await startProcess(t, 'webhooks', service.variables);
const owner = await makePerson(sql, 'owner', service.merchant.merchantId);
const api = openApi(service.baseUrl, await beginSession(sql, owner));
const made = await api.call(HOOKS, {
  method: 'POST',
  body: { url: receiver.url, environment: 'TEST' },
});
const path = `${HOOKS}/${String(made.body['id'])}`;

interface Delivery {
  readonly id: string;
  readonly status: string;
  readonly attempts: number;
  readonly reason: string | null;
  readonly next_attempt_at: string | null;
}

const change = (body: object) => api.call(path, { method: 'PATCH', body });
const listDeliveries = async (): Promise<readonly Delivery[]> =>
  (await api.call(`${path}/deliveries?limit=100`)).body['data'] as Delivery[];
const waitForState = (state: string) =>
  waitUntil(`the endpoint is ${state}`, async () => {
    const { body } = await api.call(path);
    return body['state'] === state ? body : undefined;
  });

async function pay(): Promise<void> {
  const { body } = await service.api.create({ amount: '15000' });
  await service.api.simulate(body['id'], 'paid');
}

t.test('an endpoint that refuses is paused, and no delivery is next in the past', async (t) => {
  for (let made = 0; made < PAYMENTS; made += 1) await pay();
  await waitForState('paused');
  // The pause begins with the fifth failure; its attempt may be recorded a moment later.
  const shown = await waitUntil('the failures are recorded', async () => {
    const { body } = await api.call(path);
    return Number(body['consecutive_failures']) >= FAILURES ? body : undefined;
  });
  t.match(shown['last_24_hours'], {
    ...{ error_rate: 1, last_success_at: null, last_failure_at: String, reason: 'http_status' },
  });
  const askedAt = new Date().toISOString();
  for (const { next_attempt_at: at } of await listDeliveries()) {
    t.ok(at !== null && at >= askedAt.slice(0, -5), `${String(at)} is not before ${askedAt}`);
  }
});

t.test('a test event is sent during the pause', async (t) => {
  // Its pause is the longest one, so that nothing else ends it meanwhile.
  await waitUntil('the pauses have become long', async () => {
    const { body } = await api.call(path);
    const until = Date.parse(String(body['paused_until']));
    return until - Date.now() > 10_000;
  });
  const sent = await api.call(`${path}/test`, { method: 'POST', body: {} });
  const attempted = await waitUntil('the test event was attempted', async () => {
    const { body } = await api.call(`${HOOKS}/deliveries/${String(sent.body['id'])}`);
    return Number(body['attempts']) > 0 ? body : undefined;
  });
  t.match(attempted, { reason: 'http_status' });
  t.match((await api.call(path)).body, { state: 'paused' }, 'the pause lasts on');
});

t.test('deliveries that are held are sent when the endpoint is switched on again', async (t) => {
  const { paused_until: until } = (await api.call(path)).body;
  const { waiting } = (await change({ active: false, hold_waiting: true })).body;
  t.ok(Number(waiting) >= PAYMENTS);
  receiver.behave(answerWith(200));
  const before = receiver.received.length;
  // Then the lane looks at the endpoint, which would end the deliveries.
  await waitUntil('the pause is over', () => Date.now() > Date.parse(String(until)));
  t.same(
    (await listDeliveries()).filter(({ status }) => status === 'dead'),
    [],
    'none has died',
  );
  t.equal(receiver.received.length, before);
  await change({ active: true });
  await waitUntil('everything is delivered', async () =>
    (await listDeliveries()).every(({ status }) => status === 'delivered'),
  );
  t.match((await api.call(path)).body, { state: 'active', consecutive_failures: 0, waiting: 0 });
});

t.test('deliveries that are not held die with their real reason and attempts', async (t) => {
  receiver.behave(answerWith(401));
  for (let made = 0; made < PAYMENTS; made += 1) await pay();
  await waitForState('paused');
  await change({ active: false });
  const dead = await waitUntil('they are dead', async () => {
    const all = await listDeliveries();
    const open = all.filter(({ status }) => status === 'pending');
    return open.length > 0 ? undefined : all.filter(({ status }) => status === 'dead');
  });
  for (const { id, attempts, reason } of dead) {
    const { body } = await api.call(`${HOOKS}/deliveries/${id}`);
    t.equal((body['attempts_made'] as unknown[]).length, attempts, 'the number of its attempts');
    t.equal(reason, attempts === 0 ? 'endpoint_inactive' : 'http_401');
  }
  t.ok(dead.some(({ attempts }) => attempts > 0));
});

t.test('held deliveries of an endpoint that is deleted die', async (t) => {
  await change({ active: true });
  for (let made = 0; made < PAYMENTS; made += 1) await pay();
  await waitForState('paused');
  const { waiting } = (await change({ active: false, hold_waiting: true })).body;
  t.ok(Number(waiting) > 0);
  t.equal((await api.call(path, { method: 'DELETE' })).status, 204);
  await waitUntil('none is pending', async () => {
    const rows = await sql`select 1 from webhook_deliveries where status = 'pending' limit 1`;
    return rows.length === 0;
  });
});
