// Endpoints at which every attempt fails.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { createDeliveryMetrics } from '#actors/webhooks/deliveries/delivery-metrics.js';
import { openDeliveryStore } from '#actors/webhooks/deliveries/ports.js';
import { updateFailingEndpoints } from '#actors/webhooks/deliveries/delivery-reconciler.js';
import { createLog } from '#ops/runtime/log.js';
import { createRegistry } from '#ops/runtime/metrics.js';
import { readConfig } from '#ops/runtime/config.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import {
  disableFailing,
  flagFailing,
  listOwnerEvents,
} from '#store/postgres/webhooks/failing-endpoints.js';
import { countBacklog } from '#store/postgres/webhooks/due-deliveries.js';
import { changeEndpoint, deleteEndpoint } from '#store/postgres/webhooks/change-endpoints.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { type AttemptRow, recordAttempts } from '#store/postgres/webhooks/record-attempts.js';
import { createTestMerchant, TEST_KEYS } from '#test/support/processes.js';
import { createDatabase } from '#test/support/servers.js';
import { addEndpoint, addEvents } from '#test/support/webhooks/outbox.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 4);
t.teardown(() => sql.end({ timeout: 1 }));
const { merchantId } = await createTestMerchant(databaseUrl);
await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/hook');
const ACTOR = { userId: makeId('usr', randomBytes(16)), address: '127.0.0.1' };
const owner = { merchantId, environment: 'TEST' } as const;

const newDeliveries = async (count: number): Promise<string[]> => {
  await addEvents(sql, merchantId, count);
  return (await fanOut(sql)).deliveries.map(({ id }) => id);
};

const buildAttempt = (deliveryId: string, failure: AttemptRow['failure']): AttemptRow => ({
  ...{ deliveryId, failure, attempt: 1, beganMs: performance.now(), durationMs: 5 },
  ...{ statusCode: failure === null ? 200 : 500, error: null, excerpt: null, signatures: null },
  ...(failure === null
    ? { status: 'delivered', nextInMs: null }
    : { status: 'pending', nextInMs: 60_000 }),
});

/** Records an attempt for each of `failures`, in one batch. */
const record = async (...failures: AttemptRow['failure'][]): Promise<void> => {
  const ids = await newDeliveries(failures.length);
  await recordAttempts(
    sql,
    ids.map((id, index) => buildAttempt(id, failures[index] ?? null)),
  );
};

const failingSince = async (ago: string): Promise<unknown> =>
  sql`update webhook_endpoint_failures set since = now() - ${ago}::text::interval`;
const countFailing = async (): Promise<number> =>
  (await sql`select from webhook_endpoint_failures`).length;

t.test(
  'failing attempts are noted for their endpoint, and a success deletes the note',
  async (t) => {
    await record('http_status', 'connection');
    t.equal(await countFailing(), 1);
    await record('http_status', null);
    t.equal(await countFailing(), 0, 'one success is enough');
    await record('endpoint_inactive');
    await record('secret_unreadable');
    t.equal(await countFailing(), 0, 'failures that say nothing about the endpoint are not noted');
  },
);

t.test(
  'a delivery whose endpoint was switched off dies with its attempts and their last reason',
  async (t) => {
    const [tried = '', untried = ''] = await newDeliveries(2);
    const off = { failure: 'endpoint_inactive', status: 'dead', nextInMs: null } as const;
    await recordAttempts(sql, [buildAttempt(tried, 'http_status')]);
    await recordAttempts(sql, [
      { ...buildAttempt(tried, null), ...off, attempt: 2 },
      { ...buildAttempt(untried, null), ...off },
    ]);
    const rows = await sql`
      select d.id, d.status, d.attempts, d.reason, count(a.*)::int as kept
        from webhook_deliveries d left join webhook_attempts a on a.delivery_id = d.id
       where d.id in (${tried}, ${untried}) group by d.id`;
    const found = new Map(rows.map(({ id, ...row }) => [id, row]));
    t.same(found.get(tried), { status: 'dead', attempts: 1, reason: 'http_status', kept: 1 });
    t.same(found.get(untried), {
      ...{ status: 'dead', attempts: 0, reason: 'endpoint_inactive', kept: 0 },
    });
    await record(null);
  },
);

