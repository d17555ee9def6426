// Fan-out, queues and recorded attempts.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { encodeBase32 } from '#actors/core/ids.js';
import { selectLiveSecrets } from '#actors/core/webhooks/rotation.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/migration/installation.js';
import { findOverdue, loadDeliveries } from '#store/postgres/webhooks/due-deliveries.js';
import { ensureCursors } from '#store/postgres/cursors.js';
import { fanOut } from '#store/postgres/webhooks/fan-out.js';
import { loadLiveEndpoints } from '#store/postgres/webhooks/endpoint-secrets.js';
import { type AttemptRow, recordAttempts } from '#store/postgres/webhooks/record-attempts.js';
import { isReady, openRedis } from '#store/redis/client.js';
import { fetchDeferred, moveDue } from '#store/redis/webhooks/due-list.js';
import {
  findDeliveryPartition,
  leaveGroup,
  repairDeliveries,
  PARTITIONS,
} from '#store/redis/webhooks/delivery-partitions.js';
import { enqueueDeliveries, finishEntries } from '#store/redis/webhooks/ready-entries.js';
import { claimStale, GroupLostError, readReady } from '#store/redis/webhooks/ready-leases.js';
import {
  buildDeadKey,
  buildDueKey,
  buildHeldKey,
  buildDeferredKey,
  buildLanesKey,
  buildReadyKey,
} from '#store/redis/keys.js';
import { createTestMerchant } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';
import { addEndpoint, addEvents, countDeliveries } from '#test/support/webhooks/outbox.js';

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
await waitUntil('Redis is there', () => isReady(redis));
const endpoint = await addEndpoint(sql, merchantId, 'https://example.com/hook');
const partition = findDeliveryPartition(endpoint.id);
const READY = buildReadyKey(partition);

t.beforeEach(async () => {
  await redis.flushall();
  await repairDeliveries(redis);
});

const RETURN_MS = 1_000;
const FAR_MS = 3_600_000;
const NOTHING = { nextInMs: null, deferredLanes: [] };
const readAs = (consumer: string, count: number) =>
  readReady(redis, consumer, { partitions: PARTITIONS, count }, 10);
const move = () => moveDue(redis, PARTITIONS, RETURN_MS);
const newDelivery = () => ({
  id: `del_${encodeBase32(randomBytes(16))}`,
  endpointId: endpoint.id,
});

t.test('concurrent fan-outs create every delivery once', async (t) => {
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
  t.match(await fanOut(sql), { events: 0, deliveries: { length: 0 } });
});

t.test('a fan-out of some partitions leaves the cursors of the others alone', async (t) => {
  const ids = await addEvents(sql, merchantId, 32);
  await sql.begin(async (holder) => {
    await holder`select from webhook_cursors where partition = 3 for update`;
    t.match(await fanOut(sql, [3]), { events: 0 }, 'another process moves it');
    t.match(await fanOut(sql, [4, 5]), { events: 4 });
  });
  t.match(await fanOut(sql, [3]), { events: 2 });
  t.match(await fanOut(sql), { events: ids.length - 6 });
});

