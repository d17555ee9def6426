// The one way to run work in the background: again and again, never twice at once.
//
//   WORKING ──▶ WAITING ──▶ WORKING …      the wait is `everyMs`, what `work` returned, or until `wake`
//      │ failed                            logged once, every 10 s while it lasts, and when it is over
//      ▼
//   RETRYING (200 ms) ──▶ WORKING
//
// `stop` ends the wait, lets the work under way finish, and starts no more.
//
// Waits of BEAT_MS or more end on a beat that all loops of the process share: an idle process wakes up a few times a second
// for all of them, and not for each. A wake-up of a process that does nothing else costs 0.3 to 0.5 ms of CPU, since nothing
// of it is in the caches any more.
import { type Clock, SYSTEM_CLOCK } from './clock.js';
import type { Log } from './log.js';
import { RetryLoop } from './retry-loop.js';

/** At least this long is a wait that ends on a beat. */
const BEAT_MS = 500;
/** A wait may be so much longer, so that a timer that fires a little early does not begin a second round on its beat. */
const BEAT_SLACK_MS = 20;

export interface LoopOptions {
  /** For the log: what is done, as in "fan-out". */
  readonly name: string;
  /** Milliseconds from the end of one round to the begin of the next; BEAT_MS or more: to the last beat before. */
  readonly everyMs: number;
  /**
   * One round. It may return the milliseconds until the next one: 0 when more work waits. A round that throws is
   * repeated after 200 ms.
   */
  readonly work: (stopping: AbortSignal) => Promise<number | void>;
  readonly log: Log;
  /** The first round runs at once unless this is set; then it waits `everyMs`. */
  readonly isFirstDelayed?: boolean;
  /** The system's by default. */
  readonly clock?: Clock;
}

/**
 * The rest of a loop that looks for work: `shortMs` after a round that found some, then doubled up to `longMs`. A loop that
 * nothing wakes begins its work so much later at most.
 */
export function createIdleRest(shortMs: number, longMs: number): (hasFound: boolean) => number {
  let restMs = shortMs;
  return (hasFound) => {
    const rested = restMs;
    restMs = hasFound ? shortMs : Math.min(restMs * 2, longMs);
    return hasFound ? shortMs : rested;
  };
}

/** The wait that ends on the last beat within `ms`; shorter waits are exact. */
export function alignWait(ms: number, nowMs: number): number {
  if (ms < BEAT_MS) return ms;
  const endMs = Math.floor((nowMs + ms + BEAT_SLACK_MS) / BEAT_MS) * BEAT_MS;
  return Math.max(0, Math.ceil(endMs - nowMs));
}

export interface Loop {
  /** Starts the next round at once. During a round: another one follows it. */
  readonly wake: () => void;
  /** Resolves when no round is under way and none will come. Idempotent. */
  readonly stop: () => Promise<void>;
}

export function startLoop(options: LoopOptions): Loop {
  const { name, everyMs, work, log, isFirstDelayed = false, clock = SYSTEM_CLOCK } = options;
  const stopping = new AbortController();
  const retryLoop = new RetryLoop(log, name, clock);
  let endWait: (() => void) | undefined;
  let isWoken = false;

  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        cancel();
        endWait = undefined;
        resolve();
      };
      const cancel = clock.startTimer(alignWait(ms, clock.monotonicMs()), end);
      endWait = end;
    });

  const runRounds = async (): Promise<void> => {
    if (isFirstDelayed) await wait(everyMs);
    while (!stopping.signal.aborted) {
      isWoken = false;
      const delayMs = await retryLoop.retry(stopping.signal, async () => {
        const next = await work(stopping.signal);
        return next ?? everyMs;
      });
      // A woken loop yields to the event loop too, so that work that never waits starves nobody.
      if (!stopping.signal.aborted) await wait(isWoken ? 0 : (delayMs ?? 0));
    }
  };

  const running = runRounds();
  return {
    wake: () => {
      isWoken = true;
      endWait?.();
    },
    stop: () => {
      stopping.abort();
      endWait?.();
      return running;
    },
  };
}
