// The cache of endpoints, as attempts use it.
import t from 'tap';
import { openDeliveryStore } from '#actors/webhooks/deliveries/ports.js';
import { EndpointCache } from '#actors/webhooks/deliveries/endpoint-cache.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { readConfig } from '#ops/runtime/config.js';
import { openPostgres } from '#store/postgres/client.js';
import { LIVE_FOR_MS } from '#store/postgres/webhooks/endpoint-secrets.js';
import { GivenClock } from '#test/support/waits/given-clock.js';
import { createTestMerchant, TEST_KEYS } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint, secretsKeys } from '#test/support/webhooks/outbox.js';

const HOUR_MS = 3_600_000;
const ATTEMPT_EVERY_MS = 50;
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const store = openDeliveryStore({ reads: sql, attempts: sql, fanOut: sql });
const { merchantId } = await createTestMerchant(databaseUrl);
const log = createLog(readConfig('start', { ...TEST_KEYS, LOG_LEVEL: 'silent' }), 'webhooks');

for (const [step, stepMs] of [
  ['back', -HOUR_MS],
  ['ahead', HOUR_MS],
] as const) {
  t.test(`a changed endpoint is used at once after the clock was set ${step}`, async (t) => {
    const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/old');
    const stopping = new AbortController().signal;
    let wallMs = Date.now();
    const clock = { ...SYSTEM_CLOCK, nowMs: () => wallMs, monotonicMs: () => 1_000 };
    const cache = new EndpointCache({ store, secretsKeys, stopping, clock, log });
    t.match(await cache.find(endpoint.id), { url: 'https://example.com/old', isActive: true });
    await sql`update webhook_endpoints set url = 'https://example.com/new' where id = ${endpoint.id}`;
    wallMs += stepMs;
    t.match(await cache.find(endpoint.id), { url: 'https://example.com/new' });
  });
}

t.test('a changed endpoint is used within a second, although attempts go on', async (t) => {
  const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/old');
  const stopping = new AbortController().signal;
  const clock = new GivenClock(1_000);
  const cache = new EndpointCache({ store, secretsKeys, stopping, clock, log });
  await cache.find(endpoint.id);
  await sql`update webhook_endpoints set url = 'https://example.com/new' where id = ${endpoint.id}`;
  let found = await cache.find(endpoint.id);
  t.match(found, { url: 'https://example.com/old' }, 'it is cached');
  for (let passedMs = 0; passedMs < 1_000; passedMs += ATTEMPT_EVERY_MS) {
    clock.advance(ATTEMPT_EVERY_MS);
    found = await cache.find(endpoint.id);
  }
  t.match(found, { url: 'https://example.com/new' });
  t.ok(LIVE_FOR_MS <= 1_000, 'an answer that is older is not used');
});

for (const [change, isActive] of [
  ['a changed endpoint', true],
  ['a deactivated endpoint', false],
] as const) {
  t.test(`${change} is asked for again when the answer was read too long ago`, async (t) => {
    const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/old');
    const stopping = new AbortController().signal;
    let pausedMs = 0;
    const clock = { ...SYSTEM_CLOCK, monotonicMs: () => SYSTEM_CLOCK.monotonicMs() + pausedMs };
    /** The process is paused once, between the statement and its answer. */
    const loadLiveEndpoints: typeof store.loadLiveEndpoints = async (ids) => {
      const rows = await store.loadLiveEndpoints(ids);
      if (pausedMs === 0) {
        await sql`
          update webhook_endpoints set url = 'https://example.com/new', active = ${isActive}
           where id = ${endpoint.id}`;
        pausedMs = LIVE_FOR_MS + 1;
      }
      return rows;
    };
    const cache = new EndpointCache({
      ...{ store: { loadLiveEndpoints }, secretsKeys, stopping, clock, log },
    });
    t.match(await cache.find(endpoint.id), { url: 'https://example.com/new', isActive });
  });
}
