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
  t.equal(shares.take('a'), 'owner', 'who holds one leaves the next one to others');
  t.equal(shares.take('e'), 'all');
  t.end();
});

t.test('owners who take all they can leave places to each owner who comes later', (t) => {
  const shares = new Shares({ total: 2_000, perOwner: 50 });
  const takeAll = (owner: string): number => {
    let taken = 0;
    while (typeof shares.take(owner) === 'function') taken += 1;
    return taken;
  };
  t.equal(takeAll('first'), 50, 'an owner alone gets its whole share');
  for (let owner = 1; owner < 40; owner += 1) takeAll(`greedy ${owner}`);
  t.equal(takeAll('later'), 18);
  for (let owner = 0; owner < 100; owner += 1) {
    t.type(shares.take(`small ${owner}`), 'function', 'and a hundred others one each');
  }
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
        const left = BOUNDS.total - (held.length - own.length);
        const isFree = own.length * BOUNDS.total < BOUNDS.perOwner * left;
        t.equal(typeof release === 'function', isFree);
        if (own.length === 0) t.equal(release === 'all', held.length === BOUNDS.total);
        if (typeof release === 'function') held.push({ owner, release });
      }
    }),
    { numRuns: 100 },
  );
  t.end();
});
