// The recorder of attempts: an attempt that cannot be stored, or whose rows are locked, holds up no other.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import {
  createAttemptRecorder,
  decideAfterAttempt,
  type RecordEntry,
} from '#actors/webhooks/deliveries/attempt-recorder.js';
import { openDeliveryStore } from '#actors/webhooks/deliveries/ports.js';
import { encodeBase32 } from '#actors/core/ids.js';
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { readConfig } from '#ops/runtime/config.js';
import { openPostgres } from '#store/postgres/client.js';
import { isReady, openRedis } from '#store/redis/client.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import { repairDeliveries, PARTITIONS } from '#store/redis/webhooks/delivery-partitions.js';
import { enqueueDeliveries, type ReadyEntry } from '#store/redis/webhooks/ready-entries.js';
import { readReady } from '#store/redis/webhooks/ready-leases.js';
import { createTestMerchant, TEST_KEYS } from '#test/support/processes.js';
import { createDatabase, startRedis } from '#test/support/servers.js';
import { countKept } from '#test/support/webhooks/kept.js';
import { addEndpoint } from '#test/support/webhooks/outbox.js';

const CONSUMER = 'worker';
const MANY = 40;
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 4);
const attempts = openPostgres(databaseUrl, 'attempts', 2);
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
t.teardown(async () => {
  redis.disconnect();
  await Promise.all([sql.end({ timeout: 1 }), attempts.end({ timeout: 1 })]);
});
const { merchantId } = await createTestMerchant(databaseUrl);
const log = createLog(readConfig('start', { ...TEST_KEYS, LOG_LEVEL: 'silent' }), 'webhooks');
await waitUntil('Redis is there', () => isReady(redis));

interface Harness {
  readonly record: RecordEntry;
  readonly finished: string[];
  /** Endpoints of recorded attempts. */
  readonly recorded: string[];
  readonly counts: { unrecorded: number; deadLetters: number };
  readonly giveUp: AbortController;
}

function createHarness(): Harness {
  const finished: string[] = [];
  const recorded: string[] = [];
  const counts = { unrecorded: 0, deadLetters: 0 };
  const giveUp = new AbortController();
  const record = createAttemptRecorder({
    ...{ redis, consumer: CONSUMER, giveUp: giveUp.signal, clock: SYSTEM_CLOCK, log },
    store: openDeliveryStore({ reads: sql, attempts, fanOut: sql }),
    onFinished: ({ deliveryId }) => finished.push(deliveryId),
    onWaiting: () => undefined,
    onRecorded: (endpointId) => recorded.push(endpointId),
    unrecorded: { inc: () => (counts.unrecorded += 1) },
    deadLetters: { inc: (count) => (counts.deadLetters += count) },
  });
  return { record, finished, recorded, counts, giveUp };
}

/** Entries of new deliveries at an endpoint, as a worker holds them. */
async function holdEntries(endpointId: string, count: number): Promise<ReadyEntry[]> {
  await repairDeliveries(redis);
  const ids = Array.from({ length: count }, () => `del_${encodeBase32(randomBytes(16))}`);
  await sql`
    insert into webhook_deliveries (id, event_id, endpoint_id, payment_id, version, type)
    select id, 'evt_' || id, ${endpointId}, 'pay_1', 2, 'payment.paid' from unnest(${ids}::text[]) id`;
  await enqueueDeliveries(
    redis,
    ids.map((id) => ({ id, endpointId })),
  );
  return readReady(redis, CONSUMER, { partitions: PARTITIONS, count }, 10);
}

const buildAttempt = ({ deliveryId }: ReadyEntry, given: Partial<AttemptRow> = {}): AttemptRow => ({
  ...{ deliveryId, attempt: 1, beganMs: performance.now(), durationMs: 5, statusCode: 200 },
  ...{ failure: null, error: null, excerpt: null, signatures: null },
  ...{ status: 'delivered', nextInMs: null },
  ...given,
});

const recordDone = (
  { record }: Harness,
  entry: ReadyEntry,
  given: Partial<AttemptRow> = {},
): Promise<void> | undefined =>
  record({ outcome: { entry, step: 'done' }, attempt: buildAttempt(entry, given) });

async function readStatus(id: string | undefined): Promise<string> {
  const rows = await sql<{ status: string; reason: string | null }[]>`
    select status, reason from webhook_deliveries where id = ${id ?? ''}`;
  return `${rows[0]?.status} ${rows[0]?.reason}`;
}

const newEndpoint = async (): Promise<string> =>
  (await addEndpoint(sql, merchantId, 'https://example.com/hook')).id;

async function expectRest(t: Test, harness: Harness, rest: readonly ReadyEntry[]): Promise<void> {
  await waitUntil('the others are recorded', () => {
    return rest.every(({ deliveryId }) => harness.finished.includes(deliveryId));
  });
  for (const { deliveryId } of rest) t.equal(await readStatus(deliveryId), 'delivered null');
}

