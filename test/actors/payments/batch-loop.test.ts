// The partition loop on a real Redis and Postgres. Ownership changes at the worst moments: between a read and its
// fold, during a commit, and while frames that were read wait for their batch.
import t, { type Test } from 'tap';
import type { PaymentId } from '#actors/core/ids.js';
import type { PaymentStore } from '#actors/payments/ports.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  appendCommand,
  appendEntry,
  encodeCreate,
  encodeSettle,
  encodeSimulate,
} from '#test/support/actors/commands.js';
import {
  generateId,
  type LoopScene,
  MERCHANT,
  openLoopScene,
  openSceneRedis,
} from '#test/support/actors/loop-scene.js';

const server = await openSceneRedis(t);
const { redis } = server;
const openScene = (t: Test, around?: (real: PaymentStore) => Partial<PaymentStore>) =>
  openLoopScene(t, server, around);

t.test('the commands of a frame are applied in order, each once', async (t) => {
  const { sender, countTransitions, readStatus, stop } = await openScene(t);
  const id = generateId(0);
  const create = encodeCreate(id, MERCHANT, 'r');
  const texts = [create, create, encodeSimulate(id, 'paid'), create, encodeSimulate(id, 'failed')];
  const outcomes = ['created', 'replayed', 'done', 'replayed', 'state_conflict'];
  t.strictSame(await sender.send(0, texts), outcomes);
  t.strictSame(await sender.send(0, texts.slice(0, 1)), ['replayed']);
  t.equal(await readStatus(id), 'paid');
  t.equal(await countTransitions(), 2);
  await stop();
});

t.test('a second settlement with one rail transaction opens an operator task', async (t) => {
  const { create, sender, readStatus, sql, stop } = await openScene(t);
  const [first, second, third] = [await create(0), await create(0), await create(0)];
  t.strictSame(await sender.send(0, [encodeSettle(first, 'tx-1')], 'rails'), ['done']);
  const transactions = ['tx-1', 'tx-3', 'tx-3', 'tx-1'];
  const texts = [second, third, second, second].map((id, index) =>
    encodeSettle(id, transactions[index] ?? ''),
  );
  t.strictSame(await sender.send(0, texts, 'rails'), ['done', 'done', 'done', 'unchanged']);
  t.strictSame(await sender.send(0, [encodeSimulate(third, 'paid')]), ['unchanged']);
  t.strictSame(
    [await readStatus(first), await readStatus(second), await readStatus(third)],
    ['paid', 'pending', 'paid'],
  );
  const unapplied = { kind: 'settlement_unapplied', payment_id: second };
  const tasks = await sql`
    select kind, payment_id, details::json ->> 'railTransactionId' as transaction
      from operator_tasks order by transaction`;
  t.strictSame(
    [...tasks],
    ['tx-1', 'tx-3'].map((transaction) => ({ ...unapplied, transaction })),
  );
  t.strictSame([...(await sql`select * from quarantined_commands`)], []);
  t.strictSame(await sender.send(0, [encodeSimulate(second, 'paid')]), ['done'], 'not blocked');
  await stop();
});

t.test('a state that is not remembered is loaded', async (t) => {
  const { create, claim, sender, readStatus, stop } = await openScene(t);
  const id = await create(0);
  await claim(0);
  const text = encodeCreate(id, MERCHANT, id);
  t.strictSame(await sender.send(0, [text]), ['replayed']);
  await claim(0);
  t.strictSame(await sender.send(0, [encodeSimulate(id, 'paid'), text]), ['done', 'replayed']);
  t.equal(await readStatus(id), 'paid');
  await stop();
});

t.test('the remembered snapshots of a partition are limited to 1,000,000 characters', async (t) => {
  const { loop, sender, readStatus, stop } = await openScene(t);
  const ids = Array.from({ length: 40 }, () => generateId(0));
  for (const id of ids) {
    await sender.send(0, [encodeCreate(id, MERCHANT, 'r'.repeat(60_000))]);
  }
  const states = loop.owned.get(0)?.snapshots;
  t.ok((states?.calculatedSize ?? Infinity) <= 1_000_000);
  t.ok((states?.size ?? 0) >= 10, 'the newest are remembered');
  const [first] = ids;
  if (first !== undefined) {
    t.notOk(states?.has(first));
    t.strictSame(await sender.send(0, [encodeSimulate(first, 'paid')]), ['done']);
    t.equal(await readStatus(first), 'paid', 'the first was loaded');
  }
  await stop();
});

t.test('a snapshot that cannot be decoded quarantines only its own payment', async (t) => {
  const { loop, create, sender, sql, stop } = await openScene(t);
  const [damaged, sound] = [await create(0), await create(0)];
  loop.owned.get(0)?.snapshots.set(damaged, '{', { size: 1 });
  const texts = [encodeSimulate(damaged, 'paid'), encodeSimulate(sound, 'paid')];
  t.strictSame(await sender.send(0, texts), ['internal_error', 'done']);
  t.match(await sql`select error from quarantined_commands`, [{ error: /cannot be decoded/ }]);
  await stop();
});

