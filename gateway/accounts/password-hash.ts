// Password hashes: argon2id. Hashing runs in libuv's thread pool, which the whole process shares, so only
// MAX_AT_ONCE hashes run at a time. For an unknown user the password is checked against a dummy hash, so that the
// answer takes equally long.
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { OverloadedError } from '../routing/store-failures.js';

/** 19 MiB, two passes: about 20 ms of CPU. Source: OWASP's sheet on storing passwords. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const MAX_AT_ONCE = 2;
const MAX_WAITING = 64;

export class PasswordHasher {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #dummyHash: Promise<string> | undefined;

  async hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password.normalize('NFKC'), COST));
  }

  /** `stored` is null for an unknown user: returns false after the same time. */
  async verify(stored: string | null, password: string): Promise<boolean> {
    this.#dummyHash ??= hash(randomBytes(16), COST);
    const expected = stored ?? (await this.#dummyHash);
    const isRight = await this.#inTurn(() => verify(expected, password.normalize('NFKC')));
    return isRight && stored !== null;
  }

  async #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running >= MAX_AT_ONCE) await this.#wait();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Waits until a running hash ends and passes its slot on. */
  #wait(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new OverloadedError());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
