// Redis' clock as a payments process knows it: its time, and whether Redis answers.
import t from 'tap';
import { StreamClock } from '#actors/payments/stream-clock.js';

const AHEAD_MS = 3_600_000;

/** A Redis whose clock is an hour ahead; it answers after `roundTripMs`, or not at all. */
function openScene() {
  const state = { nowMs: 1_000_000, roundTripMs: 2, isAway: false, runId: 'first' };
  const clock = new StreamClock({
    clock: { nowMs: () => state.nowMs, monotonicMs: () => state.nowMs },
    readRunId: () => Promise.resolve(state.runId),
    readTime: () => {
      if (state.isAway) return Promise.reject(new Error('away'));
      const redisMs = state.nowMs + state.roundTripMs / 2 + AHEAD_MS;
      state.nowMs += state.roundTripMs;
      return Promise.resolve(redisMs);
    },
  });
  return { state, clock };
}

t.test('the time of Redis is estimated from one answer, also while Redis is away', async (t) => {
  const { state, clock } = openScene();
  t.equal(clock.estimateNowMs(), undefined, 'unknown before the first answer');
  await clock.measure();
  t.equal(clock.estimateNowMs(), state.nowMs + AHEAD_MS);
  state.isAway = true;
  await t.rejects(clock.measure(), /away/);
  state.nowMs += 5_000;
  t.equal(clock.estimateNowMs(), state.nowMs + AHEAD_MS);
});

t.test('an answer after 3 s does not set the clock', async (t) => {
  const { state, clock } = openScene();
  state.roundTripMs = 3_000;
  await clock.measure();
  t.equal(clock.estimateNowMs(), undefined);
  t.equal(clock.readContact().isReachable, true, 'but Redis is reachable');
});

t.test('the contact tells since when Redis answers, or does not', async (t) => {
  const { state, clock } = openScene();
  state.nowMs += 100;
  t.strictSame(
    clock.readContact(),
    { isReachable: false, forMs: 100, runId: null },
    'no answer yet',
  );
  await clock.measure();
  for (let round = 0; round < 10; round += 1) {
    state.nowMs += 250;
    await clock.measure();
  }
  t.equal(clock.readContact().isReachable, true);
  t.equal(clock.readContact().forMs, 10 * 252);
  state.nowMs += 1_500;
  t.equal(clock.readContact().isReachable, true, 'some answers may fail');
  state.nowMs += 500;
  t.strictSame(clock.readContact(), { isReachable: false, forMs: 2_000, runId: 'first' });
  await clock.measure();
  t.strictSame(clock.readContact(), { isReachable: true, forMs: 0, runId: 'first' });
});

t.test('the contact with another server begins when that answers first', async (t) => {
  const { state, clock } = openScene();
  await clock.measure();
  state.nowMs += 1_000;
  await clock.measure();
  t.strictSame(clock.readContact(), { isReachable: true, forMs: 1_002, runId: 'first' });
  state.runId = 'second';
  await clock.measure();
  t.strictSame(clock.readContact(), { isReachable: true, forMs: 0, runId: 'second' });
});
