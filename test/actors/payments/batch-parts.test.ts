// Pure parts of the payments process: shares of partitions, the size of a batch, and waiters.
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { decide, evolve } from '#actors/core/payment/state-machine.js';
import { type BatchCommand, decodeFrames, splitBatch } from '#actors/payments/batch-input.js';
import { foldBatch } from '#actors/payments/fold.js';
import { computeShare, listSurplus } from '#actors/payments/lease-keeper.js';
import {
  createOwnedPartition,
  type Ownership,
  WaiterChanges,
} from '#actors/payments/owned-partition.js';
import type { Frame } from '#store/redis/frames.js';
import { at, AT_MS } from '#test/support/actors/batches.js';
import {
  encodeCreate,
  encodeSimulate,
  generatePaymentIdIn,
} from '#test/support/actors/commands.js';

const MERCHANT = makeId('mer', Buffer.alloc(16, 1));

t.test('the shares of all processes are even and cover all partitions', (t) => {
  for (const [count, partitions] of [1, 2, 3, 5, 16, 20].flatMap((one) => [
    [one, 16] as const,
    [one, 256] as const,
  ])) {
    const names = Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, '0')}`);
    const shares = names.map((name) => computeShare(name, names, partitions));
    t.equal(
      shares.reduce((sum, share) => sum + share, 0),
      partitions,
      `${count} processes`,
    );
    t.ok(Math.max(...shares) - Math.min(...shares) <= 1);
  }
  t.end();
});

t.test('a process that is not in the list has no share', (t) => {
  t.equal(computeShare('x', ['a', 'b'], 16), 0);
  t.equal(computeShare('x', [], 16), 0);
  t.end();
});

function buildFrame(seq: number, commandCount: number, characters = 2): Frame {
  const command = { correlation: '', text: 'x'.repeat(characters) };
  const commands = Array.from({ length: commandCount }, () => command);
  return { partition: 0, position: at(1, seq), sender: 'g', source: 'gateway', commands };
}

t.test('a process hands over the partitions last that were moved to it', (t) => {
  t.strictSame(listSurplus([3, 9, 1, 5], [9, 3], 3), [5, 1, 9]);
  t.strictSame(listSurplus([3, 9], [], 1), [9]);
  t.end();
});

t.test('a batch has whole frames, within its limits of commands and characters', (t) => {
  const many = Array.from({ length: 20 }, (_, index) => buildFrame(index, 64));
  const { frames, rest } = splitBatch(many, 1_024);
  t.equal(frames.length, 16, '1,024 commands');
  t.strictSame([...frames, ...rest], many, 'all frames remain, in order');
  const large = [buildFrame(0, 1, 3_000_000), buildFrame(1, 1, 2_000_000), buildFrame(2, 1)];
  t.equal(splitBatch(large, 1_024).frames.length, 1, '4 Mi characters');
  t.end();
});

t.test('a frame above the limits is a batch of its own', (t) => {
  t.equal(splitBatch([buildFrame(0, 5_000)], 1).frames.length, 1);
  t.equal(splitBatch([buildFrame(0, 1, 5_000_000), buildFrame(1, 1)], 2).frames.length, 1);
  t.strictSame(splitBatch([], 1), { frames: [], rest: [] });
  t.end();
});

t.test('a command whose payment cannot be encoded is quarantined, and the others are kept', (t) => {
  const [damaged, sound] = [generatePaymentIdIn(3, 4), generatePaymentIdIn(3, 4)];
  const [create] = decodeTexts([encodeCreate(damaged, MERCHANT, 'r')]);
  if (create?.command?.type !== 'create') throw new Error('no create');
  const [created] = decide(undefined, create.command, AT_MS).events;
  if (created === undefined) throw new Error('no event');
  const beyondAnyDate = { ...evolve(undefined, created), expiresAtMs: 9e15 };
  const commands = decodeTexts([
    encodeSimulate(damaged, 'paid'),
    encodeCreate(sound, MERCHANT, 'r'),
    encodeSimulate(sound, 'paid'),
  ]);
  const { batch, replies } = foldBatch(commands, {
    partitions: ownPartition(),
    known: new Map([[damaged, beyondAnyDate]]),
    frames: [{ partition: 3, position: at(1, 1), commands: [] }],
    deferral: { locked: new Set(), maxCommands: 10, monotonicMs: 0 },
    atMs: AT_MS,
    streamNowMs: undefined,
    baseUrl: 'http://kasir.test',
  });
  t.match(batch.quarantined, [{ index: 0, error: /Invalid time value/ }]);
  t.strictSame(
    batch.events.map(({ paymentId, index }) => [paymentId, index]),
    [[sound, 0]],
    'with none of its events',
  );
  t.strictSame(batch.changed, []);
  t.strictSame(
    replies.get('g')?.map(({ outcome }) => outcome),
    ['internal_error', 'created', 'done'],
  );
  t.end();
});

/** One frame of partition 3. */
function decodeTexts(texts: readonly string[]): BatchCommand[] {
  const commands = texts.map((text, index) => ({ correlation: String(index), text }));
  const options = { partitions: new Map([[3, { counts: [4] }]]), resumed: new Map() };
  return decodeFrames([{ ...buildFrame(1, 0), partition: 3, commands }], options);
}

function ownPartition(): Ownership {
  return new Map([
    [3, createOwnedPartition({ partition: 3, epoch: 1n, position: at(0, 1), counts: [4] })],
  ]);
}
const addressOf = (correlation: string) => ({ partition: 3, sender: 'g', correlation });

t.test('waiters are remembered by `remember` only, and taken once, the oldest first', (t) => {
  const owned = ownPartition();
  const changes = new WaiterChanges(owned);
  changes.add(addressOf('a'), 'pay_1', 'create');
  changes.add(addressOf('b'), 'pay_1', 'create');
  changes.add(addressOf(''), 'pay_1', 'create');
  t.strictSame(new WaiterChanges(owned).take(3, 'pay_1', 'create'), [], 'of a discarded fold');
  changes.remember();
  const next = new WaiterChanges(owned);
  const waiting = next.take(3, 'pay_1', 'create').map(({ correlation }) => correlation);
  t.strictSame(waiting, ['a', 'b'], 'an empty correlation waits for nothing');
  t.strictSame(next.take(3, 'pay_1', 'create'), [], 'taken once');
  t.strictSame(next.take(3, 'pay_1', 'cancel'), [], 'each waiter is apart');
  next.remember();
  t.equal(owned.get(3)?.waiters.size, 0, 'an empty list is deleted');
  t.end();
});

t.test('the waiters of one payment and event are limited to 256', (t) => {
  const changes = new WaiterChanges(ownPartition());
  for (let count = 0; count < 1_000; count += 1) {
    changes.add(addressOf(String(count)), 'pay_1', 'create');
  }
  t.equal(changes.take(3, 'pay_1', 'create').length, 256);
  t.end();
});

t.test('waiters of a lost partition are dropped', (t) => {
  const owned = ownPartition();
  const changes = new WaiterChanges(owned);
  changes.add(addressOf('a'), 'pay_1', 'create');
  owned.clear();
  changes.remember();
  t.equal(owned.size, 0);
  t.end();
});