t.test(
  'an attempt whose text Postgres refuses is stored without it, and the others as usual',
  async (t) => {
    const harness = createHarness();
    const [poison, ...rest] = await holdEntries(await newEndpoint(), MANY);
    if (poison === undefined) throw new Error('no entry was read');
    for (const entry of rest.slice(0, MANY / 2)) void recordDone(harness, entry);
    void recordDone(harness, poison, { excerpt: 'nul \u0000 byte' });
    for (const entry of rest.slice(MANY / 2)) void recordDone(harness, entry);
    await expectRest(t, harness, [poison, ...rest]);
    const rows =
      await sql`select excerpt from webhook_attempts where delivery_id = ${poison.deliveryId}`;
    t.strictSame([...rows], [{ excerpt: null }]);
    t.equal(harness.counts.unrecorded, 0);
    t.equal(await countKept(redis), 0);
  },
);

t.test('an attempt that Postgres refuses altogether ends its delivery, with a count', async (t) => {
  const harness = createHarness();
  const [failed, succeeded, ...rest] = await holdEntries(await newEndpoint(), MANY);
  if (failed === undefined || succeeded === undefined) throw new Error('no entry was read');
  const tooLong = { durationMs: 2 ** 40 };
  void recordDone(harness, failed, { ...tooLong, failure: 'http_status', status: 'pending' });
  void recordDone(harness, succeeded, tooLong);
  for (const entry of rest) void recordDone(harness, entry);
  await expectRest(t, harness, rest);
  await waitUntil('both have ended', () => harness.finished.length === MANY);
  t.equal(await readStatus(failed.deliveryId), 'dead not_recorded');
  t.equal(await readStatus(succeeded.deliveryId), 'delivered not_recorded');
  t.strictSame(harness.counts, { unrecorded: 2, deadLetters: 1 });
  t.equal(await countKept(redis), 0);
});

t.test('each delivery that becomes dead is counted, also without a request', async (t) => {
  const harness = createHarness();
  const [failing, inactive, locked, ...rest] = await holdEntries(await newEndpoint(), MANY);
  if (!failing || !inactive || !locked) throw new Error('no entry was read');
  const recordDead = (entry: ReadyEntry, failure: DeliveryFailure) => {
    const attempt = buildAttempt(entry, { failure, status: 'dead' });
    return harness.record({ outcome: decideAfterAttempt(entry, attempt), attempt });
  };
  for (const entry of rest) void recordDone(harness, entry);
  void recordDead(failing, 'http_status');
  void recordDead(inactive, 'endpoint_inactive');
  await sql.begin(async (holder) => {
    await holder`select from webhook_deliveries where id = ${locked.deliveryId} for update`;
    void recordDead(locked, 'http_410');
    await waitUntil('the others have ended', () => harness.finished.length === MANY - 1);
    t.equal(harness.counts.deadLetters, 2, 'not before its commit');
  });
  await waitUntil('all have ended', () => harness.finished.length === MANY);
  t.equal(harness.counts.deadLetters, 3);
  t.equal(await readStatus(inactive.deliveryId), 'dead endpoint_inactive');
});

t.test(
  'a locked delivery holds up its own endpoint only, whose later attempts follow in order',
  async (t) => {
    const harness = createHarness();
    const [locked, second] = await holdEntries(await newEndpoint(), 2);
    const rest = await holdEntries(await newEndpoint(), MANY);
    if (locked === undefined || second === undefined) throw new Error('no entry was read');
    let waits: Promise<void> | undefined;
    await sql.begin(async (holder) => {
      await holder`select from webhook_deliveries where id = ${locked.deliveryId} for update`;
      t.equal(recordDone(harness, locked), undefined);
      for (const entry of rest) void recordDone(harness, entry);
      await expectRest(t, harness, rest);
      waits = recordDone(harness, second);
      t.ok(waits, 'the endpoint waits');
      t.notOk(harness.finished.includes(second.deliveryId));
      t.notOk(harness.recorded.includes(locked.endpointId));
    });
    await waits;
    await waitUntil('both are recorded', () => harness.finished.length === MANY + 2);
    t.strictSame(harness.finished.slice(MANY), [locked.deliveryId, second.deliveryId]);
    t.equal(harness.recorded.filter((id) => id === locked.endpointId).length, 2);
    const [third] = await holdEntries(locked.endpointId, 1);
    if (third === undefined) throw new Error('no entry was read');
    t.equal(
      recordDone(harness, third),
      undefined,
      'the endpoint is recorded with the others again',
    );
    await expectRest(t, harness, [third]);
  },
);

t.test('a locked delivery is released when the process stops', async (t) => {
  const harness = createHarness();
  const [locked] = await holdEntries(await newEndpoint(), 1);
  if (locked === undefined) throw new Error('no entry was read');
  await sql.begin(async (holder) => {
    await holder`select from webhook_deliveries where id = ${locked.deliveryId} for update`;
    void recordDone(harness, locked);
    harness.giveUp.abort();
    await waitUntil('it is released', () => harness.finished.length === 1);
  });
  t.equal(await readStatus(locked.deliveryId), 'pending null');
});
