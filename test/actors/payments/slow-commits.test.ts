// Commits that Postgres cannot make in the time of a statement (4 s), that need a row which another transaction holds, or
// that a failover lost.
import t, { type Test } from 'tap';
import { makeId, type PaymentId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Postgres } from '#store/postgres/client.js';
import { sendFrames } from '#store/redis/commands.js';
import { encodeCreate, encodeSettle, encodeSimulate } from '#test/support/actors/commands.js';
import {
  appendCreates,
  FRAME_COMMANDS,
  generateId,
  MERCHANT,
  startSlowScenes,
} from '#test/support/actors/slow-scenes.js';
import { COMMAND_KEYS } from '#test/support/processes.js';

const LOCKED_MERCHANT = makeId('mer', Buffer.alloc(16, 2));
const { redis, openScene } = await startSlowScenes(t);

/** Holds the rows of the query in a transaction of its own. */
async function hold(t: Test, sql: Postgres, query: string): Promise<() => Promise<void>> {
  const reserved = await sql.reserve();
  await reserved.unsafe(`begin; set local statement_timeout = 0; ${query} for update`);
  let isHeld = true;
  const release = async (): Promise<void> => {
    if (!isHeld) return;
    isHeld = false;
    await reserved`commit`;
    reserved.release();
  };
  t.teardown(release);
  return release;
}

t.test('a batch that one statement cannot commit in time is committed in parts', async (t) => {
  const { slowDown, startLoop, countRows } = await openScene(t);
  await slowDown(0.025, 'true');
  await appendCreates(redis, 224, FRAME_COMMANDS);
  const { claim, stop } = await startLoop();
  await claim(0);
  await waitUntil('all are committed', async () => (await countRows('payments')) === 224);
  await stop();
});

t.test('a frame that one statement cannot commit in time is committed in parts', async (t) => {
  const { slowDown, startLoop, countRows, sql } = await openScene(t);
  await slowDown(0.8, 'true');
  await appendCreates(redis, 7, 7);
  const { claim, stop } = await startLoop();
  await claim(0);
  await waitUntil('all are committed', async () => (await countRows('payments')) === 7);
  t.strictSame(
    (
      await sql`select snapshot::json ->> 'reference_id' as r from payments order by created_at, r`
    ).map(({ r }) => r as string),
    Array.from({ length: 7 }, (_, index) => `r ${index}`),
    'in order',
  );
  t.equal(await countRows('deferred_commands'), 0);
  await stop();
});

t.test('a poison command is found although its batch takes longer than a statement', async (t) => {
  const { slowDown, startLoop, countRows } = await openScene(t);
  await slowDown(0.05, 'true');
  await appendCreates(redis, 170, FRAME_COMMANDS, (index) => (index === 0 ? '\u0000' : 'r'));
  const { claim, stop } = await startLoop();
  await claim(0);
  await waitUntil('all others are committed', async () => (await countRows('payments')) === 169);
  t.equal(await countRows('quarantined_commands'), 1);
  await stop();
});

t.test(
  'a command whose commit alone takes too long delays the others only now and then',
  async (t) => {
    const { slowDown, startLoop, sender, sql, readStatus, countRows } = await openScene(t);
    const { claim, stop } = await startLoop();
    await claim(0);
    const [slow, first, second] = [generateId(), generateId(), generateId()];
    const creates = [slow, first, second].map((id) => encodeCreate(id, MERCHANT, 'r'));
    t.strictSame(await sender.send(0, creates), ['created', 'created', 'created']);
    await slowDown(5, `new.id = '${slow}'`);
    const answer = sender.send(0, [encodeSettle(slow, 'tx-1')], 'rails');
    await waitUntil('it is set aside', async () => (await countRows('deferred_commands')) === 1);
    t.strictSame(await sender.send(0, [encodeSettle(first, 'tx-2')], 'rails'), ['done']);
    t.equal(await readStatus(slow), 'pending');
    t.equal(await countRows('quarantined_commands'), 0, 'it is never quarantined');
    await sql`drop trigger slow on payments`;
    t.strictSame(await answer, ['done']);
    t.equal(await readStatus(slow), 'paid');
    await stop();
  },
);