t.test('an endpoint that fails for an hour is flagged once', async (t) => {
  await record('timeout_response');
  await failingSince('59 minutes');
  await record('timeout_response');
  t.strictSame(await flagFailing(sql), []);
  await failingSince('61 minutes');
  await record('timeout_response');
  t.strictSame(await flagFailing(sql), [endpoint.id]);
  t.strictSame(await flagFailing(sql), []);
  t.match(await countBacklog(sql), { failingEndpoints: 1 });
});

t.test('an endpoint without new attempts is not disabled', async (t) => {
  await sql`update webhook_endpoint_failures
               set since = now() - interval '9 days', latest = now() - interval '8 days'`;
  t.strictSame(await disableFailing(sql), []);
});

t.test(
  'an endpoint that fails for five days is disabled with one event, and can be reactivated',
  async (t) => {
    await failingSince('119 hours');
    await record('connection');
    t.strictSame(await disableFailing(sql), []);
    await failingSince('121 hours');
    t.strictSame(await disableFailing(sql), [endpoint.id]);
    t.strictSame(await disableFailing(sql), []);
    const [event, ...more] = await listOwnerEvents(sql, owner, 10);
    t.equal(more.length, 0);
    t.match(event, { id: /^evt_[0-9a-f]{32}$/, type: 'endpoint.disabled', subjectId: endpoint.id });
    t.match(event, { url: 'https://example.com/hook', environment: 'TEST', failingSince: Date });
    t.equal((await listOwnerEvents(sql, { ...owner, environment: null }, 10)).length, 1);
    t.equal((await listOwnerEvents(sql, { ...owner, environment: 'LIVE' }, 10)).length, 0);
    t.strictSame(await newDeliveries(1), [], 'an inactive endpoint gets no deliveries');
    await sql`update webhook_endpoints set active = true where id = ${endpoint.id}`;
    await record('connection');
    t.strictSame(await disableFailing(sql), [], 'a reactivated endpoint starts from zero');
  },
);

t.test('the leading process flags endpoints and counts the disabled ones', async (t) => {
  await failingSince('2 hours');
  await record('connection');
  const registry = createRegistry();
  const log = createLog(readConfig('start', TEST_KEYS), 'webhooks');
  const store = openDeliveryStore({ reads: sql, attempts: sql, fanOut: sql });
  await updateFailingEndpoints(store, createDeliveryMetrics(registry), log);
  t.match(await registry.metrics(), /^kasir_webhook_endpoints_disabled_total 0$/m);
  t.match(await countBacklog(sql), { failingEndpoints: 1 });
});

t.test('an endpoint that is switched off is not failing, and starts from zero', async (t) => {
  const { id } = endpoint;
  const key = { id, merchantId };
  const change = { url: null, events: null, allowsMany: true };
  const switchTo = (active: boolean) => changeEndpoint(sql, ACTOR, key, { ...change, active });
  await changeEndpoint(sql, ACTOR, key, { ...change, active: null });
  t.equal(await countFailing(), 1, 'another change keeps the note');
  await switchTo(false);
  t.match(await countBacklog(sql), { failingEndpoints: 0 });
  t.equal(await countFailing(), 0);
  await sql`insert into webhook_endpoint_failures (endpoint_id, since, latest, flagged_at)
            values (${id}, now() - interval '9 days', now() - interval '4 days', now())`;
  t.match(await countBacklog(sql), { failingEndpoints: 0 }, 'attempts were under way');
  await switchTo(true);
  await record('connection');
  t.strictSame(await disableFailing(sql), []);
  await deleteEndpoint(sql, ACTOR, key);
  t.equal(await countFailing(), 0, 'a deleted endpoint has no note');
});
