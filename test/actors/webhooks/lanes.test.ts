// Lanes, on a clock of the test: how many at once, who waits, who is parked and until when, when the breaker
// lets nothing through and what it takes to close it.
import t from 'tap';
import { type AttemptOutcome, MAX_IN_FLIGHT } from '#actors/webhooks/deliveries/lane.js';
import { EndpointLanes } from '#actors/webhooks/deliveries/lanes.js';
import { RETURN_MS } from '#actors/webhooks/deliveries/lease.js';

const SLOTS = 2_048;
/** Failures that open a breaker, and its first pause. */
const FAILURES = 5;
const PAUSE_MS = 1_000;

interface Bench {
  readonly lanes: EndpointLanes<number>;
  readonly begun: number[];
  readonly parked: { job: number; inMs: number }[];
  readonly fetched: { endpointId: string; count: number }[];
  /** Offers a delivery; answers for how many ms it is parked, null when it has a place. */
  offer: (endpointId: string, job: number) => number | null;
  /** Ends the attempt of a job. */
  finish: (job: number, outcome?: AttemptOutcome) => Promise<void>;
  pass: (ms: number) => void;
  /** Makes a lane's limit grow to the most. */
  warm: (endpointId: string) => Promise<void>;
  left: number;
  isHeld: boolean;
}

function openBench(slots = SLOTS): Bench {
  let nowMs = 1_000_000;
  const ends = new Map<number, (outcome: AttemptOutcome) => void>();
  const lanes = new EndpointLanes<number>({
    slots,
    work: (job) => {
      bench.begun.push(job);
      return new Promise((resolve) => ends.set(job, resolve));
    },
    defer: (job, returnAtMs) => bench.parked.push({ job, inMs: returnAtMs - nowMs }),
    fetch: (endpointId, count) => {
      bench.fetched.push({ endpointId, count });
      return Promise.resolve(bench.left);
    },
    isPaused: () => bench.isHeld,
    nowMs: () => nowMs,
  });
  const bench: Bench = {
    lanes,
    begun: [],
    parked: [],
    fetched: [],
    left: 0,
    isHeld: false,
    offer: (endpointId, job) => {
      const place = lanes.reserve(endpointId);
      if (typeof place === 'number') return place - nowMs;
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
        bench.offer(endpointId, job);
        await bench.finish(job);
      }
      bench.begun.length = 0;
    },
  };
  return bench;
}

const jobs = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

t.test('a new lane has two at once, a proven one eight; others wait their turn', async (t) => {
  const { offer, begun, finish, warm } = openBench();
  for (const job of jobs(4)) t.equal(offer('new', job), null);
  t.strictSame(begun, [0, 1]);
  await warm('a');
  for (const job of jobs(MAX_IN_FLIGHT + 2)) offer('a', 100 + job);
  t.equal(begun.length, MAX_IN_FLIGHT);
  offer('b', 500);
  t.equal(begun.at(-1), 500, 'other lanes are free');
  await finish(103);
  t.equal(begun.at(-1), 100 + MAX_IN_FLIGHT);
});

t.test('a failure halves the limit, successes raise it again', async (t) => {
  const { offer, begun, finish, warm } = openBench();
  await warm('a');
  for (const job of jobs(30)) offer('a', job);
  await finish(0, 'failure');
  for (const job of [1, 2, 3]) await finish(job);
  t.equal(
    begun.length,
    MAX_IN_FLIGHT + 1,
    'four more end before one begins, and they raise it by one',
  );
});

t.test('a slow lane takes only what begins soon; the rest is parked', async (t) => {
  const { offer, begun, finish, pass, warm } = openBench();
  await warm('slow');
  for (const job of jobs(MAX_IN_FLIGHT)) offer('slow', job);
  pass(10_000);
  for (const job of jobs(MAX_IN_FLIGHT)) await finish(job);
  begun.length = 0;
  const answers = jobs(MAX_IN_FLIGHT + 3).map((job) => offer('slow', 50 + job));
  t.equal(begun.length, MAX_IN_FLIGHT);
  t.strictSame(answers.slice(MAX_IN_FLIGHT), [RETURN_MS, RETURN_MS, RETURN_MS]);
});

t.test('a lane whose endpoint does not answer is slow before its first attempt ends', (t) => {
  const { offer, begun, parked, fetched, lanes, pass } = openBench();
  for (const job of jobs(20)) t.equal(offer('hangs', job), null);
  t.equal(begun.length, 2);
  pass(2_000);
  lanes.sweep();
  t.equal(parked.length, 18, 'who waited too long is parked');
  pass(3_000);
  lanes.sweep();
  t.equal(offer('hangs', 20), RETURN_MS, 'and nothing more is loaded only to wait');
  t.strictSame(fetched, []);
  t.end();
});

