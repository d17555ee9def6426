import t from 'tap';
import { alignWait, createIdleRest, startLoop } from '#ops/runtime/loop.js';
import { createLog } from '#ops/runtime/log.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';

const log = createLog({ logLevel: 'fatal' }, 'test');

t.test('a round that returns 0 is followed at once, one that returns nothing waits', async (t) => {
  let rounds = 0;
  const loop = startLoop({
    name: 'test',
    everyMs: 60_000,
    log,
    work: () => Promise.resolve((rounds += 1) < 5 ? 0 : undefined),
  });
  await waitUntil('the round', () => rounds === 5);
  loop.wake();
  await waitUntil('the round', () => rounds === 6);
  await loop.stop();
  t.equal(rounds, 6);
});

t.test('wake during a round starts another one after it', async (t) => {
  let rounds = 0;
  let endRound: (() => void) | undefined;
  const loop = startLoop({
    name: 'test',
    everyMs: 60_000,
    log,
    work: () =>
      new Promise((resolve) => {
        rounds += 1;
        endRound = resolve;
      }),
  });
  await waitUntil('the round', () => rounds === 1);
  loop.wake();
  endRound?.();
  await waitUntil('the round', () => rounds === 2);
  endRound?.();
  await loop.stop();
  t.equal(rounds, 2);
});

t.test('a round that throws is repeated', async (t) => {
  let rounds = 0;
  const loop = startLoop({
    name: 'test',
    everyMs: 60_000,
    log,
    work: () => {
      rounds += 1;
      return rounds === 1 ? Promise.reject(new Error('away')) : Promise.resolve();
    },
  });
  await waitUntil('the round', () => rounds === 2);
  await loop.stop();
  t.equal(rounds, 2);
});

t.test('stop lets the round under way finish and starts no more', async (t) => {
  let endRound: (() => void) | undefined;
  let isAborted = false;
  const loop = startLoop({
    name: 'test',
    everyMs: 0,
    log,
    work: (stopping) =>
      new Promise((resolve) => {
        stopping.addEventListener('abort', () => (isAborted = true));
        endRound = resolve;
      }),
  });
  await waitUntil('the round', () => endRound !== undefined);
  const stopped = loop.stop();
  t.ok(isAborted, 'the round hears of it');
  const first = await Promise.race([stopped.then(() => 'stopped'), Promise.resolve('waiting')]);
  t.equal(first, 'waiting');
  endRound?.();
  await stopped;
});

t.test('a delayed loop that is stopped before its first round does nothing', async (t) => {
  let rounds = 0;
  const work = (): Promise<void> => Promise.resolve(void (rounds += 1));
  const loop = startLoop({ name: 'test', everyMs: 60_000, isFirstDelayed: true, log, work });
  await loop.stop();
  t.equal(rounds, 0);
});

t.test(
  'a wait of half a second or more ends on a beat of the process, a shorter one is exact',
  (t) => {
    t.equal(alignWait(499, 1_234.5), 499);
    t.equal(alignWait(500, 1_234.5), 266, 'at 1,500');
    t.equal(alignWait(1_000, 1_005), 995, 'at 2,000');
    t.equal(alignWait(1_000, 1_997), 1_003, 'a timer that fired early is followed by a whole wait');
    t.equal(alignWait(5_000, 3_999), 5_001, 'at 9,000');
    t.end();
  },
);

t.test(
  'the rest of a loop doubles while it finds nothing, and begins anew when it finds work',
  (t) => {
    const rest = createIdleRest(250, 1_000);
    const rests = [false, false, false, false, true, false].map(rest);
    t.strictSame(rests, [250, 500, 1_000, 1_000, 250, 250]);
    t.end();
  },
);
