// Places of which one owner gets a share.
import fc from 'fast-check';
import t from 'tap';
import { Shares } from '#ops/runtime/shares.js';

const BOUNDS = { total: 4, perOwner: 2 };

t.test('an owner gets its share, and all owners together the total', (t) => {
  const shares = new Shares(BOUNDS);
  const first = shares.take('a');
  t.type(first, 'function');
  t.type(shares.take('a'), 'function');
  t.equal(shares.take('a'), 'owner');
  t.type(shares.take('b'), 'function');
  t.type(shares.take('c'), 'function');
  t.equal(shares.take('d'), 'all');
  if (typeof first !== 'function') throw new Error('there was room');
  first();
  first();
  t.type(shares.take('d'), 'function', 'a place that is given back twice is free once');
  t.equal(shares.take('a'), 'all');
  t.end();
});

t.test('no sequence of calls exceeds the bounds or loses a place', (t) => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (moves) => {
      const shares = new Shares(BOUNDS);
      const held: { owner: string; release: () => void }[] = [];
      for (const [owner, isTaking] of moves) {
        const own = held.filter((one) => one.owner === owner);
        if (!isTaking) {
          const [one] = own;
          one?.release();
          if (one !== undefined) held.splice(held.indexOf(one), 1);
          continue;
        }
        const release = shares.take(owner);
        const isFree = own.length < BOUNDS.perOwner && held.length < BOUNDS.total;
        t.equal(typeof release === 'function', isFree);
        if (typeof release === 'function') held.push({ owner, release });
      }
    }),
    { numRuns: 100 },
  );
  t.end();
});
