// Lanes on a simulated clock: limits, waiting, deferring, and the circuit breaker.
import t from 'tap';
import { type AttemptOutcome, MAX_IN_FLIGHT } from '#actors/webhooks/deliveries/lane.js';
import { EndpointLanes } from '#actors/webhooks/deliveries/lanes.js';
import { RETURN_MS } from '#actors/webhooks/deliveries/lease.js';

const SLOTS = 2_048;
/** Failures that open a breaker, and its first pause. */
const FAILURES = 5;
const PAUSE_MS = 1_000;

interface Harness {
  readonly lanes: EndpointLanes<number>;
  readonly begun: number[];
  readonly deferred: { job: number; inMs: number }[];
  readonly fetched: { endpointId: string; count: number }[];
  /** Offers a delivery; returns for how many ms it is deferred, or null when it got a place. */
  offer: (endpointId: string, job: number) => number | null;
  /** Ends the attempt of a job. */
  finish: (job: number, outcome?: AttemptOutcome) => Promise<void>;
  pass: (ms: number) => void;
  /** Raises the lane's limit to its maximum. */
  warm: (endpointId: string) => Promise<void>;
  left: number;
  isPaused: boolean;
}

function createHarness(slots = SLOTS): Harness {
  let nowMs = 1_000_000;
  const ends = new Map<number, (outcome: AttemptOutcome) => void>();
  const lanes = new EndpointLanes<number>({
    slots,
    work: (job) => {
      harness.begun.push(job);
      return new Promise((resolve) => ends.set(job, resolve));
    },
    defer: (job, inMs) => harness.deferred.push({ job, inMs }),
    fetch: (endpointId, count) => {
      harness.fetched.push({ endpointId, count });
      return Promise.resolve(harness.left);
    },
    isPaused: () => harness.isPaused,
    onPaused: () => {},
    monotonicMs: () => nowMs,
  });
  const harness: Harness = {
    lanes,
    begun: [],
    deferred: [],
    fetched: [],
    left: 0,
    isPaused: false,
    offer: (endpointId, job) => {
      const place = lanes.reserve(endpointId);
      if (typeof place === 'number') return place;
      lanes.start(place, job);
      return null;
    },
    finish: async (job, outcome = 'success') => {
      ends.get(job)?.(outcome);
      ends.delete(job);
      await new Promise((resolve) => setImmediate(resolve));
    },
    pass: (ms) => {
      nowMs += ms;
    },
    warm: async (endpointId) => {
      for (let job = 10_000; job < 10_020; job += 1) {
        harness.offer(endpointId, job);
        await harness.finish(job);
      }
      harness.begun.length = 0;
    },
  };
  return harness;
}

const jobs = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

t.test(
  'a new lane begins two attempts at once, a proven one eight; further deliveries wait',
  async (t) => {
    const { offer, begun, finish, warm } = createHarness();
    for (const job of jobs(4)) t.equal(offer('new', job), null);
    t.strictSame(begun, [0, 1]);
    await warm('a');
    for (const job of jobs(MAX_IN_FLIGHT + 2)) offer('a', 100 + job);
    t.equal(begun.length, MAX_IN_FLIGHT);
    offer('b', 500);
    t.equal(begun.at(-1), 500, 'other lanes are not affected');
    await finish(103);
    t.equal(begun.at(-1), 100 + MAX_IN_FLIGHT);
  },
);

t.test('a failure halves the limit of a lane, and successes raise it again', async (t) => {
  const { offer, begun, finish, warm } = createHarness();
  await warm('a');
  for (const job of jobs(30)) offer('a', job);
  await finish(0, 'failure');
  for (const job of [1, 2, 3]) await finish(job);
  t.equal(begun.length, MAX_IN_FLIGHT + 1, 'the next attempt begins after four more have ended');
});

