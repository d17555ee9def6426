// Bounds on waits.
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import {
  DeadlineError,
  runWithDeadline,
  runWithSignal,
  startDeadline,
} from '#ops/runtime/deadline.js';

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
  let overs = 0;
  const clear = startDeadline(5, () => (overs += 1));
  // Time in which a busy machine does not run the process does not count.
  await waitUntil('the deadline is over', () => overs > 0);
  await sleep(50);
  clear();
  t.equal(overs, 1);
  const clearEarly = startDeadline(20, () => (overs += 1));
  clearEarly();
  await sleep(50);
  t.equal(overs, 1);
});

t.test('time in which the process stood still does not count', async (t) => {
  const order: string[] = [];
  const isOver = new Promise<void>((resolve) => {
    startDeadline(400, () => {
      order.push('over');
      resolve();
    });
  });
  standStill(1_600);
  setTimeout(() => order.push('100 ms later'), 100);
  await isOver;
  t.strictSame(order, ['100 ms later', 'over']);
});

t.test('an event that arrived before the deadline is handled first and clears it', async (t) => {
  let isOver = false;
  const clear = startDeadline(20, () => (isOver = true));
  setTimeout(clear, 21);
  standStill(100);
  await sleep(50);
  t.notOk(isOver);
});
