// Commands that a sender appends to the partition that a payment had before a split: its owner forwards them, and the owner of the
// payment decides and answers each once.
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { splitPartitions } from '#store/postgres/operations/split-partitions.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import {
  appendCommand,
  encodeCreate,
  encodeSimulate,
  generatePaymentIdIn,
} from '#test/support/actors/commands.js';
import {
  MERCHANT,
  openLoopScene,
  openSceneRedis,
  PARTITIONS,
} from '#test/support/actors/loop-scene.js';

const AFTER = 2 * PARTITIONS;
const server = await openSceneRedis(t);

/** A loop that owns all partitions after a split. */
async function openSplitScene(t: Test) {
  const scene = await openLoopScene(t, server);
  await splitPartitions(scene.sql, PARTITIONS, AFTER);
  for (let partition = 0; partition < AFTER; partition += 1) await scene.claim(partition);
  return scene;
}

t.test('commands for the former partition are answered once, in their order', async (t) => {
  const { sender, sql, readStatus, stop } = await openSplitScene(t);
  const [moved, stayed] = [generatePaymentIdIn(2, AFTER), generatePaymentIdIn(0, AFTER)];
  const texts = [moved, stayed].flatMap((id) => [
    encodeCreate(id, MERCHANT, id),
    encodeSimulate(id, 'paid'),
  ]);
  t.strictSame(await sender.send(0, texts), ['created', 'done', 'created', 'done']);
  t.strictSame([await readStatus(moved), await readStatus(stayed)], ['paid', 'paid']);
  const events =
    await sql`select partition, payment_id as id from payment_events order by partition`;
  t.strictSame(
    [...events],
    [
      { partition: 0, id: stayed },
      { partition: 2, id: moved },
    ],
    'each by the owner of its partition',
  );
  t.strictSame(await sender.send(2, [encodeCreate(moved, MERCHANT, moved)]), ['replayed']);
  await stop();
});

t.test('a payment of neither partition is quarantined', async (t) => {
  const { sender, sql, stop } = await openSplitScene(t);
  const stranger = generatePaymentIdIn(1, AFTER);
  const sent = await sender.send(0, [encodeCreate(stranger, MERCHANT, stranger)]);
  t.strictSame(sent, ['internal_error']);
  const [row] = await sql`select partition, error from quarantined_commands`;
  t.match(row, { partition: 0, error: 'the payment belongs to another partition' });
  await stop();
});

t.test('a forwarded command that is forwarded again acts once', async (t) => {
  const { sender, sql, claim, countTransitions, stop } = await openSplitScene(t);
  const id = generatePaymentIdIn(2, AFTER);
  const [before] =
    await sql`select position_ms::text as ms, position_seq::text as seq from partitions where id = 0`;
  t.strictSame(await sender.send(0, [encodeCreate(id, MERCHANT, id)]), ['created']);
  await waitUntil('the former partition has passed over it', async () => {
    const [row] = await sql`select position_ms::text as ms from partitions where id = 0`;
    return row?.['ms'] !== before?.['ms'];
  });
  // As if its owner had died between the two steps.
  await sql`update partitions set position_ms = ${before?.['ms'] as string}, position_seq = ${before?.['seq'] as string} where id = 0`;
  await claim(0);
  await waitUntil('it is forwarded twice', async () => {
    return (await server.redis.xlen(buildCommandsKey(2))) === 2;
  });
  t.strictSame(await sender.send(2, [encodeSimulate(id, 'paid')]), ['done'], 'both are decided');
  t.equal(await countTransitions(), 2, 'one create and one payment');
  await stop();
});

t.test('a command whose stream Redis has lost holds up no other one', async (t) => {
  const { sender, readStatus, stop } = await openSplitScene(t);
  const [moved, stayed] = [generatePaymentIdIn(2, AFTER), generatePaymentIdIn(0, AFTER)];
  await server.redis.del(buildCommandsKey(2));
  await appendCommand(server.redis, 0, encodeCreate(moved, MERCHANT, moved));
  t.strictSame(await sender.send(0, [encodeCreate(stayed, MERCHANT, stayed)]), ['created']);
  t.equal(await readStatus(moved), undefined, 'it is as lost, and was not answered');
  await stop();
});
