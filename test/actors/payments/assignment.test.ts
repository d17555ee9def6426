// Shares of partitions, the bound of a batch, and who waits for what.
import t from 'tap';
import { createOwnedPartition, type Ownership } from '#actors/payments/owned-partition.js';
import { computeShare } from '#actors/payments/assignment.js';
import { splitBatch } from '#actors/payments/split-batch.js';
import { WaiterChanges } from '#actors/payments/waiter-changes.js';
import type { Frame } from '#store/redis/commands.js';
import { at } from '#test/support/actors/batches.js';

t.test('shares are even, and all partitions are somebody’s', (t) => {
  for (const count of [1, 2, 3, 5, 16, 20]) {
    const names = Array.from({ length: count }, (_, index) => `p${String(index).padStart(2, '0')}`);
    const shares = names.map((name) => computeShare(name, names, 16));
    t.equal(
      shares.reduce((sum, share) => sum + share, 0),
      16,
      `${count} processes`,
    );
    t.ok(Math.max(...shares) - Math.min(...shares) <= 1);
  }
  t.end();
});

t.test('whoever is not counted has no share', (t) => {
  t.equal(computeShare('x', ['a', 'b'], 16), 0);
  t.equal(computeShare('x', [], 16), 0);
  t.end();
});

function frame(seq: number, commands: number, characters = 2): Frame {
  const command = { correlation: '', text: 'x'.repeat(characters) };
  const list = Array.from({ length: commands }, () => command);
  return { partition: 0, position: at(1, seq), sender: 'g', commands: list };
}

t.test('a batch is bounded in commands and in characters, by whole frames', (t) => {
  const many = Array.from({ length: 20 }, (_, index) => frame(index, 64));
  const { frames, rest } = splitBatch(many);
  t.equal(frames.length, 16, '1,024 commands');
  t.strictSame([...frames, ...rest], many, 'in order, and nothing is lost');
  const large = [frame(0, 1, 3_000_000), frame(1, 1, 2_000_000), frame(2, 1)];
  t.equal(splitBatch(large).frames.length, 1, '4 Mi characters');
  t.end();
});

t.test('one frame is always taken, however large', (t) => {
  t.equal(splitBatch([frame(0, 5_000)]).frames.length, 1);
  t.equal(splitBatch([frame(0, 1, 5_000_000), frame(1, 1)]).frames.length, 1);
  t.strictSame(splitBatch([]), { frames: [], rest: [] });
  t.end();
});

function ownership(): Ownership {
  return new Map([[3, createOwnedPartition({ partition: 3, epoch: 1n, position: at(0, 1) })]]);
}
const from = (correlation: string) => ({ partition: 3, sender: 'g', correlation });

t.test('who waits is remembered with the commit, and not before', (t) => {
  const owned = ownership();
  const changes = new WaiterChanges(owned);
  changes.add(from('a'), 'pay_1', 'create');
  changes.add(from('b'), 'pay_1', 'create');
  changes.add(from(''), 'pay_1', 'create');
  t.strictSame(new WaiterChanges(owned).take(3, 'pay_1', 'create'), [], 'a fold thrown away');
  changes.remember();
  const next = new WaiterChanges(owned);
  const waiting = next.take(3, 'pay_1', 'create').map(({ correlation }) => correlation);
  t.strictSame(waiting, ['a', 'b'], 'the oldest first, nobody who does not wait');
  t.strictSame(next.take(3, 'pay_1', 'create'), [], 'once');
  t.strictSame(next.take(3, 'pay_1', 'cancel'), [], 'each question has its own');
  next.remember();
  t.equal(owned.get(3)?.waiters.size, 0, 'and nothing is left of them');
  t.end();
});

t.test('waiters are bounded', (t) => {
  const changes = new WaiterChanges(ownership());
  for (let count = 0; count < 1_000; count += 1) {
    changes.add(from(String(count)), 'pay_1', 'create');
  }
  t.equal(changes.take(3, 'pay_1', 'create').length, 256);
  t.end();
});

t.test('waiters of a partition that was lost meanwhile are dropped', (t) => {
  const owned = ownership();
  const changes = new WaiterChanges(owned);
  changes.add(from('a'), 'pay_1', 'create');
  owned.clear();
  changes.remember();
  t.equal(owned.size, 0);
  t.end();
});
