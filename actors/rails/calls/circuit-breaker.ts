// The circuit breaker of one operation at one rail. A refusal is an answer: only unknown outcomes count (time-outs, broken
// connections, replies that make no sense).
//
//   CLOSED ──5 unknown in a row──▶ OPEN ──rest over──▶ PROBING ──any answer──▶ CLOSED
//                                   ▲                     │
//                                   └──unknown, rest × 2──┘
//
//   CLOSED   every call may begin.
//   OPEN     no call may begin until the rest is over.
//   PROBING  one call is under way as the probe; another may begin only when the probe is overdue.

const MAX_FAILURES = 5;
const FIRST_REST_MS = 5_000;
const MAX_REST_MS = 60_000;

export type CircuitBreakerState = 'closed' | 'open' | 'probing';

export interface CircuitBreakerOptions {
  /** The longest that a probe may take. */
  readonly probeMs: number;
  /** Called with the milliseconds for which the rail should rest; 0: it may be called again. */
  readonly onChange: (restMs: number) => void;
  readonly monotonicMs: () => number;
}

export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #state: CircuitBreakerState = 'closed';
  #failures = 0;
  #restMs = FIRST_REST_MS;
  #restsUntilMs = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  get state(): CircuitBreakerState {
    return this.#state;
  }

  /** Returns how many of `free` calls that can wait may begin now. */
  countAllowed(free: number): number {
    if (this.#state === 'closed') return free;
    return this.#options.monotonicMs() < this.#restsUntilMs ? 0 : Math.min(free, 1);
  }

  /** Returns whether a call may begin now. When the rest is over, that call becomes the probe. */
  tryBegin(): boolean {
    if (this.#state === 'closed') return true;
    const nowMs = this.#options.monotonicMs();
    if (nowMs < this.#restsUntilMs) return false;
    const { probeMs, onChange } = this.#options;
    this.#state = 'probing';
    // A probe that never ends must not keep the breaker open for ever: after `probeMs` the next call is the probe.
    this.#restsUntilMs = nowMs + probeMs;
    onChange(probeMs);
    return true;
  }

  /** Notes an answer of the rail, of any kind. */
  noteAnswer(): void {
    this.#failures = 0;
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#restMs = FIRST_REST_MS;
    this.#options.onChange(0);
  }

  /** Notes an unknown outcome. */
  noteUnknown(): void {
    this.#failures += 1;
    if (this.#state === 'closed' && this.#failures < MAX_FAILURES) return;
    // Calls that began before the breaker opened are no probes and do not lengthen its rest.
    if (this.#state === 'open') return;
    if (this.#state === 'probing') this.#restMs = Math.min(this.#restMs * 2, MAX_REST_MS);
    this.#state = 'open';
    this.#restsUntilMs = this.#options.monotonicMs() + this.#restMs;
    this.#options.onChange(this.#restMs);
  }
}
