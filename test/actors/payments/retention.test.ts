// How long committed frames stay: by the time of their commit, and with little memory as long as Postgres may lose it.
import t from 'tap';
import { createOwnedPartition, type OwnedPartition } from '#actors/payments/owned-partition.js';
import { Retention, type RetentionLimits } from '#actors/payments/retention.js';
import { at } from '#test/support/actors/batches.js';

const RETAIN_MS = 30_000;

/** A partition of which one position is committed each second, and noted at once. */
function openStage() {
  const owned: OwnedPartition = createOwnedPartition({
    ...{ partition: 0, epoch: 1n, position: at(0), counts: [1] },
  });
  const retention = new Retention();
  return {
    noteSecond: (second: number, limits: Partial<RetentionLimits> = {}) => {
      owned.position = at(second);
      const nowMs = second * 1_000;
      const usual = { retainMs: RETAIN_MS, isMemoryShort: false, confirmedAtMs: nowMs };
      return retention.advance(owned, { nowMs, ...usual, ...limits });
    },
  };
}

t.test('a frame is trimmed when its commit is old enough, however old the frame is', (t) => {
  const { noteSecond } = openStage();
  for (let second = 1; second <= 30; second += 1) t.equal(noteSecond(second), undefined);
  t.strictSame(noteSecond(31), at(1));
  t.strictSame(noteSecond(60), at(30));
  t.equal(noteSecond(60), undefined, 'each position once');
  t.end();
});

t.test('a position that stays is trimmed to once', (t) => {
  const owned: OwnedPartition = createOwnedPartition({
    ...{ partition: 0, epoch: 1n, position: at(0), counts: [1] },
  });
  const retention = new Retention();
  const advance = (second: number) =>
    retention.advance(owned, {
      ...{ nowMs: second * 1_000, retainMs: RETAIN_MS },
      ...{ isMemoryShort: false, confirmedAtMs: second * 1_000 },
    });
  owned.position = at(1);
  for (let second = 1; second <= 30; second += 1) t.equal(advance(second), undefined);
  t.strictSame(advance(31), at(1));
  for (let second = 32; second <= 61; second += 1) t.equal(advance(second), undefined);
  t.end();
});

t.test('without a retention, frames are trimmed at once', (t) => {
  t.strictSame(openStage().noteSecond(1, { retainMs: 0 }), at(1));
  t.end();
});

t.test('a new owner retains what the former one has committed', (t) => {
  const { noteSecond } = openStage();
  t.equal(noteSecond(1_000), undefined);
  t.strictSame(noteSecond(1_030), at(1_000));
  t.end();
});

t.test('with little memory, frames stay until a second before Postgres confirmed them', (t) => {
  const { noteSecond } = openStage();
  const short = { isMemoryShort: true };
  t.equal(noteSecond(1, short), undefined);
  t.strictSame(noteSecond(2, short), at(1));
  const away = { isMemoryShort: true, confirmedAtMs: 2_000 };
  for (let second = 3; second <= 31; second += 1) {
    t.equal(noteSecond(second, away), undefined, 'Postgres confirms nothing');
  }
  t.strictSame(noteSecond(32, away), at(2), 'the retention is over');
  t.strictSame(noteSecond(33, short), at(32));
  t.end();
});