t.test(
  'what was parked is fetched as soon as there is room, as much as there is room for',
  async (t) => {
    const bench = openBench();
    const { offer, finish, fetched, lanes } = bench;
    await bench.warm('a');
    const places = jobs(200).map((job) => offer('a', job));
    const taken = places.filter((place) => place === null).length;
    t.ok(taken > MAX_IN_FLIGHT && taken < 200, `${taken} taken`);
    t.strictSame(fetched, []);
    bench.left = 5;
    for (const job of jobs(taken - MAX_IN_FLIGHT)) await finish(job);
    t.equal(fetched.length > 0, true);
    t.ok(
      fetched.every(({ endpointId, count }) => endpointId === 'a' && count > 0 && count < taken),
    );
    bench.left = 0;
    lanes.sweep();
    await finish(taken - 1);
    const before = fetched.length;
    lanes.sweep();
    t.equal(fetched.length, before, 'nothing is left there');
    lanes.noteDeferred('a');
    t.equal(fetched.length, before + 1, 'until somebody says so');
  },
);

t.test('a list that cannot be fetched is tried again', async (t) => {
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
    nowMs: () => 1_000_000,
  });
  lanes.noteDeferred('a');
  await new Promise((resolve) => setImmediate(resolve));
  lanes.sweep();
  t.equal(tries, 2);
});

t.test(
  'the breaker: opens, probes one at a time, longer pauses, closes with a success',
  async (t) => {
    const { offer, begun, finish, pass, parked, fetched, lanes, warm } = openBench();
    await warm('a');
    for (const job of jobs(12)) offer('a', job);
    for (const job of jobs(FAILURES)) await finish(job, 'failure');
    t.equal(lanes.countOpenBreakers(), 1);
    t.strictSame(
      parked.map(({ inMs }) => inMs),
      [PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS],
      'what waited is given back',
    );
    t.equal(offer('a', 20), PAUSE_MS);
    for (const job of [5, 6, 7]) await finish(job, 'failure');
    t.equal(offer('a', 20), PAUSE_MS, 'stragglers do not lengthen the pause');
    pass(PAUSE_MS);
    begun.length = 0;
    t.equal(offer('a', 30), null);
    t.equal(offer('a', 31), RETURN_MS, 'one probe at a time');
    t.strictSame(begun, [30]);
    await finish(30, 'failure');
    t.equal(offer('a', 32), 2 * PAUSE_MS);
    pass(2 * PAUSE_MS);
    t.strictSame(fetched, [], 'nothing is fetched while it is open');
    offer('a', 33);
    await finish(33);
    t.equal(lanes.countOpenBreakers(), 0);
    t.equal(fetched.length, 1, 'now it is');
    t.equal(offer('a', 34), null);
  },
);

t.test('what says nothing of the endpoint does not open its breaker', async (t) => {
  const { offer, finish, lanes } = openBench();
  for (const job of jobs(20)) {
    offer('a', job);
    await finish(job, 'unrelated');
  }
  t.equal(lanes.countOpenBreakers(), 0);
});

t.test('429 halves the rate of a lane, not below one a second', async (t) => {
  const { offer, finish, pass } = openBench();
  for (const job of jobs(60)) {
    pass(60_000);
    offer('a', job);
    await finish(job, 'throttled');
  }
  pass(60_000);
  t.equal(offer('a', 100), null);
  await finish(100);
  t.ok(offer('a', 101) !== null, 'the second of a second is parked');
});

t.test('endpoints that have not answered well have at most half of the slots', async (t) => {
  const { offer, warm, begun } = openBench(16);
  await warm('good');
  for (const job of jobs(20)) offer(`unknown-${job}`, job);
  t.equal(begun.length, 8);
  t.equal(offer('good', 100), null);
  t.equal(begun.at(-1), 100);
});

t.test('what has waited too long is parked, by the sweep or at its turn', async (t) => {
  const { lanes, offer, parked, finish, pass, begun } = openBench();
  for (const job of jobs(4)) offer('a', job);
  pass(1_400);
  lanes.sweep();
  t.equal(parked.length, 0);
  pass(200);
  await finish(0);
  t.notOk(begun.includes(2), 'its lease could run out under way');
  t.strictSame(parked, [
    { job: 2, inMs: RETURN_MS },
    { job: 3, inMs: RETURN_MS },
  ]);
});

t.test('released: all that has not begun, at once due; a place can be given up', (t) => {
  const { lanes, offer, parked } = openBench();
  const place = lanes.reserve('b');
  if (typeof place === 'number') throw new Error('there was room');
  for (const job of jobs(3)) offer('a', job);
  t.strictSame(parked, []);
  lanes.giveUp(place);
  lanes.release();
  t.strictSame(parked, [{ job: 2, inMs: 0 }]);
  t.end();
});

t.test('while it is held nothing begins', async (t) => {
  const bench = openBench();
  bench.isHeld = true;
  t.equal(bench.offer('a', 0), null);
  t.strictSame(bench.begun, []);
  bench.isHeld = false;
  bench.lanes.sweep();
  t.strictSame(bench.begun, [0]);
  await bench.finish(0);
});

t.test('what is lost is forgotten, unless it has begun', (t) => {
  const { lanes, offer, begun, parked } = openBench();
  for (const job of jobs(6)) offer('a', job);
  t.strictSame(begun, [0, 1]);
  t.strictSame(
    lanes.drop((job) => job % 2 === 0),
    [2, 4],
  );
  lanes.release();
  t.strictSame(
    parked.map(({ job }) => job),
    [3, 5],
  );
  t.end();
});
