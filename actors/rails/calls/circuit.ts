// The circuit of one operation at one rail. After FAILURES calls in a row whose outcome nobody knows (time-outs, broken
// connections, nonsense) it opens, and nothing is asked for a while. Then one call goes as a probe: its answer closes
// the circuit, its silence opens it for twice as long. A refusal is an answer: the rail is well.
//
//   closed ──5 unknown in a row──▶ open ──rest over──▶ probing ──an answer──▶ closed
//                                   ▲                      │
//                                   └──unknown, rest × 2───┘

const FAILURES = 5;
const FIRST_REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;

export type CircuitState = 'closed' | 'open' | 'probing';

export interface CircuitDeps {
  nowMs: () => number;
  /** How long a probe may take. */
  readonly probeMs: number;
  /** For how long from now nothing should be asked; 0: it may be asked again. */
  onChange: (restMs: number) => void;
}

export class Circuit {
  readonly #parts: CircuitDeps;
  #state: CircuitState = 'closed';
  #failures = 0;
  #restMs = FIRST_REST_MS;
  #restsUntilMs = 0;

  constructor(parts: CircuitDeps) {
    this.#parts = parts;
  }

  get state(): CircuitState {
    return this.#state;
  }

  /** How many of `free` calls that can wait may begin now. */
  countAllowed(free: number): number {
    if (this.#state === 'closed') return free;
    return this.#parts.nowMs() < this.#restsUntilMs ? 0 : Math.min(free, 1);
  }

  /** Whether a call may begin now; taking it while the circuit is open makes the call the probe. */
  take(): boolean {
    if (this.#state === 'closed') return true;
    const nowMs = this.#parts.nowMs();
    if (nowMs < this.#restsUntilMs) return false;
    const { probeMs } = this.#parts;
    this.#state = 'probing';
    // A probe that never ends must not keep the circuit open for ever: then the next call is the probe.
    this.#restsUntilMs = nowMs + probeMs;
    this.#parts.onChange(probeMs);
    return true;
  }

  /** The rail has answered, whatever it said. */
  succeed(): void {
    this.#failures = 0;
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#restMs = FIRST_REST_MS;
    this.#parts.onChange(0);
  }

  fail(): void {
    this.#failures += 1;
    if (this.#state === 'closed' && this.#failures < FAILURES) return;
    // Calls that began before it opened are no probes, and do not lengthen its rest.
    if (this.#state === 'open') return;
    if (this.#state === 'probing') this.#restMs = Math.min(this.#restMs * 2, LONGEST_REST_MS);
    this.#state = 'open';
    this.#restsUntilMs = this.#parts.nowMs() + this.#restMs;
    this.#parts.onChange(this.#restMs);
  }
}
