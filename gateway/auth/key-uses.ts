// When keys were last used. A key that is used is looked up four times a second at most (credentials.ts), so
// noting the look-ups costs requests nothing; what was noted is written a few seconds later, all keys in one
// statement. A key that is presented and then refused counts as used.
import type { KeyId } from '#actors/core/ids.js';

const WRITE_EVERY_MS = 5_000;
const MAX_KEYS = 10_000;

export interface KeyUsesDeps {
  record(ids: readonly KeyId[]): Promise<void>;
  onError(error: unknown): void;
}

export class KeyUses {
  readonly #parts: KeyUsesDeps;
  readonly #timer: NodeJS.Timeout;
  #used = new Set<KeyId>();

  constructor(parts: KeyUsesDeps) {
    this.#parts = parts;
    this.#timer = setInterval(() => void this.#write(), WRITE_EVERY_MS);
    this.#timer.unref();
  }

  note(id: KeyId): void {
    if (this.#used.size < MAX_KEYS) this.#used.add(id);
  }

  /** Writes what is left. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write();
  }

  async #write(): Promise<void> {
    if (this.#used.size === 0) return;
    const ids = [...this.#used];
    this.#used = new Set();
    try {
      await this.#parts.record(ids);
    } catch (error) {
      this.#parts.onError(error);
    }
  }
}
