// Lanes, on a clock of the test: how many at once, who waits, who is given back and until when.
import t from 'tap';
import { IN_FLIGHT, Lanes } from '../../actors/webhooks/lanes.js';

interface Bench {
  readonly lanes: Lanes<number>;
  readonly begun: number[];
  readonly parked: { job: number; dueAtMs: number }[];
  /** Ends the attempt of a job. */
  finish: (job: number) => Promise<void>;
  pass: (ms: number) => void;
}

function openBench(): Bench {
  let nowMs = 1_000_000;
  const begun: number[] = [];
  const parked: { job: number; dueAtMs: number }[] = [];
  const ends = new Map<number, () => void>();
  const lanes = new Lanes<number>({
    work: (job) => {
      begun.push(job);
      return new Promise((resolve) => ends.set(job, resolve));
    },
    park: (job, dueAtMs) => parked.push({ job, dueAtMs: dueAtMs - nowMs }),
    nowMs: () => nowMs,
  });
  return {
    lanes,
    begun,
    parked,
    finish: async (job) => {
      ends.get(job)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    pass: (ms) => {
      nowMs += ms;
    },
  };
}

const jobs = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

t.test('eight at once, others wait their turn, other lanes are free', async (t) => {
  const { lanes, begun, parked, finish } = openBench();
  for (const job of jobs(IN_FLIGHT + 2)) lanes.offer('a', job);
  t.strictSame(begun, jobs(IN_FLIGHT));
  lanes.offer('b', 100);
  t.equal(begun.at(-1), 100);
  await finish(3);
  t.equal(begun.at(-1), IN_FLIGHT);
  await finish(0);
  t.equal(begun.at(-1), IN_FLIGHT + 1);
  t.strictSame(parked, []);
});

t.test('a lane that got slow gives back what would wait too long, at its own pace', async (t) => {
  const { lanes, begun, parked, finish, pass } = openBench();
  for (const job of jobs(IN_FLIGHT)) lanes.offer('slow', job);
  pass(10_000);
  for (const job of jobs(IN_FLIGHT)) await finish(job);
  for (const job of jobs(IN_FLIGHT + 3)) lanes.offer('slow', 50 + job);
  t.equal(begun.length, 2 * IN_FLIGHT);
  const [first, second, third] = parked.map(({ dueAtMs }) => dueAtMs);
  t.equal(parked.length, 3, 'nothing waits in memory');
  t.ok(first !== undefined && second !== undefined && third !== undefined);
  t.ok(Number(second) - Number(first) > 500 && Number(third) - Number(second) > 500, 'spread');
});

t.test('what has waited too long is given back by the sweep, or at its turn', async (t) => {
  const { lanes, begun, parked, finish, pass } = openBench();
  for (const job of jobs(IN_FLIGHT + 2)) lanes.offer('a', job);
  pass(1_400);
  lanes.sweep();
  t.equal(parked.length, 0);
  pass(200);
  lanes.sweep();
  t.strictSame(
    parked.map(({ job }) => job),
    [IN_FLIGHT, IN_FLIGHT + 1],
  );
  lanes.offer('b', 200);
  for (const job of jobs(IN_FLIGHT)) lanes.offer('b', 201 + job);
  pass(2_000);
  await finish(200);
  t.notOk(begun.includes(201 + IN_FLIGHT - 1), 'its lease could run out under way');
  t.equal(parked.at(-1)?.job, 201 + IN_FLIGHT - 1);
});

t.test('released: all that has not begun, at once due', (t) => {
  const { lanes, parked } = openBench();
  for (const job of jobs(IN_FLIGHT + 2)) lanes.offer('a', job);
  lanes.release();
  t.strictSame(parked, [
    { job: IN_FLIGHT, dueAtMs: 0 },
    { job: IN_FLIGHT + 1, dueAtMs: 0 },
  ]);
  t.end();
});
