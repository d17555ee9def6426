// Hashes passwords in a background thread, one at a time. Clients take turns (limits/fair-queue.ts). For an unknown
// user the password is checked against a dummy hash, so that the answer takes equally long.
import { randomBytes } from 'node:crypto';
import {
  type BackgroundThread,
  openBackgroundThread,
  type ThreadSettings,
} from '#ops/runtime/threads/background-thread.js';
import { type Counter, createCounter, type Registry } from '#ops/runtime/metrics.js';
import { FairQueue } from '../limits/fair-queue.js';
import { findNetwork } from '../routing/client-address.js';
import type { HashJob } from './password-hash.js';

/**
 * A flood of logins from many addresses gets 5 hashes a second, a tenth of a core: beside 14 a second, of two gateways on
 * two cores, the p99 of creates rose by 30 %. The last of 64 waiting clients waits 13 s.
 */
const BOUNDS = {
  atOnce: 1,
  waiting: 64,
  waitingPerClient: 16,
  rest: { ms: 180, worksBefore: 10 },
} as const;
const DUMMY_BYTES = 16;

export interface HasherDeps extends ThreadSettings {
  readonly registry: Registry;
}

export class PasswordHasher {
  readonly #queue = new FairQueue(BOUNDS);
  readonly #thread: BackgroundThread<HashJob, string | boolean>;
  readonly #hashes: Counter;
  #dummyHash: Promise<string> | undefined;

  constructor({ registry, ...settings }: HasherDeps) {
    this.#hashes = createCounter(
      registry,
      'gateway_password_hashes_total',
      'Passwords hashed or checked',
    );
    const module = import.meta.resolve('./password-hash.js');
    const name = 'openHashing';
    this.#thread = openBackgroundThread({ module, name, isRepeatable: true, settings });
  }

  async hash(password: string, address: string): Promise<string> {
    return this.#queue.run(findNetwork(address), () => this.#hash(password));
  }

  /** `stored` is null for an unknown user: returns false after the same time. */
  async verify(stored: string | null, password: string, address: string): Promise<boolean> {
    this.#dummyHash ??= this.#hash(randomBytes(DUMMY_BYTES).toString('hex'));
    const hash = stored ?? (await this.#dummyHash);
    const isRight = await this.#queue.run(findNetwork(address), () =>
      this.#run({ password, hash }),
    );
    return isRight === true && stored !== null;
  }

  /** Resolves when the hash under way is done. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #hash(password: string): Promise<string> {
    return String(await this.#run({ password, hash: null }));
  }

  #run(job: HashJob): Promise<string | boolean> {
    this.#hashes.inc();
    return this.#thread.run(job);
  }
}
