import { createHash } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import {
  comparePositions,
  formatPosition,
  parsePosition,
  partitionFor,
} from '#actors/core/partition.js';

const U64 = 2n ** 64n - 1n;
const position = fc.record({ ms: fc.bigInt(0n, U64), seq: fc.bigInt(0n, U64) });

t.test('positions', (t) => {
  fc.assert(
    fc.property(position, (value) => {
      const read = parsePosition(formatPosition(value));
      return read.ms === value.ms && read.seq === value.seq;
    }),
  );
  t.equal(formatPosition({ ms: 1n, seq: 0n }), '1-0');
  for (const text of ['', '1', '1-', '-1', '1-2-3', '1-a', ' 1-2', '1-2\n', '*', '$']) {
    t.throws(() => parsePosition(text), TypeError, JSON.stringify(text));
  }
  t.end();
});

t.test('positions compare as numbers', (t) => {
  const compare = (a: string, b: string) => comparePositions(parsePosition(a), parsePosition(b));
  t.ok(compare('2-9', '2-10') < 0, 'as text it would be the other way round');
  t.ok(compare('10-0', '9-5') > 0);
  t.ok(compare('9-5', '10-0') < 0);
  t.ok(compare('2-10', '2-9') > 0);
  t.equal(compare('7-7', '7-7'), 0);
  fc.assert(
    fc.property(position, position, (a, b) => {
      const isSame = a.ms === b.ms && a.seq === b.seq;
      const [ab, ba] = [comparePositions(a, b), comparePositions(b, a)];
      return isSame ? ab === 0 && ba === 0 : ab * ba < 0;
    }),
  );
  t.end();
});

function idOf(index: number): string {
  return makeId('pay', createHash('md5').update(String(index)).digest());
}

t.test('payments spread evenly', (t) => {
  for (const partitions of [1, 3, 8, 16, 64, 100]) {
    const counts = new Array<number>(partitions).fill(0);
    const ids = 2000 * partitions > 64_000 ? 64_000 : 2000 * partitions;
    for (let index = 0; index < ids; index += 1) {
      const partition = partitionFor(idOf(index), partitions);
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    const mean = ids / partitions;
    const farthest = Math.max(...counts.map((count) => Math.abs(count - mean)));
    // Five standard deviations of a fair throw.
    t.ok(farthest < 5 * Math.sqrt(mean), `${partitions} partitions: ${farthest} from ${mean}`);
  }
  t.end();
});

t.test('the partition of an id is fixed for ever', (t) => {
  const id = makeId('pay', new Uint8Array(16));
  t.same(
    [1, 8, 16, 64, 1024].map((partitions) => partitionFor(id, partitions)),
    [0, 5, 13, 13, 333],
  );
  t.equal(partitionFor(idOf(1), 1024), 340);
  t.end();
});
