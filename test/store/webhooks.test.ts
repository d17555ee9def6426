// Fan-out, queues and records on a real Postgres and a real Redis.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '../../actors/core/ids.js';
import { waitUntil } from '../../ops/dev/wait.js';
import { openPostgres } from '../../store/postgres/client.js';
import { checkInstallation } from '../../store/postgres/installation.js';
import { findOverdue, loadDeliveries } from '../../store/postgres/webhooks/due-deliveries.js';
import { ensureCursors, fanOut } from '../../store/postgres/webhooks/fan-out.js';
import { type AttemptRow, recordAttempts } from '../../store/postgres/webhooks/record-attempts.js';
import { isReady, openRedis } from '../../store/redis/client.js';
import {
  deliveryPartitionOf,
  enqueueDeliveries,
  finishEntries,
  GroupLostError,
  leaveGroup,
  mendDeliveries,
  moveDue,
  takeOverStale,
  takeReady,
} from '../../store/redis/deliveries.js';
import { deadKey, heldKey, readyKey } from '../../store/redis/keys.js';
import { createTestMerchant } from '../support/processes.js';
import { createDatabase, startRedis } from '../support/servers.js';
import { addEndpoint, addEvents, countDeliveries } from '../support/webhooks/outbox.js';

const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 8);
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
t.teardown(async () => {
  redis.disconnect();
  await sql.end({ timeout: 1 });
});
const { merchantId } = await createTestMerchant(databaseUrl);
await checkInstallation(sql, { partitions: 16, idKey: Buffer.alloc(32, 7) });
await ensureCursors(sql);
await waitUntil('Redis is there', 5_000, () => isReady(redis));
const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/hook');
const partition = deliveryPartitionOf(endpoint.id);
const READY = readyKey(partition);

t.beforeEach(async () => {
  await redis.flushall();
  await mendDeliveries(redis);
});

const newDelivery = () => ({
  id: `del_${encodeBase32(randomBytes(16))}`,
  endpointId: endpoint.id,
});

t.test('many fan-outs at once make each delivery once, and all of them', async (t) => {
  const ids = await addEvents(sql, merchantId, 2_000);
  const made: string[] = [];
  for (let events = 1; events > 0;) {
    const results = await Promise.all(Array.from({ length: 8 }, () => fanOut(sql)));
    for (const result of results) made.push(...result.deliveries.map(({ id }) => id));
    events = results.reduce((sum, result) => sum + result.events, 0);
  }
  t.equal(made.length, ids.length);
  t.equal(new Set(made).size, ids.length);
  t.strictSame(await countDeliveries(sql), { pending: ids.length });
  t.match(await fanOut(sql), { events: 0, deliveries: [] });
});

t.test(
  'only for endpoints that want it: type, active, environment, merchant, from then on',
  async (t) => {
    const other = await createTestMerchant(databaseUrl);
    const wanting = await addEndpoint(sql, merchantId, 'https://a.test/', ['payment.failed']);
    const [inactive, live, later] = [
      await addEndpoint(sql, merchantId, 'https://b.test/', ['payment.failed']),
      await addEndpoint(sql, merchantId, 'https://c.test/', ['payment.failed']),
      await addEndpoint(sql, merchantId, 'https://d.test/', ['payment.failed']),
    ];
    await addEndpoint(sql, other.merchantId, 'https://e.test/');
    await sql`update webhook_endpoints set active = false where id = ${inactive.id}`;
    await sql`update webhook_endpoints set environment = 'LIVE' where id = ${live.id}`;
    await sql`update webhook_endpoints set created_at = now() + interval '1 hour' where id = ${later.id}`;
    await addEvents(sql, merchantId, 1, 'payment.failed');
    const { deliveries } = await fanOut(sql);
    const got = new Set(deliveries.map(({ endpointId }) => endpointId));
    t.strictSame(got, new Set([wanting.id, endpoint.id]));
  },
);

t.test('an attempt is recorded once, and moves its delivery', async (t) => {
  const [eventId = ''] = await addEvents(sql, merchantId, 1, 'payment.cancelled');
  const { deliveries } = await fanOut(sql);
  const id = deliveries[0]?.id ?? '';
  const loaded = (await loadDeliveries(sql, [id, 'del_none'])).get(id);
  t.match(loaded, { eventId, endpointId: endpoint.id, attempts: 0, step: 0, nextSecret: null });
  t.match(loaded?.body, new RegExp(`^{"id":"${eventId}"`));
  const row: AttemptRow = {
    deliveryId: id,
    attempt: 1,
    startedAtMs: Date.now(),
    durationMs: 12,
    statusCode: 503,
    failure: 'http_status',
    error: null,
    excerpt: 'a "b", {c}\u001f\\',
    status: 'pending',
    nextInMs: 172_800_000,
  };
  await recordAttempts(sql, [row]);
  await recordAttempts(sql, [{ ...row, statusCode: 200, status: 'delivered', failure: null }]);
  const attempts = await sql`select status_code, failure, excerpt from webhook_attempts
                              where delivery_id = ${id}`;
  const { statusCode: status_code, failure, excerpt } = row;
  t.strictSame([...attempts], [{ status_code, failure, excerpt }]);
  const again = (await loadDeliveries(sql, [id])).get(id);
  t.match(again, { attempts: 1, step: 1 });
  t.ok(Math.abs(Number(again?.dueInMs) - 172_800_000) < 60_000);
  await recordAttempts(sql, [{ ...row, attempt: 2, status: 'dead', nextInMs: null }]);
  t.equal((await loadDeliveries(sql, [id])).size, 0, 'the dead are not loaded');
});

