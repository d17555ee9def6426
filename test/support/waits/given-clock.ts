// A clock that the test moves, so that a bound on time is checked without waiting and on a machine of any speed.
import type { Clock } from '#ops/runtime/clock.js';

interface Timer {
  readonly dueMs: number;
  readonly onOver: () => void;
}

export class GivenClock implements Clock {
  readonly #timers = new Set<Timer>();
  #nowMs: number;

  constructor(nowMs = 0) {
    this.#nowMs = nowMs;
  }

  readonly nowMs = (): number => this.#nowMs;
  readonly monotonicMs = (): number => this.#nowMs;
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      this.startTimer(ms, resolve);
    });
  readonly startTimer = (ms: number, onOver: () => void): (() => void) => {
    const timer = { dueMs: this.#nowMs + ms, onOver };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  };
  readonly endTurn = (onOver: () => void): void => {
    setImmediate(onOver);
  };

  /** Milliseconds until the next timer is due; undefined: there is none. */
  get nextInMs(): number | undefined {
    const next = this.#findNext();
    return next === undefined ? undefined : next.dueMs - this.#nowMs;
  }

  /** Timers fire at their times, also those that are started meanwhile. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (let next = this.#findNext(); next !== undefined; next = this.#findNext()) {
      if (next.dueMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#fire(next);
    }
    this.#nowMs = endMs;
  }

  /** The process is paused: what became due meanwhile fires at the end. */
  pause(ms: number): void {
    this.#nowMs += ms;
    const due = [...this.#timers].filter(({ dueMs }) => dueMs <= this.#nowMs);
    for (const timer of due.sort((one, other) => one.dueMs - other.dueMs)) this.#fire(timer);
  }

  #findNext(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.dueMs < (next?.dueMs ?? Infinity)) next = timer;
    return next;
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.onOver();
  }
}
