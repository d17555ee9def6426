// Limits on waiting. The work itself is not cancelled.
import { type Clock, SYSTEM_CLOCK } from './clock.js';

/** A timer that fires this late means that the whole process was paused. */
const PAUSED_MS = 1_000;

export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/**
 * Settles as `work` does. The work goes on after the deadline; only its result is ignored.
 * @throws DeadlineError when `work` takes longer than `ms`
 */
export async function runWithDeadline<Value>(
  work: PromiseLike<Value>,
  ms: number,
  clock: Clock = SYSTEM_CLOCK,
): Promise<Value> {
  let cancel = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.startTimer(ms, () => {
      reject(new DeadlineError(ms));
    });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel();
  }
}

export interface CallLimits {
  /** Then the signal of the call is aborted. */
  readonly timeoutMs: number;
  /** A call that ignores its signal is given up this long after it. */
  readonly lateMs: number;
  /** Aborts the signal of the call too. */
  readonly giveUp: AbortSignal;
  readonly clock: Clock;
}

/**
 * Settles as `call` does.
 * @throws DeadlineError when the call ignores its signal
 */
export async function runWithSignal<Value>(
  { timeoutMs, lateMs, giveUp, clock }: CallLimits,
  call: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const timeout = new AbortController();
  const cancel = clock.startTimer(timeoutMs, () => {
    timeout.abort(new DeadlineError(timeoutMs));
  });
  try {
    const signal = AbortSignal.any([timeout.signal, giveUp]);
    return await runWithDeadline(call(signal), timeoutMs + lateMs, clock);
  } finally {
    cancel();
  }
}

/**
 * Calls `onOver` after `ms`, unless the returned function is called first. A pause of the whole process does not
 * count: a timer that fires too late starts again. Events that have already arrived are handled before `onOver`.
 */
export function startDeadline(
  ms: number,
  onOver: () => void,
  clock: Clock = SYSTEM_CLOCK,
): () => void {
  let isCancelled = false;
  let cancel: () => void;
  const start = (): void => {
    const dueMs = clock.monotonicMs() + ms;
    cancel = clock.startTimer(ms, () => {
      if (clock.monotonicMs() - dueMs > PAUSED_MS) start();
      else {
        clock.endTurn(() => {
          if (!isCancelled) onOver();
        });
      }
    });
  };
  start();
  return () => {
    isCancelled = true;
    cancel();
  };
}
