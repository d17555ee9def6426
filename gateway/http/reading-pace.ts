// Whether a client reads a streamed body fast enough. Bytes that it read are worth time, and waiting for it uses that time
// up. So a client at MIN_BYTES_PER_S goes on for ever, a slower one and one that stopped are cut within MAX_CREDIT_MS.
//
// The native side reports progress in steps of about 1 MB (native.ts), so the credit must last for one step.

const MIN_BYTES_PER_S = 32 * 1024;
const MAX_CREDIT_MS = 60_000;

export class ReadingPace {
  #creditMs = MAX_CREDIT_MS;

  /** The native side took `bytes`. */
  addBytes(bytes: number): void {
    const earnedMs = (bytes * 1_000) / MIN_BYTES_PER_S;
    this.#creditMs = Math.min(MAX_CREDIT_MS, this.#creditMs + earnedMs);
  }

  /** The stream waited for the client for so long. */
  addWait(waitMs: number): void {
    this.#creditMs -= waitMs;
  }

  /** How long the stream may wait now; 0 or less: the client is too slow. */
  get leftMs(): number {
    return this.#creditMs;
  }
}
