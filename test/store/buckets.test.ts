// Rate-limit buckets with a clock of the test: alone, synchronized, and without Redis.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { Buckets, type BucketRule } from '#store/redis/limits/buckets.js';
import type { BucketCount } from '#store/redis/limits/count-requests.js';
import type { TestScope } from '../support/servers.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';

const RULE: BucketRule = { burst: 10, costMs: 100 };

class Clock {
  nowMs = 1_000_000;
  readonly read = (): number => this.nowMs;
}

/** The shared buckets, as the Lua script keeps them. */
class SharedLevels {
  readonly #emptyAtMs = new Map<string, number>();
  readonly #clock: Clock;
  isAway = false;
  calls = 0;
  readonly names: string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly count = (counts: readonly BucketCount[]): Promise<number[]> => {
    this.calls += 1;
    this.names.push(...counts.map(({ bucket }) => bucket));
    if (this.isAway) return Promise.reject(new Error('away'));
    return Promise.resolve(counts.map((count) => this.#add(count)));
  };

  #add({ bucket, addMs, capMs }: BucketCount): number {
    const now = this.#clock.nowMs;
    const level = Math.max(0, (this.#emptyAtMs.get(bucket) ?? 0) - now);
    const filled = Math.min(level + addMs, capMs);
    this.#emptyAtMs.set(bucket, now + filled);
    return filled;
  }
}

function makeBuckets(t: TestScope, shared: SharedLevels, clock: Clock): Buckets {
  const buckets = new Buckets({ count: shared.count, monotonicMs: clock.read });
  t.teardown(() => buckets.stop());
  return buckets;
}

/** Takes requests until one is rejected; returns their number. */
function drain(buckets: Buckets, name = 'a', rule = RULE): number {
  let count = 0;
  while (count < 10_000 && buckets.take(name, rule).isWithin) count += 1;
  return count;
}

t.test('a bucket lets in a burst, then one request per cost', (t) => {
  const clock = new Clock();
  const buckets = makeBuckets(t, new SharedLevels(clock), clock);
  t.match(buckets.take('a', RULE), { isWithin: true, remaining: 9, resetMs: 100, waitMs: 0 });
  t.equal(drain(buckets), 9);
  const refused = { isWithin: false, remaining: 0, resetMs: 1000, waitMs: 100 };
  t.match(buckets.take('a', RULE), refused);
  clock.nowMs += 99;
  t.match(buckets.take('a', RULE), { isWithin: false, waitMs: 1 }, 'a refusal costs nothing');
  clock.nowMs += 1;
  t.equal(drain(buckets), 1);
  clock.nowMs += 250;
  t.equal(drain(buckets), 2);
  clock.nowMs += 10_000;
  t.equal(drain(buckets), 10);
  t.equal(drain(buckets, 'b'), 10, 'another has its own');
  t.end();
});

t.test('a bucket never lets in more than the burst and the rate allow', (t) => {
  const steps = fc.array(fc.tuple(fc.nat(300), fc.nat(12)), { maxLength: 40 });
  fc.assert(
    fc.property(steps, (moves) => {
      const clock = new Clock();
      const buckets = new Buckets({
        count: new SharedLevels(clock).count,
        monotonicMs: clock.read,
      });
      const start = clock.nowMs;
      let taken = 0;
      for (const [waitMs, wanted] of moves) {
        clock.nowMs += waitMs;
        for (let index = 0; index < wanted; index += 1) {
          const level = buckets.take('a', RULE);
          if (level.isWithin) taken += 1;
          t.equal(level.isWithin, level.waitMs === 0);
        }
        t.ok(taken <= RULE.burst + (clock.nowMs - start) / RULE.costMs);
      }
    }),
    { numRuns: 50 },
  );
  t.end();
});

t.test('two gateways share one bucket', async (t) => {
  const clock = new Clock();
  const shared = new SharedLevels(clock);
  const [one, two] = [makeBuckets(t, shared, clock), makeBuckets(t, shared, clock)];
  for (let index = 0; index < 6; index += 1) one.take('a', RULE);
  await waitUntil('the first has synchronized', () => shared.calls === 1);
  two.take('a', RULE);
  await waitUntil('the second has synchronized', () => shared.calls === 2);
  await nextTurn();
  t.equal(drain(two), 3, '6 there and 1 here were taken');
  await two.stop();
  one.take('b', RULE);
  clock.nowMs += 1_000;
  t.equal(one.take('a', RULE).remaining, 9, 'and it runs empty for both');
});

t.test('requests that two gateways let in before they synchronized drain first', async (t) => {
  const clock = new Clock();
  const shared = new SharedLevels(clock);
  const [one, two] = [makeBuckets(t, shared, clock), makeBuckets(t, shared, clock)];
  t.strictSame([drain(one), drain(two)], [10, 10]);
  await waitUntil('both have synchronized', () => shared.calls === 2);
  await nextTurn();
  // The second one has told that the bucket holds 20; the first one learns it with its next request.
  clock.nowMs += 1_000;
  t.equal(drain(two), 0, '10 of 20 have drained');
  clock.nowMs += 100;
  t.equal(drain(two), 1);
});

t.test('a request counts in all its buckets, or in none', (t) => {
  const clock = new Clock();
  const buckets = makeBuckets(t, new SharedLevels(clock), clock);
  const small: BucketRule = { burst: 2, costMs: 1_000 };
  const both = [
    ['wide', RULE],
    ['small', small],
  ] as const;
  t.equal(buckets.takeAll([]), undefined);
  t.match(
    buckets.takeAll(both),
    { isWithin: true, remaining: 9, rule: RULE },
    'the first is shown',
  );
  buckets.takeAll(both);
  t.match(buckets.takeAll(both), { isWithin: false, waitMs: 1_000, rule: small }, 'the full one');
  t.equal(buckets.take('wide', RULE).remaining, 7, 'what was taken is given back');
  t.end();
});

t.test('a local bucket is never synchronized, and holds requests of different cost', async (t) => {
  const clock = new Clock();
  const shared = new SharedLevels(clock);
  const buckets = makeBuckets(t, shared, clock);
  const cheap: BucketRule = { burst: 10, costMs: 100, isLocal: true };
  const dear: BucketRule = { burst: 2, costMs: 500, isLocal: true };
  t.equal(drain(buckets, 'a', cheap), 10);
  clock.nowMs += 600;
  t.equal(drain(buckets, 'a', dear), 1);
  t.equal(drain(buckets, 'a', cheap), 1);
  buckets.refund('a', dear);
  t.equal(drain(buckets, 'a', cheap), 5, 'what was taken back has room again');
  buckets.take('b', RULE);
  await waitUntil('the other bucket has synchronized', () => shared.calls > 0);
  await buckets.stop();
  t.equal(shared.names.join(), 'b');
});

t.test('a full bucket is found without taking from it', (t) => {
  const clock = new Clock();
  const buckets = makeBuckets(t, new SharedLevels(clock), clock);
  t.equal(buckets.findFull('a', RULE), undefined, 'an unknown one is empty');
  t.equal(drain(buckets), 10);
  t.match(buckets.findFull('a', RULE), { isWithin: false, remaining: 0, waitMs: 100 });
  clock.nowMs += 100;
  t.equal(buckets.findFull('a', RULE), undefined);
  t.equal(drain(buckets), 1);
  t.end();
});

t.test('while Redis is away each gateway counts for itself', async (t) => {
  const clock = new Clock();
  const shared = new SharedLevels(clock);
  shared.isAway = true;
  const [one, two] = [makeBuckets(t, shared, clock), makeBuckets(t, shared, clock)];
  t.strictSame([drain(one), drain(two)], [10, 10]);
  await waitUntil('both have tried', () => shared.calls === 2);
  t.strictSame([drain(one), drain(two)], [0, 0], 'nothing is forgotten');
  shared.isAway = false;
  clock.nowMs += 300;
  t.equal(drain(one), 3);
});

t.test('one call synchronizes many buckets, each request once', async (t) => {
  const clock = new Clock();
  const shared = new SharedLevels(clock);
  const buckets = makeBuckets(t, shared, clock);
  for (let index = 0; index < 100; index += 1) buckets.take(`a${index % 50}`, RULE);
  await waitUntil('it has synchronized', () => shared.calls > 0);
  await buckets.stop();
  t.equal(shared.calls, 1);
});

t.test('the number of buckets stays within its bound', (t) => {
  const clock = new Clock();
  const buckets = makeBuckets(t, new SharedLevels(clock), clock);
  for (let index = 0; index < 100_050; index += 1) buckets.take(`flood ${index}`, RULE);
  t.ok(buckets.size <= 100_000);
  t.end();
});
