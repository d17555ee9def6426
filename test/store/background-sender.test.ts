// Background commands on a real Redis: each partition holds a few of a sender's commands until it has committed them.
import t from 'tap';
import type { Position } from '#actors/core/partition.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { BackgroundSender, MAX_UNDER_WAY } from '#store/redis/background-sender.js';
import { openRedis } from '#store/redis/client.js';
import { maintainStreams } from '#store/redis/stream-repair.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import { generatePaymentIdIn } from '#test/support/actors/commands.js';
import { COMMAND_KEYS } from '#test/support/processes.js';
import { startRedis } from '#test/support/servers.js';

const PARTITIONS = 2;
const PER_PARTITION = MAX_UNDER_WAY / PARTITIONS;
const NOTHING: Position = { ms: 0n, seq: 1n };

const redis = openRedis((await startRedis(t)).url, () => {});
t.teardown(() => {
  redis.disconnect();
});
await waitUntil('Redis is connected', () => redis.status === 'ready');

/** A sender on empty streams; `commit` moves the committed position behind the latest frame. */
async function openScene() {
  const positions = [NOTHING, NOTHING];
  await redis.flushall();
  await maintainStreams(
    redis,
    positions.map((after, partition) => ({ partition, after })),
  );
  const background = new BackgroundSender({
    redis,
    sender: { name: 'x', source: 'rails', keys: COMMAND_KEYS.rails },
    countPartitions: () => PARTITIONS,
    readPositions: (partitions) =>
      Promise.resolve(
        partitions.map((partition) => ({ partition, position: positions[partition] ?? NOTHING })),
      ),
  });
  const commit = async (partition: number): Promise<void> => {
    const [last] = await redis.xrevrange(buildCommandsKey(partition), '+', '-', 'COUNT', 1);
    const [ms = '0', seq = '0'] = last?.[0].split('-') ?? [];
    positions[partition] = { ms: BigInt(ms), seq: BigInt(seq) };
  };
  return { background, commit };
}

const build = (partition: number): PaymentCommand => ({
  type: 'expire',
  paymentId: generatePaymentIdIn(partition, PARTITIONS),
});
const countFrames = (partition: number): Promise<number> => redis.xlen(buildCommandsKey(partition));

t.test('a partition takes its share, and no more until that is committed', async (t) => {
  const { background, commit } = await openScene();
  const first = await background.readRoom();
  const commands = Array.from({ length: PER_PARTITION + 10 }, () => build(0));
  const chosen = commands.filter(({ paymentId }) => first.take(paymentId));
  t.equal(chosen.length, PER_PARTITION);
  t.equal((await background.send(chosen)).size, PER_PARTITION);
  const second = await background.readRoom();
  t.equal(second.take(build(0).paymentId), false, 'its frame is not committed');
  t.equal(second.take(build(1).paymentId), true, 'another partition has room');
  t.equal(second.isStuck(build(0).paymentId), false, 'not yet');
  await commit(0);
  t.equal((await background.readRoom()).take(build(0).paymentId), true);
});

t.test('a refused command is not counted as sent', async (t) => {
  const { background } = await openScene();
  await redis.del(buildCommandsKey(0));
  const [refused, accepted] = [build(0), build(1)];
  const sent = await background.send([refused, accepted]);
  t.strictSame([...sent], [accepted.paymentId]);
  t.equal((await background.readRoom()).take(refused.paymentId), true, 'its partition has room');
});

t.test('a frame that Redis has lost frees its partition, one that waits does not', async (t) => {
  const { background } = await openScene();
  await background.send([build(0), build(1)]);
  await redis.xtrim(buildCommandsKey(0), 'MAXLEN', 0);
  await waitUntil('the partition is free', async () => {
    return (await background.readRoom()).take(build(0).paymentId);
  });
  const room = await background.readRoom();
  t.equal(room.take(build(1).paymentId), false);
  t.equal(room.isStuck(build(1).paymentId), true);
  t.equal(await countFrames(1), 1);
});
