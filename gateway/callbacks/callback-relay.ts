// Hands callbacks of rails to the rails processes, and waits for what became of them. The gateway looks at nothing in
// them: it takes in bytes, and answers what a rails process says, or 503 when none does in time.
import type { CallbackFrame } from '#store/redis/callbacks.js';
import type { Reply } from '#store/redis/replies.js';

/** Rails wait from 5 s on; a callback that is answered later is repeated by them, which does no harm. */
const WAIT_MS = 8_000;
const MAX_WAITING = 512;
/** No correlation of a command begins so: those are digits. */
const MARK = '~';

export interface CallbackRelayDeps {
  /** Of this process: its channel of replies. */
  readonly gateway: string;
  readonly push: (frame: CallbackFrame) => Promise<boolean>;
}

export type Callback = Pick<CallbackFrame, 'rail' | 'headers' | 'body'>;

export class CallbackRelay {
  readonly #parts: CallbackRelayDeps;
  readonly #waiting = new Map<string, (outcome: string) => void>();
  #counter = 0;

  constructor(parts: CallbackRelayDeps) {
    this.#parts = parts;
  }

  /** The outcome that a rails process tells, or `unavailable`. */
  async deliver(callback: Callback): Promise<string> {
    if (this.#waiting.size >= MAX_WAITING) return 'unavailable';
    this.#counter += 1;
    const correlation = MARK + this.#counter.toString(36);
    const { gateway, push } = this.#parts;
    const told = this.#expect(correlation);
    const isSent = await push({ gateway, correlation, ...callback });
    if (!isSent) this.#settle(correlation, 'unavailable');
    return told;
  }

  /** Whether the reply was one to a callback. */
  accept({ correlation, outcome }: Reply): boolean {
    if (!correlation.startsWith(MARK)) return false;
    this.#settle(correlation, outcome);
    return true;
  }

  #expect(correlation: string): Promise<string> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#settle(correlation, 'unavailable');
      }, WAIT_MS);
      this.#waiting.set(correlation, (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      });
    });
  }

  #settle(correlation: string, outcome: string): void {
    const tell = this.#waiting.get(correlation);
    this.#waiting.delete(correlation);
    tell?.(outcome);
  }
}
