// The circuit breaker of a peer: of one operation at one rail, or of one endpoint of a merchant.
//
//   CLOSED ──5 failures in a row──▶ OPEN ──rest over──▶ PROBING ──success──▶ CLOSED
//                                    ▲                     │
//                                    └──failure, rest × 2──┘
//
//   CLOSED   every attempt may begin.
//   OPEN     none may begin until the rest is over.
//   PROBING  one is under way as the probe; another may begin only when the probe is overdue.

const MAX_FAILURES = 5;

export interface CircuitBreakerOptions {
  readonly firstRestMs: number;
  readonly maxRestMs: number;
  /** The longest that a probe may take. Absent: the caller has one attempt under way at most. */
  readonly probeMs?: number;
  /** Called with the milliseconds for which the peer rests; 0: it may be asked again. */
  readonly onChange?: (restMs: number) => void;
}

/** Every time is in milliseconds of one clock. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failures = 0;
  #restMs: number;
  /** 0: closed. */
  #restEndsMs = 0;
  /** The end of the rest, or of the time that a probe may take. */
  #nextProbeMs = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#restMs = options.firstRestMs;
  }

  get isClosed(): boolean {
    return this.#restEndsMs === 0;
  }

  get state(): 'closed' | 'open' | 'probing' {
    if (this.isClosed) return 'closed';
    return this.#nextProbeMs > this.#restEndsMs ? 'probing' : 'open';
  }

  /** When the next probe may begin; 0 while the breaker is closed. */
  get nextProbeMs(): number {
    return this.#nextProbeMs;
  }

  /** Returns how many of `free` attempts may begin now. */
  countAllowed(free: number, nowMs: number): number {
    if (this.isClosed) return free;
    return nowMs < this.#nextProbeMs ? 0 : Math.min(free, 1);
  }

  /** Returns whether an attempt may begin now. When the rest is over, that attempt is the probe. */
  tryBegin(nowMs: number): boolean {
    if (this.isClosed) return true;
    if (nowMs < this.#nextProbeMs) return false;
    const { probeMs = 0, onChange } = this.#options;
    // A probe that never ends must not keep the breaker open for ever: after `probeMs` the next attempt is the probe.
    this.#nextProbeMs = nowMs + probeMs;
    onChange?.(probeMs);
    return true;
  }

  succeed(): void {
    this.#failures = 0;
    if (this.isClosed) return;
    this.#restMs = this.#options.firstRestMs;
    this.#restUntil(0);
    this.#options.onChange?.(0);
  }

  /**
   * Returns whether a rest begins. A failure of an attempt that began before the rest was over does not lengthen it: it was no
   * probe.
   */
  fail(beganMs: number, nowMs: number): boolean {
    this.#failures += 1;
    const isOpening = this.isClosed && this.#failures >= MAX_FAILURES;
    const isProbe = !this.isClosed && beganMs >= this.#restEndsMs;
    if (!isOpening && !isProbe) return false;
    if (isProbe) this.#restMs = Math.min(this.#restMs * 2, this.#options.maxRestMs);
    this.#restUntil(nowMs + this.#restMs);
    this.#options.onChange?.(this.#restMs);
    return true;
  }

  /** Rests until then, whatever the attempts under way bring. */
  hold(untilMs: number): void {
    this.#restUntil(untilMs);
  }

  #restUntil(endsMs: number): void {
    this.#restEndsMs = endsMs;
    this.#nextProbeMs = endsMs;
  }
}
