// Finds credentials by the SHA-256 of the key, and remembers them for a short while.
//
// An entry younger than FRESH_MS is used. An older one is used and looked up again in the background. From
// STALE_MS on it is not used before the look-up has answered. Its age counts from the moment its look-up was
// sent, so what was revoked, or withdrawn from LIVE, stops on every gateway within STALE_MS and nobody has
// to tell anybody. The look-ups of one event-loop turn are one query.
import { hash, timingSafeEqual } from 'node:crypto';
import { parseApiKey } from '#actors/core/api-key.js';
import type { Credential } from '#actors/core/api-key.js';
import { runWithDeadline } from '#ops/runtime/deadline.js';

const FRESH_MS = 250;
const STALE_MS = 1_000;
const LOOK_UP_DEADLINE_MS = 2_000;
const MAX_LOOK_UPS = 4_096;
const MAX_DIGESTS_A_QUERY = 512;
/** Entries of one generation; the cache holds two. Keys that do not exist have their own, so that guessing drops nobody. */
const GENERATION_ENTRIES = 8_192;

export interface CredentialDeps {
  /** Keys that are not revoked, by digest, in any order. Throws when it cannot be known. */
  findCredentials(digests: readonly Buffer[]): Promise<readonly Credential[]>;
  monotonicMs(): number;
  onError(error: unknown): void;
}

interface Entry {
  readonly credential: Credential | undefined;
  readonly askedAtMs: number;
}

interface PendingLookup {
  readonly promise: Promise<Credential | undefined>;
  resolve(credential: Credential | undefined): void;
  reject(error: unknown): void;
}

/** Too many look-ups are waiting: a refusal, not a failure of the database. */
export class LookupsFullError extends Error {}

export class CredentialCache {
  readonly #parts: CredentialDeps;
  readonly #known = new Generations();
  readonly #unknown = new Generations();
  readonly #waiting = new Map<string, PendingLookup>();
  #collected: string[] = [];

  constructor(parts: CredentialDeps) {
    this.#parts = parts;
  }

  /** undefined: there is no such key. Rejects when that cannot be known now. */
  find(text: string): Credential | undefined | Promise<Credential | undefined> {
    const key = hash('sha256', text, 'hex');
    const entry = this.#known.get(key) ?? this.#unknown.get(key);
    if (entry === undefined) {
      return parseApiKey(text) === undefined ? undefined : this.#lookUp(key);
    }
    const ageMs = this.#parts.monotonicMs() - entry.askedAtMs;
    if (ageMs < FRESH_MS) return entry.credential;
    const refreshed = this.#lookUp(key);
    if (ageMs >= STALE_MS) return refreshed;
    refreshed.catch(ignore);
    return entry.credential;
  }

  #lookUp(key: string): Promise<Credential | undefined> {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting.promise;
    if (this.#waiting.size >= MAX_LOOK_UPS) return Promise.reject(new LookupsFullError());
    const lookUp = createPendingLookup();
    this.#waiting.set(key, lookUp);
    if (this.#collected.length === 0) setImmediate(() => this.#flush());
    this.#collected.push(key);
    return lookUp.promise;
  }

  #flush(): void {
    const keys = this.#collected;
    this.#collected = [];
    for (let from = 0; from < keys.length; from += MAX_DIGESTS_A_QUERY) {
      void this.#query(keys.slice(from, from + MAX_DIGESTS_A_QUERY));
    }
  }

  async #query(keys: readonly string[]): Promise<void> {
    const askedAtMs = this.#parts.monotonicMs();
    const digests = keys.map((key) => Buffer.from(key, 'hex'));
    try {
      const found = await runWithDeadline(
        this.#parts.findCredentials(digests),
        LOOK_UP_DEADLINE_MS,
      );
      for (const [index, key] of keys.entries()) {
        const credential = found.find((each) => isSame(each.digest, digests[index]));
        this.#remember(key, { credential, askedAtMs });
        this.#take(key)?.resolve(credential);
      }
    } catch (error) {
      this.#parts.onError(error);
      for (const key of keys) this.#take(key)?.reject(error);
    }
  }

  #remember(key: string, entry: Entry): void {
    const isKnown = entry.credential !== undefined;
    (isKnown ? this.#unknown : this.#known).delete(key);
    (isKnown ? this.#known : this.#unknown).set(key, entry);
  }

  #take(key: string): PendingLookup | undefined {
    const lookUp = this.#waiting.get(key);
    this.#waiting.delete(key);
    return lookUp;
  }
}

/**
 * A bounded map that forgets what was not used for a while: a full generation becomes the old one, and what
 * is found in the old one moves on. Reading costs one look-up, where a linked list costs four writes.
 */
class Generations {
  #young = new Map<string, Entry>();
  #old = new Map<string, Entry>();

  get(key: string): Entry | undefined {
    const entry = this.#young.get(key);
    if (entry !== undefined) return entry;
    const aged = this.#old.get(key);
    if (aged !== undefined) this.set(key, aged);
    return aged;
  }

  set(key: string, entry: Entry): void {
    if (this.#young.size >= GENERATION_ENTRIES) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, entry);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

const ignore = (): void => undefined;

function isSame(left: Buffer, right: Buffer | undefined): boolean {
  return right !== undefined && left.length === right.length && timingSafeEqual(left, right);
}

function createPendingLookup(): PendingLookup {
  let settle: Pick<PendingLookup, 'resolve' | 'reject'> = { resolve: ignore, reject: ignore };
  const promise = new Promise<Credential | undefined>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