t.test('a slow lane takes only deliveries that begin soon and defers the others', async (t) => {
  const { offer, begun, finish, pass, warm } = createHarness();
  await warm('slow');
  for (const job of jobs(MAX_IN_FLIGHT)) offer('slow', job);
  pass(10_000);
  for (const job of jobs(MAX_IN_FLIGHT)) await finish(job);
  begun.length = 0;
  const answers = jobs(MAX_IN_FLIGHT + 3).map((job) => offer('slow', 50 + job));
  t.equal(begun.length, MAX_IN_FLIGHT);
  t.strictSame(answers.slice(MAX_IN_FLIGHT), [RETURN_MS, RETURN_MS, RETURN_MS]);
});

t.test('a lane whose endpoint hangs counts as slow before its first attempt ends', (t) => {
  const { offer, begun, deferred, fetched, lanes, pass } = createHarness();
  for (const job of jobs(20)) t.equal(offer('hangs', job), null);
  t.equal(begun.length, 2);
  pass(2_000);
  lanes.sweep();
  t.equal(deferred.length, 18, 'deliveries that waited too long are deferred');
  pass(3_000);
  lanes.sweep();
  t.equal(offer('hangs', 20), RETURN_MS, 'no further delivery is loaded only to wait');
  t.strictSame(fetched, []);
  t.end();
});

t.test(
  'deferred deliveries are fetched as soon as the lane has room, as many as fit',
  async (t) => {
    const harness = createHarness();
    const { offer, finish, fetched, lanes } = harness;
    await harness.warm('a');
    const places = jobs(200).map((job) => offer('a', job));
    const taken = places.filter((place) => place === null).length;
    t.ok(taken > MAX_IN_FLIGHT && taken < 200, `${taken} taken`);
    t.strictSame(fetched, []);
    harness.left = 5;
    for (const job of jobs(taken - MAX_IN_FLIGHT)) await finish(job);
    t.equal(fetched.length > 0, true);
    t.ok(
      fetched.every(({ endpointId, count }) => endpointId === 'a' && count > 0 && count < taken),
    );
    harness.left = 0;
    lanes.sweep();
    await finish(taken - 1);
    const before = fetched.length;
    lanes.sweep();
    t.equal(fetched.length, before, 'the list is empty');
    lanes.noteDeferred('a');
    t.equal(fetched.length, before + 1, 'the list has deliveries again');
  },
);

t.test("a failed fetch of a lane's list is repeated by the next sweep", async (t) => {
  let tries = 0;
  const lanes = new EndpointLanes<number>({
    slots: SLOTS,
    work: () => Promise.resolve('success'),
    defer: () => {},
    fetch: () => {
      tries += 1;
      return Promise.reject(new Error('Redis is away'));
    },
    isPaused: () => false,
    onPaused: () => {},
    monotonicMs: () => 1_000_000,
  });
  lanes.noteDeferred('a');
  await new Promise((resolve) => setImmediate(resolve));
  lanes.sweep();
  t.equal(tries, 2);
});

t.test(
  'an open breaker allows one probe after each pause, doubles the pause on failure, and closes on success',
  async (t) => {
    const { offer, begun, finish, pass, deferred, fetched, lanes, warm } = createHarness();
    await warm('a');
    for (const job of jobs(12)) offer('a', job);
    for (const job of jobs(FAILURES)) await finish(job, 'failure');
    t.equal(lanes.countOpenBreakers(), 1);
    t.strictSame(
      deferred.map(({ inMs }) => inMs),
      [PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS],
      'waiting deliveries are deferred until the pause is over',
    );
    t.equal(offer('a', 20), PAUSE_MS);
    for (const job of [5, 6, 7]) await finish(job, 'failure');
    t.equal(offer('a', 20), PAUSE_MS, 'failures of earlier attempts do not lengthen the pause');
    pass(PAUSE_MS);
    begun.length = 0;
    t.equal(offer('a', 30), null);
    t.equal(offer('a', 31), RETURN_MS, 'there is one probe at a time');
    t.strictSame(begun, [30]);
    await finish(30, 'failure');
    t.equal(offer('a', 32), 2 * PAUSE_MS);
    pass(2 * PAUSE_MS);
    t.strictSame(fetched, [], 'an open breaker fetches nothing');
    offer('a', 33);
    await finish(33);
    t.equal(lanes.countOpenBreakers(), 0);
    t.equal(fetched.length, 1, 'a closed one fetches');
    t.equal(offer('a', 34), null);
  },
);

