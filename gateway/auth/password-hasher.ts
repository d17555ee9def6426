// Hashes passwords in a background thread, one client at a time. Networks and the clients inside them take turns
// (limits/fair-queue.ts). Users who are known by a session, by a browser or by a mailed link take turns with all strangers
// together, and find room when strangers fill the queue. For an unknown user the password is checked against a dummy hash, so that the answer takes
// equally long.
import { randomBytes } from 'node:crypto';
import {
  type BackgroundThread,
  openBackgroundThread,
  type ThreadSettings,
} from '#ops/runtime/threads/background-thread.js';
import { type Counter, createCounter, type Registry } from '#ops/runtime/metrics.js';
import { FairQueue } from '../limits/fair-queue.js';
import { listTurns } from '../routing/client-address.js';
import type { HashJob } from './password-hash.js';

/**
 * Five logins at once need no rest. A flood from many addresses gets 3 turns a second with a hash each, 2 % of a core: beside
 * 14 hashes a second of twice the cost, of two gateways on two cores, the p99 of creates rose by 30 %. The last of 64 waiting
 * clients waits 20 s. A rest of nine times the hash gained nothing on a slow machine (bench/README.md).
 */
const BOUNDS = {
  atOnce: 1,
  waiting: 64,
  waitingPerClient: 16,
  rest: { ms: 300, worksBefore: 5 },
} as const;
const DUMMY_BYTES = 16;

export interface HasherDeps extends ThreadSettings {
  readonly registry: Registry;
}

/** `stored` is null for an unknown user: returns false after the same time. */
export type Verify = (stored: string | null, password: string) => Promise<boolean>;

const listClient = (address: string, known?: string): readonly string[] =>
  known === undefined ? ['strangers', ...listTurns(address)] : ['known', known];

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

  /** `known`: what the user is known by, such as the id of a session; undefined: the client is a stranger. */
  async hash(password: string, address: string, known?: string): Promise<string> {
    return this.#queue.run(listClient(address, known), () => this.#hash(password));
  }

  verify(
    stored: string | null,
    password: string,
    address: string,
    known?: string,
  ): Promise<boolean> {
    return this.inTurn(address, (verify) => verify(stored, password), known);
  }

  /** Does `work` when it is the turn of the client. When too many wait, it is refused before it begins. */
  inTurn<Value>(
    address: string,
    work: (verify: Verify) => Promise<Value>,
    known?: string,
  ): Promise<Value> {
    return this.#queue.run(listClient(address, known), () => work(this.#verify));
  }

  /** Resolves when the hash under way is done. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  readonly #verify: Verify = async (stored, password) => {
    this.#dummyHash ??= this.#hash(randomBytes(DUMMY_BYTES).toString('hex'));
    const hash = stored ?? (await this.#dummyHash);
    const isRight = await this.#run({ password, hash });
    return isRight === true && stored !== null;
  };

  async #hash(password: string): Promise<string> {
    return String(await this.#run({ password, hash: null }));
  }

  #run(job: HashJob): Promise<string | boolean> {
    this.#hashes.inc();
    return this.#thread.run(job);
  }
}
