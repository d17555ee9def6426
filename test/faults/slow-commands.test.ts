// Commands that Postgres cannot commit in the time of a statement (4 s), however few they are: they are deferred, and each
// try delays the others by one statement only.
import t from 'tap';
import type { PaymentId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { sendFrames } from '#store/redis/commands.js';
import { encodeCreate, encodeSettle, generatePaymentIdIn } from '#test/support/actors/commands.js';
import {
  appendCreates,
  FRAME_COMMANDS,
  generateId,
  MERCHANT,
  PARTITIONS,
  startSlowScenes,
} from '#test/support/actors/slow-scenes.js';
import { COMMAND_KEYS } from '#test/support/processes.js';

const { redis, openScene } = await startSlowScenes(t);

async function appendSettle(partition: number, id: PaymentId): Promise<void> {
  const rails = { name: 'r', source: 'rails', keys: COMMAND_KEYS.rails } as const;
  const command = { correlation: '', text: encodeSettle(id, `tx-${partition}`) };
  await sendFrames(redis, rails, new Map([[partition, [command]]]));
}

t.test('a resumed command that is still too slow costs the others one statement', async (t) => {
  const { slowDown, startLoop, sender, sql, countRows, readStatus } = await openScene(t);
  let failures = 0;
  let inARow = 0;
  let mostInARow = 0;
  const { claim, stop } = await startLoop(({ commit }) => ({
    commit: async (batch) => {
      try {
        await commit(batch);
        inARow = 0;
      } catch (error) {
        failures += 1;
        inARow += 1;
        mostInARow = Math.max(mostInARow, inARow);
        throw error;
      }
    },
  }));
  await claim(0);
  const slow = generateId();
  t.strictSame(await sender.send(0, [encodeCreate(slow, MERCHANT, 'r')]), ['created']);
  await slowDown(5, `new.id = '${slow}'`);
  await appendSettle(0, slow);
  await waitUntil('it is set aside', async () => {
    return (await countRows('deferred_commands')) === 1;
  });
  const load = setInterval(() => {
    void appendCreates(redis, 2 * FRAME_COMMANDS, FRAME_COMMANDS);
  }, 50);
  t.teardown(() => {
    clearInterval(load);
  });
  await waitUntil('it is tried twice more', () => failures >= 3 && inARow === 0);
  t.equal(mostInARow, 1);
  clearInterval(load);
  await sql`drop trigger slow on payments`;
  await waitUntil('it is applied', async () => (await readStatus(slow)) === 'paid');
  t.equal(await countRows('deferred_commands'), 0);
  await stop();
});

t.test('a command is resumed although another one is too slow each time', async (t) => {
  const { slowDown, startLoop, sender, countRows, readStatus } = await openScene(t);
  const one = await startLoop();
  const ids = [generatePaymentIdIn(0, PARTITIONS), generatePaymentIdIn(1, PARTITIONS)] as const;
  for (const [partition, id] of ids.entries()) {
    await one.claim(partition);
    t.strictSame(await sender.send(partition, [encodeCreate(id, MERCHANT, 'r')]), ['created']);
  }
  await slowDown(5, 'true');
  for (const [partition, id] of ids.entries()) await appendSettle(partition, id);
  await waitUntil('both are set aside', async () => {
    return (await countRows('deferred_commands')) === 2;
  });
  await one.stop();
  await slowDown(5, `new.id = '${ids[0]}'`);
  const next = await startLoop();
  await Promise.all([next.claim(0), next.claim(1)]);
  await waitUntil('the other one is applied', async () => {
    return (await readStatus(ids[1])) === 'paid';
  });
  t.equal(await readStatus(ids[0]), 'pending');
});
