// Lanes whose breaker is open, on a simulated clock: test events pass it, the pauses are told, held deliveries wait.
import t from 'tap';
import { type AttemptOutcome, HOLD_MS } from '#actors/webhooks/deliveries/lane.js';
import { EndpointLanes } from '#actors/webhooks/deliveries/lanes.js';

/** Failures that open a breaker, and its first pause. */
const FAILURES = 5;
const PAUSE_MS = 1_000;

function createHarness() {
  let nowMs = 1_000_000;
  const ends = new Map<number, (outcome: AttemptOutcome) => void>();
  const begun: number[] = [];
  const pauses: (readonly [endpointId: string, pauseMs: number])[] = [];
  const lanes = new EndpointLanes<number>({
    slots: 2_048,
    work: (job) => {
      begun.push(job);
      return new Promise((resolve) => ends.set(job, resolve));
    },
    defer: () => {},
    fetch: () => Promise.resolve(0),
    isPaused: () => false,
    onPaused: (endpointId, pauseMs) => pauses.push([endpointId, pauseMs]),
    monotonicMs: () => nowMs,
  });
  return {
    begun,
    pauses,
    /** Returns for how many ms the delivery is deferred, or null when it got a place. */
    offer: (job: number, isTest = false): number | null => {
      const place = lanes.reserve('a', isTest);
      if (typeof place === 'number') return place;
      lanes.start(place, job);
      return null;
    },
    finish: async (job: number, outcome: AttemptOutcome): Promise<void> => {
      ends.get(job)?.(outcome);
      await new Promise((resolve) => setImmediate(resolve));
    },
    pass: (ms: number) => (nowMs += ms),
  };
}

t.test('a test event begins while the breaker is open, and is no probe', async (t) => {
  const { offer, begun, finish, pauses } = createHarness();
  for (let job = 1; job <= FAILURES; job += 1) {
    t.equal(offer(job), null);
    await finish(job, 'failure');
  }
  t.strictSame(pauses, [['a', PAUSE_MS]], 'the pause is told');
  t.equal(offer(6), PAUSE_MS, 'an ordinary delivery waits');
  t.equal(offer(7, true), null);
  t.equal(begun.at(-1), 7);
  await finish(7, 'failure');
  t.equal(pauses.length, 1, 'the pause is not longer');
  t.equal(offer(8, true), null);
  await finish(8, 'success');
  t.equal(offer(9), null, 'its success ends the pause');
});

t.test(
  'a lane that holds its deliveries looks again after a while, and is not paused',
  async (t) => {
    const { offer, finish, pass, pauses } = createHarness();
    t.equal(offer(1), null);
    await finish(1, 'held');
    t.equal(offer(2), HOLD_MS);
    pass(HOLD_MS);
    t.equal(offer(3), null);
    await finish(3, 'success');
    t.equal(offer(4), null);
    t.strictSame(pauses, []);
  },
);
