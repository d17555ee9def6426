// Time, as loops and waits see it. The simulator gives each of its processes a clock of its own; everything else uses
// SYSTEM_CLOCK.
export interface Clock {
  /** Unix milliseconds: the time of what happens to payments. */
  readonly nowMs: () => number;
  /** Never goes back: the time of leases and waits. */
  readonly monotonicMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Calls `onOver` after `ms`, unless the returned function is called before. */
  readonly startTimer: (ms: number, onOver: () => void) => () => void;
  /** Calls `onOver` when everything that has happened in this event-loop turn is handled. */
  readonly endTurn: (onOver: () => void) => void;
}

export const SYSTEM_CLOCK: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  startTimer: (ms, onOver) => {
    const timer = setTimeout(onOver, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  endTurn: (onOver) => {
    setImmediate(onOver);
  },
};