t.test('outcomes that say nothing about the endpoint do not open its breaker', async (t) => {
  const { offer, finish, lanes } = createHarness();
  for (const job of jobs(20)) {
    offer('a', job);
    await finish(job, 'unrelated');
  }
  t.equal(lanes.countOpenBreakers(), 0);
});

t.test('a lane that has been idle for a minute is deleted with its open breaker', async (t) => {
  const { offer, finish, lanes, pass } = createHarness();
  for (const job of jobs(FAILURES)) {
    offer('dead', job);
    await finish(job, 'failure');
  }
  lanes.sweep();
  t.equal(lanes.countOpenBreakers(), 1);
  pass(60_001);
  lanes.sweep();
  t.equal(lanes.countOpenBreakers(), 0);
  t.equal(offer('dead', 100), null, 'a later delivery is attempted');
});

t.test('the breaker of an inactive endpoint closes, and its list is fetched', async (t) => {
  const harness = createHarness();
  const { offer, finish, lanes, pass, fetched } = harness;
  for (const job of jobs(FAILURES)) {
    offer('a', job);
    await finish(job, 'failure');
  }
  harness.left = 100;
  lanes.noteDeferred('a');
  t.strictSame(fetched, [], 'not while the breaker is open');
  pass(PAUSE_MS);
  offer('a', 100);
  await finish(100, 'inactive');
  t.equal(lanes.countOpenBreakers(), 0);
  t.equal(fetched.length, 1);
});

t.test('a 429 halves the rate of a lane down to one attempt per second', async (t) => {
  const { offer, finish, pass } = createHarness();
  for (const job of jobs(60)) {
    pass(60_000);
    offer('a', job);
    await finish(job, 'throttled');
  }
  pass(60_000);
  t.equal(offer('a', 100), null);
  await finish(100);
  t.ok(offer('a', 101) !== null, 'a second attempt within the second is deferred');
});

t.test('unproven endpoints share half of the slots at most', async (t) => {
  const { offer, warm, begun } = createHarness(16);
  await warm('good');
  for (const job of jobs(20)) offer(`unknown-${job}`, job);
  t.equal(begun.length, 8);
  t.equal(offer('good', 100), null);
  t.equal(begun.at(-1), 100);
});

t.test('a delivery that waited too long is deferred when its turn comes', async (t) => {
  const { lanes, offer, deferred, finish, pass, begun } = createHarness();
  for (const job of jobs(4)) offer('a', job);
  pass(1_400);
  lanes.sweep();
  t.equal(deferred.length, 0);
  pass(200);
  await finish(0);
  t.notOk(begun.includes(2), 'its lease could run out during the attempt');
  t.strictSame(deferred, [
    { job: 2, inMs: RETURN_MS },
    { job: 3, inMs: RETURN_MS },
  ]);
});

t.test('release defers all waiting jobs, due at once; a given-up place is free again', (t) => {
  const { lanes, offer, deferred } = createHarness();
  const place = lanes.reserve('b');
  if (typeof place === 'number') throw new Error('there was room');
  for (const job of jobs(3)) offer('a', job);
  t.strictSame(deferred, []);
  lanes.giveUp(place);
  lanes.release();
  t.strictSame(deferred, [{ job: 2, inMs: 0 }]);
  t.end();
});

t.test('no job begins while the lanes are paused', async (t) => {
  const harness = createHarness();
  harness.isPaused = true;
  t.equal(harness.offer('a', 0), null);
  t.strictSame(harness.begun, []);
  harness.isPaused = false;
  harness.lanes.sweep();
  t.strictSame(harness.begun, [0]);
  await harness.finish(0);
});

t.test('drop removes lost jobs that have not begun', (t) => {
  const { lanes, offer, begun, deferred } = createHarness();
  for (const job of jobs(6)) offer('a', job);
  t.strictSame(begun, [0, 1]);
  t.strictSame(
    lanes.drop((job) => job % 2 === 0),
    [2, 4],
  );
  lanes.release();
  t.strictSame(
    deferred.map(({ job }) => job),
    [3, 5],
  );
  t.end();
});
