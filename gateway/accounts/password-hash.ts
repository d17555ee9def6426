// Password hashes: argon2id. Hashing runs in libuv's thread pool, which the whole process shares, so few hashes run at a
// time, and clients take turns (limits/fair-queue.ts). For an unknown user the password is checked against a dummy hash, so that
// the answer takes equally long.
import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { FairQueue } from '../limits/fair-queue.js';
import { findNetwork } from '../routing/client-address.js';

/** 19 MiB, two passes: about 20 ms of CPU. Source: OWASP's sheet on storing passwords. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** A flood of logins from many addresses gets a quarter of a core: 12 hashes a second. */
const BOUNDS = { atOnce: 1, waiting: 256, waitingPerClient: 16, restFactor: 3 } as const;
/** Of operators' commands and tests, which compete with nobody. */
const NO_CLIENT = '';

export class PasswordHasher {
  readonly #queue = new FairQueue(BOUNDS);
  #dummyHash: Promise<string> | undefined;

  async hash(password: string, address = NO_CLIENT): Promise<string> {
    return this.#queue.run(findNetwork(address), () => hash(password.normalize('NFKC'), COST));
  }

  /** `stored` is null for an unknown user: returns false after the same time. */
  async verify(stored: string | null, password: string, address = NO_CLIENT): Promise<boolean> {
    this.#dummyHash ??= hash(randomBytes(16), COST);
    const expected = stored ?? (await this.#dummyHash);
    const work = (): Promise<boolean> => verify(expected, password.normalize('NFKC'));
    const isRight = await this.#queue.run(findNetwork(address), work);
    return isRight && stored !== null;
  }
}