t.test(
  'an event is fanned out to active endpoints of its merchant, environment and type that existed then',
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

t.test('refund.failed is fanned out only to endpoints that name it', async (t) => {
  const url = 'https://example.com/refunds';
  const named = await addEndpoint(sql, merchantId, url, ['refund.failed']);
  await addEvents(sql, merchantId, 1, 'refund.failed');
  const { deliveries } = await fanOut(sql);
  t.same(
    deliveries.map(({ endpointId }) => endpointId),
    [named.id],
    'an endpoint of * receives none',
  );
  await sql`update webhook_endpoints set active = false where id = ${named.id}`;
});

t.test('an attempt is recorded once, with the next step of its delivery', async (t) => {
  const [eventId = ''] = await addEvents(sql, merchantId, 1, 'payment.cancelled');
  const { deliveries } = await fanOut(sql);
  const id = deliveries[0]?.id ?? '';
  const loaded = (await loadDeliveries(sql, [id, 'del_none'])).get(id);
  t.match(loaded, { eventId, endpointId: endpoint.id, attempts: 0, step: 0, nextSecret: null });
  t.match(loaded?.body, new RegExp(`^{"id":"${eventId}"`));
  const row: AttemptRow = {
    deliveryId: id,
    attempt: 1,
    beganMs: performance.now(),
    durationMs: 12,
    statusCode: 503,
    failure: 'http_status',
    error: null,
    excerpt: 'a "b", {c}\u001f\\',
    signatures: null,
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
  t.equal((await loadDeliveries(sql, [id])).size, 0, 'dead deliveries are not loaded');
});

t.test('both secrets are live during a rotation, the new one only after the switch', async (t) => {
  const secretsAt = async (switchAt: string) => {
    await sql`update webhook_endpoints set secret = 'old', next_secret = 'new',
                     switch_at = now() + ${switchAt}::interval where id = ${endpoint.id}`;
    const [live] = await loadLiveEndpoints(sql, [endpoint.id, 'we_none']);
    return live === undefined ? null : selectLiveSecrets(live);
  };
  t.strictSame(await secretsAt('1 hour'), { current: 'old', next: 'new' });
  t.strictSame(await secretsAt('-1 second'), { current: 'new', next: null });
});

t.test('paging over overdue deliveries returns each once', async (t) => {
  const seen = new Set<string>();
  let after = { at: '-infinity', id: '' };
  for (;;) {
    const page = await findOverdue(sql, { after, withinMs: null }, 300);
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

t.test('a delivery is enqueued once while it is in the stream or the due-list', async (t) => {
  const delivery = newDelivery();
  t.equal(await enqueueDeliveries(redis, [delivery, delivery]), 1);
  t.equal(await enqueueDeliveries(redis, [delivery]), 0);
  const [entry] = await readAs('worker', 10);
  t.match(entry, { partition, deliveryId: delivery.id, wasDeferred: false });
  t.equal(await enqueueDeliveries(redis, [delivery]), 0, 'while a worker holds it');
  if (entry === undefined) return;
  await finishEntries(redis, 'worker', [{ entry, step: 'retry', dueInMs: FAR_MS }]);
  const { nextInMs } = await move();
  t.ok(nextInMs !== null && nextInMs > FAR_MS - 60_000 && nextInMs <= FAR_MS);
  t.strictSame(await readAs('worker', 10), []);
  await redis.zadd(buildDueKey(partition), 1, `${endpoint.id} ${delivery.id}`);
  t.equal(await enqueueDeliveries(redis, [delivery]), 0, 'while it is due');
  t.strictSame(await move(), NOTHING);
  const [again] = await readAs('worker', 10);
  t.equal(again?.deliveryId, delivery.id);
  if (again === undefined) return;
  await finishEntries(redis, 'worker', [{ entry: again, step: 'dead', reason: 'http_410' }]);
  t.strictSame(
    await Promise.all([redis.xlen(READY), redis.scard(buildHeldKey(partition))]),
    [0, 0],
  );
  const [dead] = await redis.xrange(buildDeadKey(partition), '-', '+');
  t.strictSame(dead?.[1], ['d', delivery.id, 'reason', 'http_410']);
});

t.test('entries of a dead worker are claimed when they are stale, not before', async (t) => {
  await enqueueDeliveries(redis, [newDelivery()]);
  const [entry] = await readAs('dead', 10);
  t.strictSame(await claimStale(redis, 'alive', 60_000, { partitions: PARTITIONS, count: 10 }), []);
  await waitUntil('it is stale', async () => {
    const [taken] = await claimStale(redis, 'alive', 50, { partitions: PARTITIONS, count: 10 });
    return taken?.entryId === entry?.entryId && taken !== undefined;
  });
});

t.test(
  'a consumer that leaves with pending entries stays in the group until they are claimed',
  async (t) => {
    await enqueueDeliveries(redis, [newDelivery()]);
    const [entry] = await readAs('leaver', 10);
    await leaveGroup(redis, 'leaver');
    await waitUntil('it can be taken over', async () => {
      const [taken] = await claimStale(redis, 'heir', 1, { partitions: PARTITIONS, count: 10 });
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
  },
);

t.test('lost entries, groups and streams are detected and repaired', async (t) => {
  t.equal(await repairDeliveries(redis), 0);
  const [first, second] = [newDelivery(), newDelivery()];
  await enqueueDeliveries(redis, [first, second]);
  const [entry] = await readAs('worker', 1);
  await redis.xdel(READY, entry?.entryId ?? '');
  t.equal(await repairDeliveries(redis), 1, 'an entry is missing');
  t.equal(await enqueueDeliveries(redis, [first, second]), 1, 'the lost one is enqueued again');
  await redis.xgroup('DESTROY', READY, 'webhooks');
  await t.rejects(readAs('worker', 10), GroupLostError);
  await t.rejects(
    claimStale(redis, 'worker', 1, { partitions: PARTITIONS, count: 10 }),
    GroupLostError,
  );
  t.equal(await repairDeliveries(redis), 1, 'the group is missing');
  t.equal((await readAs('worker', 10)).length, 2, 'its entries are read again');
  await redis.flushall();
  t.equal(await repairDeliveries(redis), 16);
});

t.test(
  'new deliveries of a lane with a list join its end, and return one by one or as many as are fetched',
  async (t) => {
    const deliveries = Array.from({ length: 6 }, newDelivery);
    const ids = deliveries.map(({ id }) => id);
    const list = buildDeferredKey(partition, endpoint.id);
    await enqueueDeliveries(redis, deliveries.slice(0, 2));
    for (const entry of await readAs('worker', 10)) {
      await finishEntries(redis, 'worker', [{ entry, step: 'deferred', returnInMs: FAR_MS }]);
    }
    t.equal(await redis.xlen(READY), 0);
    t.equal(await enqueueDeliveries(redis, deliveries.slice(0, 5)), 3, 'new deliveries are added');
    t.equal(await redis.zcard(list), 5, 'at the end of the list');
    await redis.zadd(buildDueKey(partition), 1, `${endpoint.id} ${ids[5] ?? ''}`);
    t.strictSame((await move()).deferredLanes, [], 'the lane is not due');
    t.equal(await redis.zcard(list), 6, 'a due retry joins the list, too');
    await redis.zadd(buildLanesKey(partition), 1, endpoint.id);
    t.strictSame((await move()).deferredLanes, [{ endpointId: endpoint.id, needsRefill: false }]);
    const [probe] = await readAs('worker', 10);
    if (probe === undefined) throw new Error('no entry was moved');
    await finishEntries(redis, 'worker', [{ entry: probe, step: 'deferred', returnInMs: FAR_MS }]);
    t.ok(Number((await move()).nextInMs) > RETURN_MS, 'the lane is delayed');
    t.strictSame(await fetchDeferred(redis, endpoint.id, 4, RETURN_MS), {
      ...{ left: 2, needsRefill: false },
    });
    t.match(await fetchDeferred(redis, endpoint.id, 4, RETURN_MS), { left: 0 });
    const taken = await readAs('worker', 10);
    t.ok(
      probe.wasDeferred && taken.every(({ wasDeferred }) => wasDeferred),
      'each entry says that it was deferred',
    );
    t.strictSame(new Set(taken.map(({ deliveryId }) => deliveryId)), new Set(ids));
    t.strictSame(await redis.keys('*deferred*'), []);
    t.equal(await redis.zcard(buildLanesKey(partition)), 0, 'a lane without a list is not due');
  },
);

t.test('a lost due time of a lane is restored by the next enqueue', async (t) => {
  const delivery = newDelivery();
  await redis.zadd(buildDeferredKey(partition, endpoint.id), 1, delivery.id);
  t.equal(await enqueueDeliveries(redis, [delivery]), 0);
  t.strictSame(await move(), NOTHING);
  const [entry] = await readAs('worker', 10);
  t.equal(entry?.deliveryId, delivery.id);
});