t.test('which secrets are live while a rotation overlaps', async (t) => {
  await addEvents(sql, merchantId, 1);
  const { deliveries } = await fanOut(sql);
  const id = deliveries.find(({ endpointId }) => endpointId === endpoint.id)?.id ?? '';
  const secretsAt = async (switchAt: string) => {
    await sql`update webhook_endpoints set secret = 'old', next_secret = 'new',
                     switch_at = now() + ${switchAt}::interval where id = ${endpoint.id}`;
    const { currentSecret, nextSecret } = (await loadDeliveries(sql, [id])).get(id) ?? {};
    return [currentSecret, nextSecret];
  };
  t.strictSame(await secretsAt('1 hour'), ['old', 'new']);
  t.strictSame(await secretsAt('-1 second'), ['new', null]);
});

t.test('the walk over what is overdue sees everything once', async (t) => {
  const seen = new Set<string>();
  let after = { at: '-infinity', id: '' };
  for (;;) {
    const page = await findOverdue(sql, after, 300);
    for (const { id } of page) seen.add(id);
    const last = page.at(-1);
    if (last === undefined) break;
    after = last;
  }
  const rows = await sql<{ id: string }[]>`
    select id from webhook_deliveries where status = 'pending' and next_attempt_at <= now()`;
  t.strictSame(seen, new Set(rows.map(({ id }) => id)));
  t.ok(seen.size > 1_000);
});

t.test('a delivery is held once, from stream to due-list and back, to its end', async (t) => {
  const delivery = newDelivery();
  t.equal(await enqueueDeliveries(redis, [delivery, delivery]), 1);
  t.equal(await enqueueDeliveries(redis, [delivery]), 0);
  const [entry] = await takeReady(redis, 'worker', 10, 10);
  t.match(entry, { partition, deliveryId: delivery.id });
  t.equal(await enqueueDeliveries(redis, [delivery]), 0, 'while it is worked on');
  if (entry === undefined) return;
  await finishEntries(redis, [{ entry, step: 'later', dueAtMs: 5_000 }]);
  t.equal(await enqueueDeliveries(redis, [delivery]), 0, 'while it waits');
  t.equal(await moveDue(redis, 4_999), 5_000);
  t.strictSame(await takeReady(redis, 'worker', 10, 10), []);
  t.equal(await moveDue(redis, 5_000), null);
  const [again] = await takeReady(redis, 'worker', 10, 10);
  t.equal(again?.deliveryId, delivery.id);
  if (again === undefined) return;
  await finishEntries(redis, [{ entry: again, step: 'dead', reason: 'http_410' }]);
  t.strictSame(await Promise.all([redis.xlen(READY), redis.scard(heldKey(partition))]), [0, 0]);
  const [dead] = await redis.xrange(deadKey(partition), '-', '+');
  t.strictSame(dead?.[1], ['d', delivery.id, 'reason', 'http_410']);
});

t.test(
  'entries of a worker that died are taken over when they are stale, not before',
  async (t) => {
    await enqueueDeliveries(redis, [newDelivery()]);
    const [entry] = await takeReady(redis, 'dead', 10, 10);
    t.strictSame(await takeOverStale(redis, 'alive', 60_000, 10), []);
    await waitUntil('it is stale', 5_000, async () => {
      const [taken] = await takeOverStale(redis, 'alive', 50, 10);
      return taken?.entryId === entry?.entryId && taken !== undefined;
    });
  },
);

t.test('who leaves with entries pending stays in the group, and is taken over', async (t) => {
  await enqueueDeliveries(redis, [newDelivery()]);
  const [entry] = await takeReady(redis, 'leaver', 10, 10);
  await leaveGroup(redis, 'leaver');
  await waitUntil('it can be taken over', 5_000, async () => {
    const [taken] = await takeOverStale(redis, 'heir', 1, 10);
    return taken !== undefined && taken.entryId === entry?.entryId;
  });
  await leaveGroup(redis, 'leaver');
  const consumers = (await redis.xinfo('CONSUMERS', READY, 'webhooks')) as string[][];
  t.strictSame(
    consumers.map((fields) => fields[1]),
    ['heir'],
  );
  await redis.flushall();
  await leaveGroup(redis, 'heir');
});

t.test('what was lost is noticed, and mended', async (t) => {
  t.equal(await mendDeliveries(redis), 0);
  const [first, second] = [newDelivery(), newDelivery()];
  await enqueueDeliveries(redis, [first, second]);
  const [entry] = await takeReady(redis, 'worker', 1, 10);
  await redis.xdel(READY, entry?.entryId ?? '');
  t.equal(await mendDeliveries(redis), 1, 'an entry is gone');
  t.equal(await enqueueDeliveries(redis, [first, second]), 1, 'it comes again');
  await redis.xgroup('DESTROY', READY, 'webhooks');
  await t.rejects(takeReady(redis, 'worker', 10, 10), GroupLostError);
  await t.rejects(takeOverStale(redis, 'worker', 1, 10), GroupLostError);
  t.equal(await mendDeliveries(redis), 1, 'the group is gone');
  t.equal((await takeReady(redis, 'worker', 10, 10)).length, 2, 'its entries are read again');
  await redis.flushall();
  t.equal(await mendDeliveries(redis), 16);
});
