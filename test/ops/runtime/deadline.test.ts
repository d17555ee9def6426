// Bounds on waits.
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import {
  DeadlineError,
  runWithDeadline,
  runWithSignal,
  startDeadline,
} from '#ops/runtime/deadline.js';
import { GivenClock } from '#test/support/waits/given-clock.js';

/** Nothing of this process runs for so long, as when it is stopped. */
const standStill = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

t.test('an answer in time, an error in time, and none in time', async (t) => {
  t.equal(await runWithDeadline(Promise.resolve(1), 1_000), 1);
  await t.rejects(runWithDeadline(Promise.reject(new Error('refused')), 1_000), {
    message: 'refused',
  });
  await t.rejects(runWithDeadline(new Promise(() => {}), 10), new DeadlineError(10));
});

t.test('a call with a signal ends in time, at its signal, or is given up', async (t) => {
  const limits = { timeoutMs: 10, lateMs: 10, giveUp: new AbortController().signal };
  const waitForSignal = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve('aborted');
      });
    });
  const clock = SYSTEM_CLOCK;
  t.equal(await runWithSignal({ ...limits, clock }, () => Promise.resolve(1)), 1);
  t.equal(await runWithSignal({ ...limits, clock }, waitForSignal), 'aborted');
  const stopped = { ...limits, clock, timeoutMs: 60_000, giveUp: AbortSignal.timeout(1) };
  t.equal(await runWithSignal(stopped, waitForSignal), 'aborted');
  const ignoring = runWithSignal({ ...limits, clock }, () => new Promise(() => {}));
  await t.rejects(ignoring, new DeadlineError(20));
});

t.test('a deadline is over once, or cleared', async (t) => {
  const clock = new GivenClock();
  let overs = 0;
  const start = (): (() => void) => startDeadline(20, () => (overs += 1), clock);
  const clear = start();
  clock.advance(19);
  await nextTurn();
  t.equal(overs, 0);
  clock.advance(1);
  await nextTurn();
  t.equal(overs, 1);
  clear();
  clock.advance(60_000);
  await nextTurn();
  t.equal(overs, 1);
  start()();
  clock.advance(60_000);
  await nextTurn();
  t.equal(overs, 1);
});

t.test('time in which the process stood still does not count', async (t) => {
  const clock = new GivenClock();
  let overs = 0;
  startDeadline(400, () => (overs += 1), clock);
  clock.pause(1_600);
  clock.advance(399);
  await nextTurn();
  t.equal(overs, 0, 'it has begun anew');
  clock.advance(1);
  await nextTurn();
  t.equal(overs, 1);
});

t.test('a process that is only busy does not lengthen a deadline', async (t) => {
  const clock = new GivenClock();
  let overs = 0;
  startDeadline(400, () => (overs += 1), clock);
  clock.pause(1_400);
  await nextTurn();
  t.equal(overs, 1);
});

t.test('an event that arrived before the deadline is handled first and clears it', async (t) => {
  let isOver = false;
  const clear = startDeadline(20, () => (isOver = true));
  const arrived = new Promise<void>((resolve) => {
    setTimeout(() => {
      clear();
      resolve();
    }, 21);
  });
  // Both timers are due when the process goes on, so they fire in the same turn.
  standStill(100);
  await arrived;
  await nextTurn();
  t.notOk(isOver);
});