t.test('a locked balance of one merchant delays only its own money, in order', async (t) => {
  const { startLoop, sender, sql, readStatus, countRows } = await openScene(t);
  const { claim, stop } = await startLoop();
  await claim(0);
  const [booked, held, other] = [generateId(), generateId(), generateId()];
  const owners = [LOCKED_MERCHANT, LOCKED_MERCHANT, MERCHANT];
  const creates = [booked, held, other].map((id, index) =>
    encodeCreate(id, owners[index] ?? MERCHANT, 'r'),
  );
  t.strictSame(await sender.send(0, creates), ['created', 'created', 'created']);
  t.strictSame(await sender.send(0, [encodeSimulate(booked, 'paid')]), ['done']);
  const release = await hold(
    t,
    sql,
    `select from balance_rows where account like '%:${LOCKED_MERCHANT}:%'`,
  );
  const answers = sender.send(0, [encodeSettle(held, 'tx-1'), encodeSettle(held, 'tx-1')], 'rails');
  await waitUntil('both are deferred', async () => (await countRows('deferred_commands')) === 2);
  const rails = { name: 'rails', source: 'rails', keys: COMMAND_KEYS.rails } as const;
  const repeated = { correlation: '', text: encodeSettle(held, 'tx-1') };
  await sendFrames(redis, rails, new Map([[0, [repeated, repeated]]]));
  t.strictSame(await sender.send(0, [encodeSettle(other, 'tx-2')], 'rails'), ['done']);
  t.equal(await countRows('deferred_commands'), 2, 'a repeat that nobody waits for is not stored');
  t.strictSame(
    await sender.send(0, [encodeCreate(generateId(), LOCKED_MERCHANT, 'r')]),
    ['created'],
    'a create of the same merchant moves no money',
  );
  t.equal(await readStatus(held), 'pending');
  await release();
  t.strictSame(await answers, ['done', 'unchanged'], 'in their order');
  t.equal(await readStatus(held), 'paid');
  t.equal(await countRows('deferred_commands'), 0);
  await stop();
});

t.test('deferred commands survive their owner, before later ones of their payment', async (t) => {
  const { startLoop, sender, sql, readStatus, countRows } = await openScene(t);
  const owner = await startLoop();
  await owner.claim(0);
  const [booked, held] = [generateId(), generateId()];
  const creates = [booked, held].map((id) => encodeCreate(id, LOCKED_MERCHANT, 'r'));
  t.strictSame(await sender.send(0, creates), ['created', 'created']);
  t.strictSame(await sender.send(0, [encodeSimulate(booked, 'paid')]), ['done']);
  const release = await hold(t, sql, `select from balance_rows where account like 'merchant%'`);
  const first = sender.send(0, [encodeSettle(held, 'tx-1')], 'rails');
  await waitUntil('it is deferred', async () => (await countRows('deferred_commands')) === 1);
  await owner.stop();
  const next = await startLoop();
  await next.claim(0);
  const second = sender.send(0, [encodeSimulate(held, 'failed')]);
  await waitUntil('the next waits too', async () => (await countRows('deferred_commands')) === 2);
  await release();
  t.strictSame(await first, ['done']);
  t.strictSame(await second, ['state_conflict']);
  t.equal(await readStatus(held), 'paid');
  t.equal(await countRows('deferred_commands'), 0);
  await next.stop();
});

t.test('commands whose commits a failover of Postgres lost are applied again', async (t) => {
  const { startLoop, sender, sql, readStatus, countRows } = await openScene(t);
  const { claim, loop, readClaims, stop } = await startLoop();
  await claim(0);
  const [kept, lost] = [generateId(), generateId()];
  const create = (id: PaymentId) => sender.send(0, [encodeCreate(id, MERCHANT, 'r')]);
  t.strictSame(await create(kept), ['created']);
  const [before] = await readClaims([0]);
  t.strictSame(await create(lost), ['created']);
  await sql.begin(async (tx) => {
    await tx`delete from payments where id = ${lost}`;
    await tx`delete from payment_events where payment_id = ${lost}`;
    await tx`update partitions set position_ms = ${String(before?.position.ms)},
                    position_seq = ${String(before?.position.seq)} where id = 0`;
  });
  await appendCreates(redis, 1, 1);
  await waitUntil('the partition is dropped', () => !loop.owned.has(0));
  await claim(0);
  await waitUntil('all exist', async () => (await countRows('payments')) === 3);
  t.strictSame([await readStatus(kept), await readStatus(lost)], ['pending', 'pending']);
  t.strictSame(await create(lost), ['replayed']);
  await stop();
});
