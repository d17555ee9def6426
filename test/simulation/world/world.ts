// Virtual time. Events run one at a time, in the order of their times; all code that an event sets going runs until it
// waits for another event. So a run depends on its seed alone, and an hour of waiting costs nothing.
import { createHash } from 'node:crypto';
import { type Chance, createChance } from './chance.js';

/** The begin of every run, for clocks that show the time of day. */
const BEGIN_MS = Date.UTC(2026, 0, 1);

interface ScheduledEvent {
  readonly atMs: number;
  readonly number: number;
  /** undefined: the event was cancelled. */
  run: (() => void) | undefined;
}

export class World {
  readonly chance: Chance;
  /** Each line that happened, with its time. */
  readonly onTrace: (line: string) => void;
  /** The next event is the last one. */
  readonly #events: ScheduledEvent[] = [];
  readonly #hash = createHash('sha256');
  #number = 0;
  #nowMs = 0;

  constructor(seed: number, onTrace: (line: string) => void = () => {}) {
    this.chance = createChance(seed);
    this.onTrace = onTrace;
  }

  /** Milliseconds since the begin of the run. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** The true time of day. */
  get timeMs(): number {
    return BEGIN_MS + this.#nowMs;
  }

  /** Returns a function that cancels the event. */
  schedule(delayMs: number, run: () => void): () => void {
    this.#number += 1;
    const event: ScheduledEvent = { atMs: this.#nowMs + delayMs, number: this.#number, run };
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const isLater = (this.#events[middle]?.atMs ?? 0) > event.atMs;
      if (isLater) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
    return () => {
      event.run = undefined;
    };
  }

  /** A random latency within a data centre: mostly short, seldom long. */
  pickLatencyMs(): number {
    return this.chance.happens(0.02) ? this.chance.between(5, 60) : this.chance.between(1, 10) / 10;
  }

  trace(text: string): void {
    const line = `${this.#nowMs.toFixed(1)} ${text}`;
    this.#hash.update(line);
    this.onTrace(line);
  }

  /** The fingerprint of everything that was traced. Call it once, at the end. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  /** Runs events until `isOver`, which is asked after each event, or until `untilMs`. */
  async run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    for (;;) {
      const event = this.#events.pop();
      if (event === undefined) break;
      const { run } = event;
      if (run === undefined) continue;
      if (event.atMs > untilMs) {
        this.#events.push(event);
        break;
      }
      this.#nowMs = event.atMs;
      run();
      await finishTurn();
      if (isOver()) return;
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }
}

/** Resolves when no code can go on without another event. */
function finishTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
