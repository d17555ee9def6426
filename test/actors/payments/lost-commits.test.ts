// The result of a command depends neither on the clock of the process that applies it, nor on when or how often it is
// applied: commits that Postgres has lost are made again.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { encodeSimulate } from '#test/support/actors/commands.js';
import { openLoopScene, openSceneRedis } from '#test/support/actors/loop-scene.js';

const HOUR_MS = 3_600_000;
const server = await openSceneRedis(t);

t.test(
  'a payment has the time of its append, whatever the clock of its process says',
  async (t) => {
    for (const nowMs of [() => Date.now() + HOUR_MS, () => Date.now() - HOUR_MS]) {
      const scene = await openLoopScene(t, server, undefined, { nowMs });
      const { create, sender, readStatus, sql, stop } = scene;
      const beganMs = Date.now();
      const id = await create(0);
      const [row] = await sql<{ at: Date }[]>`
      select created_at as at from payments where id = ${id}`;
      const atMs = row?.at.getTime() ?? 0;
      t.ok(atMs >= beganMs - 1 && atMs <= Date.now() + 1);
      t.strictSame(await sender.send(0, [encodeSimulate(id, 'paid')]), ['done']);
      t.equal(await readStatus(id), 'paid');
      await stop();
    }
  },
);

t.test('commands whose commits Postgres has lost make the same rows again', async (t) => {
  const { create, sender, sql, claim, stop } = await openLoopScene(t, server);
  const [before] = await sql<{ ms: string; seq: string }[]>`
    select position_ms as ms, position_seq as seq from partitions where id = 0`;
  const id = await create(0);
  await sender.send(0, [encodeSimulate(id, 'paid')]);
  const read = async () => [
    ...(await sql`select * from payments where id = ${id}`),
    ...(await sql`
      select partition, position_ms, position_seq, payment_id, version, type, at, event, envelope
        from payment_events where payment_id = ${id} order by version`),
  ];
  const first = await read();
  t.equal(first.length, 2, 'the payment and its event');
  const written = ['payments', 'payment_events', 'postings', 'balance_rows', 'rail_transactions'];
  for (const table of written) await sql`delete from ${sql(table)}`;
  await sql`
    update partitions set position_ms = ${before?.ms ?? ''}, position_seq = ${before?.seq ?? ''}
     where id = 0`;
  await claim(0);
  await waitUntil('both are applied again', async () => (await read()).length === 2);
  t.strictSame(await read(), first);
  await stop();
});
