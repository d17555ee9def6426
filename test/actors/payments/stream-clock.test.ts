// Redis' clock as a payments process knows it: how far it is ahead, and whether it is heard.
import t from 'tap';
import { StreamClock } from '#actors/payments/stream-clock.js';

const AHEAD_MS = 3_600_000;

/** A Redis whose clock is an hour ahead, answers after `roundTripMs`, or not at all. */
function scene() {
  const state = { nowMs: 1_000_000, roundTripMs: 2, isAway: false };
  const clock = new StreamClock({
    clock: { nowMs: () => state.nowMs, monotonicMs: () => state.nowMs },
    readTime: () => {
      if (state.isAway) return Promise.reject(new Error('away'));
      const redisMs = state.nowMs + state.roundTripMs / 2 + AHEAD_MS;
      state.nowMs += state.roundTripMs;
      return Promise.resolve(redisMs);
    },
  });
  return { state, clock };
}

t.test('tells the time of Redis, also while it is away', async (t) => {
  const { state, clock } = scene();
  t.equal(clock.estimateNowMs(), undefined, 'not asked yet');
  await clock.measure();
  t.equal(clock.estimateNowMs(), state.nowMs + AHEAD_MS);
  state.isAway = true;
  await t.rejects(clock.measure(), /away/);
  state.nowMs += 5_000;
  t.equal(clock.estimateNowMs(), state.nowMs + AHEAD_MS);
});

t.test('an answer that took long does not set the clock', async (t) => {
  const { state, clock } = scene();
  state.roundTripMs = 3_000;
  await clock.measure();
  t.equal(clock.estimateNowMs(), undefined);
  t.equal(clock.readContact().isReachable, true, 'but it was heard');
});

t.test('tells since when Redis has been heard, or not', async (t) => {
  const { state, clock } = scene();
  state.nowMs += 100;
  t.strictSame(clock.readContact(), { isHeard: false, forMs: 100 }, 'nothing heard yet');
  await clock.measure();
  for (let look = 0; look < 10; look += 1) {
    state.nowMs += 250;
    await clock.measure();
  }
  t.equal(clock.readContact().isReachable, true);
  t.equal(clock.readContact().forMs, 10 * 252);
  state.nowMs += 1_500;
  t.equal(clock.readContact().isReachable, true, 'a look or two may fail');
  state.nowMs += 500;
  t.strictSame(clock.readContact(), { isHeard: false, forMs: 2_000 });
  await clock.measure();
  t.strictSame(clock.readContact(), { isHeard: true, forMs: 0 });
});
