// The partition loop on a real Redis and Postgres, with ownership that changes at the worst moments:
// between a read and its fold, while a commit is under way, and under frames that were read and not begun.
import t, { type Test } from 'tap';
import { makeId, type PaymentId } from '#actors/core/ids.js';
import type { PaymentStore } from '#actors/payments/ports.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres, type Postgres } from '#store/postgres/client.js';
import { checkInstallation } from '#store/postgres/installation.js';
import { isReady, openRedis } from '#store/redis/client.js';
import {
  createText,
  paymentIdIn,
  settleText,
  simulateText,
} from '#test/support/actors/commands.js';
import { type LoopOptions, startLoop, type TestLoop } from '#test/support/actors/loop.js';
import { appendEntry, openRawSender, type RawSender } from '#test/support/actors/raw.js';
import { createDatabase, startRedis } from '#test/support/servers.js';

const PARTITIONS = 2;
const MERCHANT = makeId('mer', Buffer.alloc(16, 1));
const server = await startRedis(t);
const redis = openRedis(server.url, () => {});
await waitUntil('the client is ready', 5_000, () => isReady(redis));
t.teardown(() => {
  redis.disconnect();
});

interface Scene extends TestLoop {
  readonly sender: RawSender;
  readonly sql: Postgres;
  /** Another loop on the same partitions. */
  readonly other: () => Promise<TestLoop>;
  readonly create: (partition: number) => Promise<PaymentId>;
  readonly statusOf: (id: PaymentId) => Promise<string | undefined>;
  readonly countEvents: () => Promise<number>;
}

/** A loop that owns both partitions of an empty installation. */
async function openScene(
  t: Test,
  around: (real: PaymentStore) => Partial<PaymentStore> = () => ({}),
  clocks: Pick<LoopOptions, 'nowMs' | 'streamNowMs'> = {},
): Promise<Scene> {
  await redis.flushall();
  const databaseUrl = await createDatabase(t);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  await checkInstallation(sql, { partitions: PARTITIONS, idKey: Buffer.alloc(32, 7) });
  const options = { databaseUrl, redisUrl: server.url, partitions: PARTITIONS };
  const running = await startLoop(t, { ...options, ...clocks, around });
  const sender = await openRawSender(t, redis);
  await running.take(0);
  await running.take(1);
  return {
    ...running,
    sender,
    sql,
    other: () => startLoop(t, options),
    create: async (partition) => {
      const id = paymentIdIn(partition, PARTITIONS);
      t.strictSame(await sender.send(partition, [createText(id, MERCHANT, id)]), ['created']);
      return id;
    },
    statusOf: async (id) => {
      const [row] = await sql<{ status: string }[]>`select status from payments where id = ${id}`;
      return row?.status;
    },
    countEvents: async () => (await sql`select 1 from payment_events`).length,
  };
}

t.test('the commands of a frame are applied in order, each once', async (t) => {
  const { sender, countEvents, statusOf, stop } = await openScene(t);
  const id = paymentIdIn(0, PARTITIONS);
  const create = createText(id, MERCHANT, 'r');
  const texts = [create, create, simulateText(id, 'paid'), create, simulateText(id, 'failed')];
  const outcomes = ['created', 'replayed', 'done', 'replayed', 'state_conflict'];
  t.strictSame(await sender.send(0, texts), outcomes);
  t.strictSame(await sender.send(0, texts.slice(0, 1)), ['replayed']);
  t.equal(await statusOf(id), 'paid');
  t.equal(await countEvents(), 2);
  await stop();
});

t.test('what may be dropped is dropped by its age on the clock that dated it', async (t) => {
  const hourMs = 3_600_000;
  const none = (): Partial<PaymentStore> => ({});
  const ahead = { nowMs: () => Date.now() + hourMs };
  for (const clocks of [ahead, { ...ahead, streamNowMs: () => undefined }]) {
    const { create, sender, stop } = await openScene(t, none, clocks);
    const id = await create(0);
    t.strictSame(await sender.send(0, [simulateText(id, 'paid')]), ['done']);
    await stop();
  }
  const waited = { streamNowMs: () => Date.now() + 10_500 };
  const { create, sender, statusOf, stop } = await openScene(t, none, waited);
  const id = await create(0);
  t.strictSame(await sender.send(0, [simulateText(id, 'paid')]), ['overloaded']);
  t.equal(await statusOf(id), 'pending', 'a create is never dropped, a simulate is');
  await stop();
});