t.test('a partition that is lost during the load is not committed, others are', async (t) => {
  let isArmed = false;
  let hasLoaded = false;
  const scene: LoopScene = await openScene(t, (real) => ({
    loadSnapshots: async (ids) => {
      const found = await real.loadSnapshots(ids);
      if (isArmed) scene.loop.drop([0]);
      hasLoaded ||= isArmed;
      return found;
    },
  }));
  const { create, claim, readClaims, sender, readStatus, countTransitions, stop } = scene;
  const [lost, kept] = [await create(0), await create(1)];
  await claim(0);
  await claim(1);
  const [before] = await readClaims([0]);
  isArmed = true;
  await appendCommand(redis, 0, encodeSimulate(lost, 'paid'));
  t.strictSame(await sender.send(1, [encodeSimulate(kept, 'paid')]), ['done']);
  await waitUntil('the states were loaded', () => hasLoaded);
  t.strictSame((await readClaims([0]))[0], before, 'its position has not moved');
  t.equal(await readStatus(lost), 'pending');
  t.equal(await countTransitions(), 3);
  isArmed = false;
  await claim(0);
  await waitUntil(
    'its next owner applies the command',
    async () => (await readStatus(lost)) === 'paid',
  );
  t.equal(await countTransitions(), 4);
  await stop();
});

t.test('a partition that is lost and claimed again during the load is read again', async (t) => {
  let isArmed = false;
  const scene: LoopScene = await openScene(t, (real) => ({
    loadSnapshots: async (ids) => {
      const found = await real.loadSnapshots(ids);
      if (!isArmed) return found;
      isArmed = false;
      scene.loop.drop([0]);
      const other = await scene.other();
      await other.claim(0);
      await waitUntil('another owner applies the command', async () => {
        return (await scene.countTransitions()) === 2;
      });
      await other.stop();
      await scene.claim(0);
      return found;
    },
  }));
  const { create, claim, readClaims, sender, countTransitions, stop } = scene;
  const id = await create(0);
  await claim(0);
  isArmed = true;
  await appendCommand(redis, 0, encodeSimulate(id, 'paid'));
  await waitUntil(
    'the other owner has applied the command',
    async () => (await countTransitions()) === 2,
  );
  await waitUntil('the partition is owned again', () => !isArmed && scene.loop.owned.has(0));
  const [after] = await readClaims([0]);
  t.strictSame(await sender.send(0, [encodeSimulate(id, 'failed')]), ['state_conflict']);
  const [last] = await readClaims([0]);
  t.ok((last?.position.ms ?? 0n) >= (after?.position.ms ?? 0n), 'the position has not fallen');
  t.equal(await countTransitions(), 2, 'applied once');
  await stop();
});

t.test('a commit that is answered after two changes of owner is not remembered', async (t) => {
  let isArmed = false;
  const scene: LoopScene = await openScene(t, (real) => ({
    commit: async (batch) => {
      await real.commit(batch);
      if (!isArmed) return;
      isArmed = false;
      scene.loop.drop([0]);
      const other = await scene.other();
      await other.claim(0);
      const id = batch.created[0]?.id as PaymentId;
      t.strictSame(await scene.sender.send(0, [encodeSimulate(id, 'paid')]), ['done']);
      await other.stop();
      await scene.claim(0);
    },
  }));
  const { sender, readStatus, stop } = scene;
  const id = generateId(0);
  isArmed = true;
  await appendCommand(redis, 0, encodeCreate(id, MERCHANT, 'r'));
  await waitUntil('the partition is owned again', () => !isArmed && scene.loop.owned.has(0));
  const outcomes = await sender.send(0, [encodeSimulate(id, 'failed'), encodeSimulate(id, 'paid')]);
  t.strictSame(outcomes, ['state_conflict', 'unchanged'], 'the state is that of the other owner');
  t.equal(await readStatus(id), 'paid');
  await stop();
});

t.test('an entry without commands moves the position', async (t) => {
  const { readClaims, create, stop } = await openScene(t);
  await create(0);
  const [before] = await readClaims([0]);
  for (let count = 0; count < 70; count += 1) await appendEntry(redis, 0, ['x', 'y']);
  await create(0);
  await appendEntry(redis, 0, ['f', 'nobody']);
  const [last] = await redis.xrevrange('{p00}:commands', '+', '-', 'COUNT', 1);
  await waitUntil('the position is behind the entries', async () => {
    const [now] = await readClaims([0]);
    return `${now?.position.ms}-${now?.position.seq}` === last?.[0];
  });
  t.notSame((await readClaims([0]))[0]?.position, before?.position);
  await stop();
});

t.test('a frame that is read while the loop stops is left to the next owner', async (t) => {
  const { loop, ended, create, readClaims, countTransitions, stop } = await openScene(t);
  await create(0);
  const before = await readClaims([0]);
  const stopping = loop.stop();
  await appendCommand(redis, 0, encodeCreate(generateId(0), MERCHANT, ''));
  await Promise.all([stopping, ended]);
  t.strictSame(await readClaims([0]), before, 'the position has not moved');
  t.equal(await countTransitions(), 1);
  await stop();
});

t.test('a quiesced partition is answered, and nothing more of it is committed', async (t) => {
  const { loop, sender, create, countTransitions, readClaims, stop } = await openScene(t);
  await create(0);
  const texts = Array.from({ length: 50 }, () => encodeCreate(generateId(0), MERCHANT, 'r'));
  const answers = sender.send(0, texts);
  await waitUntil('the batch is under way', async () => (await countTransitions()) > 1);
  await loop.quiesce([0]);
  t.strictSame(new Set(await answers), new Set(['created']));
  const [before] = await readClaims([0]);
  await appendCommand(redis, 0, encodeCreate(generateId(0), MERCHANT, 'r'));
  await create(1);
  t.strictSame((await readClaims([0]))[0]?.position, before?.position);
  await stop();
});
