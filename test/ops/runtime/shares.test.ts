// Places of which one holder gets a share.
import fc from 'fast-check';
import t from 'tap';
import { Shares } from '#ops/runtime/shares.js';

const BOUNDS = { total: 4, perHolder: 2 };

t.test('a holder gets its share, and all holders together the total', (t) => {
  const shares = new Shares(BOUNDS);
  const first = shares.take('a');
  t.type(first, 'function');
  t.type(shares.take('a'), 'function');
  t.equal(shares.take('a'), 'holder');
  t.type(shares.take('b'), 'function');
  t.type(shares.take('c'), 'function');
  t.equal(shares.take('d'), 'all');
  if (typeof first !== 'function') throw new Error('there was room');
  first();
  first();
  t.type(shares.take('d'), 'function', 'a place that is given back twice is free once');
  t.equal(shares.take('a'), 'holder', 'who holds one leaves the next one to others');
  t.equal(shares.take('e'), 'all');
  t.end();
});

t.test('holders who take all they can leave places to each holder who comes later', (t) => {
  const shares = new Shares({ total: 2_000, perHolder: 50 });
  const takeAll = (holder: string): number => {
    let taken = 0;
    while (typeof shares.take(holder) === 'function') taken += 1;
    return taken;
  };
  t.equal(takeAll('first'), 50, 'a holder alone gets its whole share');
  for (let holder = 1; holder < 40; holder += 1) takeAll(`greedy ${holder}`);
  t.equal(takeAll('later'), 18);
  for (let holder = 0; holder < 100; holder += 1) {
    t.type(shares.take(`small ${holder}`), 'function', 'and a hundred others one each');
  }
  t.end();
});

t.test('no sequence of calls exceeds the bounds or loses a place', (t) => {
  const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (moves) => {
      const shares = new Shares(BOUNDS);
      const held: { holder: string; release: () => void }[] = [];
      for (const [holder, isTaking] of moves) {
        const own = held.filter((one) => one.holder === holder);
        if (!isTaking) {
          const [one] = own;
          one?.release();
          if (one !== undefined) held.splice(held.indexOf(one), 1);
          continue;
        }
        const release = shares.take(holder);
        const left = BOUNDS.total - (held.length - own.length);
        const isFree = own.length * BOUNDS.total < BOUNDS.perHolder * left;
        t.equal(typeof release === 'function', isFree);
        if (own.length === 0) t.equal(release === 'all', held.length === BOUNDS.total);
        if (typeof release === 'function') held.push({ holder, release });
      }
    }),
    { numRuns: 100 },
  );
  t.end();
});