t.test(
  'a rail transaction pays one payment; another that names it goes to an operator',
  async (t) => {
    const { create, sender, statusOf, sql, stop } = await openScene(t);
    const [first, second, third] = [await create(0), await create(0), await create(0)];
    t.strictSame(await sender.send(0, [settleText(first, 'tx-1')]), ['done']);
    const texts = [
      settleText(second, 'tx-1'),
      settleText(third, 'tx-3'),
      settleText(second, 'tx-3'),
      settleText(second, 'tx-1'),
      simulateText(third, 'paid'),
    ];
    t.strictSame(await sender.send(0, texts), ['done', 'done', 'done', 'unchanged', 'unchanged']);
    t.strictSame(
      [await statusOf(first), await statusOf(second), await statusOf(third)],
      ['paid', 'pending', 'paid'],
    );
    const tasks = await sql`
    select kind, payment_id, details::json ->> 'railTransactionId' as transaction
      from operator_tasks order by transaction`;
    t.strictSame(
      [...tasks],
      ['tx-1', 'tx-3'].map((transaction) => ({
        kind: 'settlement_unapplied',
        payment_id: second,
        transaction,
      })),
    );
    t.strictSame([...(await sql`select * from parked_commands`)], []);
    t.strictSame(await sender.send(0, [simulateText(second, 'paid')]), ['done'], 'it can be paid');
    await stop();
  },
);

t.test('states that are not remembered are loaded', async (t) => {
  const { create, take, sender, statusOf, stop } = await openScene(t);
  const id = await create(0);
  await take(0);
  const text = createText(id, MERCHANT, id);
  t.strictSame(await sender.send(0, [text]), ['replayed']);
  await take(0);
  t.strictSame(await sender.send(0, [simulateText(id, 'paid'), text]), ['done', 'replayed']);
  t.equal(await statusOf(id), 'paid');
  await stop();
});

t.test('what is remembered is bounded by its size', async (t) => {
  const { loop, sender, statusOf, stop } = await openScene(t);
  const ids = Array.from({ length: 40 }, () => paymentIdIn(0, PARTITIONS));
  for (const id of ids) {
    await sender.send(0, [createText(id, MERCHANT, 'r'.repeat(60_000))]);
  }
  const states = loop.owned.get(0)?.snapshots;
  t.ok((states?.calculatedSize ?? Infinity) <= 1_000_000);
  t.ok((states?.size ?? 0) >= 10, 'and is remembered');
  const [first] = ids;
  if (first !== undefined) {
    t.notOk(states?.has(first));
    t.strictSame(await sender.send(0, [simulateText(first, 'paid')]), ['done']);
    t.equal(await statusOf(first), 'paid', 'what was forgotten is loaded');
  }
  await stop();
});

t.test('what is remembered and cannot be read holds nothing up', async (t) => {
  const { loop, create, sender, sql, stop } = await openScene(t);
  const [damaged, sound] = [await create(0), await create(0)];
  loop.owned.get(0)?.snapshots.set(damaged, '{');
  const texts = [simulateText(damaged, 'paid'), simulateText(sound, 'paid')];
  t.strictSame(await sender.send(0, texts), ['internal_error', 'done']);
  t.match(await sql`select error from parked_commands`, [{ error: /cannot be read/ }]);
  await stop();
});

t.test('a partition that is lost during the load is not committed, the others are', async (t) => {
  let isArmed = false;
  let hasLoaded = false;
  const scene: Scene = await openScene(t, (real) => ({
    loadSnapshots: async (ids) => {
      const found = await real.loadSnapshots(ids);
      if (isArmed) scene.loop.drop([0]);
      hasLoaded ||= isArmed;
      return found;
    },
  }));
  const { create, take, claims, sender, statusOf, countEvents, stop } = scene;
  const [lost, kept] = [await create(0), await create(1)];
  await take(0);
  await take(1);
  const [before] = await claims([0]);
  isArmed = true;
  await appendEntry(redis, 0, ['g', 'x', '', simulateText(lost, 'paid')]);
  t.strictSame(await sender.send(1, [simulateText(kept, 'paid')]), ['done']);
  await waitUntil('the states were loaded', 5_000, () => hasLoaded);
  t.strictSame((await claims([0]))[0], before, 'its position stands');
  t.equal(await statusOf(lost), 'pending');
  t.equal(await countEvents(), 3);
  isArmed = false;
  await take(0);
  await waitUntil('its next owner does it', 5_000, async () => (await statusOf(lost)) === 'paid');
  t.equal(await countEvents(), 4);
  await stop();
});

t.test('a partition that is lost and taken again during the load is read anew', async (t) => {
  let isArmed = false;
  const scene: Scene = await openScene(t, (real) => ({
    loadSnapshots: async (ids) => {
      const found = await real.loadSnapshots(ids);
      if (!isArmed) return found;
      isArmed = false;
      scene.loop.drop([0]);
      const other = await scene.other();
      await other.take(0);
      await waitUntil('another owner does it', 5_000, async () => {
        return (await scene.countEvents()) === 2;
      });
      await other.stop();
      await scene.take(0);
      return found;
    },
  }));
  const { create, take, claims, sender, countEvents, stop } = scene;
  const id = await create(0);
  await take(0);
  isArmed = true;
  await appendEntry(redis, 0, ['g', 'x', '', simulateText(id, 'paid')]);
  await waitUntil('the other owner has done it', 10_000, async () => (await countEvents()) === 2);
  await waitUntil('it is ours again', 5_000, () => !isArmed && scene.loop.owned.has(0));
  const [after] = await claims([0]);
  t.strictSame(await sender.send(0, [simulateText(id, 'failed')]), ['state_conflict']);
  const [last] = await claims([0]);
  t.ok((last?.position.ms ?? 0n) >= (after?.position.ms ?? 0n), 'the position rose');
  t.equal(await countEvents(), 2, 'once');
  await stop();
});

t.test('an answer to a commit that comes after the partition changed hands twice', async (t) => {
  let isArmed = false;
  const scene: Scene = await openScene(t, (real) => ({
    commit: async (batch) => {
      await real.commit(batch);
      if (!isArmed) return;
      isArmed = false;
      scene.loop.drop([0]);
      const other = await scene.other();
      await other.take(0);
      const id = batch.created[0]?.id as PaymentId;
      t.strictSame(await scene.sender.send(0, [simulateText(id, 'paid')]), ['done']);
      await other.stop();
      await scene.take(0);
    },
  }));
  const { sender, statusOf, stop } = scene;
  const id = paymentIdIn(0, PARTITIONS);
  isArmed = true;
  await appendEntry(redis, 0, ['g', 'x', '', createText(id, MERCHANT, 'r')]);
  await waitUntil('it is ours again', 10_000, () => !isArmed && scene.loop.owned.has(0));
  const outcomes = await sender.send(0, [simulateText(id, 'failed'), simulateText(id, 'paid')]);
  t.strictSame(outcomes, ['state_conflict', 'unchanged'], 'what the other owner did counts');
  t.equal(await statusOf(id), 'paid');
  await stop();
});

t.test('an entry without commands moves the position', async (t) => {
  const { claims, create, stop } = await openScene(t);
  await create(0);
  const [before] = await claims([0]);
  for (let count = 0; count < 70; count += 1) await appendEntry(redis, 0, ['x', 'y']);
  await create(0);
  await appendEntry(redis, 0, ['g', 'nobody']);
  const lastId = async (): Promise<string> => {
    const [entry] = await redis.xrevrange('{p00}:commands', '+', '-', 'COUNT', 1);
    return entry?.[0] ?? '';
  };
  const last = await lastId();
  await waitUntil('it is done with', 5_000, async () => {
    const [now] = await claims([0]);
    return `${now?.position.ms}-${now?.position.seq}` === last;
  });
  t.not((await claims([0]))[0]?.position, before?.position);
  await stop();
});

t.test('what is read while the loop stops is left to the next owner', async (t) => {
  const { loop, ended, create, claims, countEvents, stop } = await openScene(t);
  await create(0);
  const before = await claims([0]);
  const stopping = loop.stop();
  await appendEntry(redis, 0, ['g', 'x', '', createText(paymentIdIn(0, PARTITIONS), MERCHANT, '')]);
  await stopping;
  await ended;
  t.strictSame(await claims([0]), before, 'the position stands');
  t.equal(await countEvents(), 1);
  await stop();
});

t.test('who quiesces a partition has all of its answers, and none after', async (t) => {
  const { loop, sender, create, countEvents, claims, stop } = await openScene(t);
  await create(0);
  const ids = Array.from({ length: 50 }, () => paymentIdIn(0, PARTITIONS));
  const answers = sender.send(
    0,
    ids.map((id) => createText(id, MERCHANT, id)),
  );
  await waitUntil('it is under way', 5_000, async () => (await countEvents()) > 1);
  await loop.quiesce([0]);
  t.strictSame(new Set(await answers), new Set(['created']));
  const [before] = await claims([0]);
  await appendEntry(redis, 0, [
    'g',
    'x',
    '',
    createText(paymentIdIn(0, PARTITIONS), MERCHANT, 'r'),
  ]);
  await create(1);
  t.strictSame((await claims([0]))[0]?.position, before?.position);
  await stop();
});
