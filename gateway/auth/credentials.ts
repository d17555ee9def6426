// The credential of a request: extracted from Authorization: Bearer or X-Api-Key, and looked up in a cache by the SHA-256
// of the key. The same credential in both headers counts as one; two different ones are an error before either is looked
// up. The states of a cached credential:
//
//   FRESH (younger than FRESH_MS)  used
//   AGING (younger than STALE_MS)  used, and looked up again in the background
//   STALE                          the request waits for the look-up
//
// The age counts from the moment the look-up was sent. So a key that is revoked, or a merchant that loses LIVE, stops on
// each gateway within STALE_MS without a notification. The look-ups of one event-loop turn are one query.
import { hash, timingSafeEqual } from 'node:crypto';
import { parseApiKey } from '#actors/core/api-key.js';
import type { Credential } from '#actors/core/api-key.js';
import { createBatcher } from '#ops/runtime/batcher.js';
import type { Lifecycle } from '#ops/runtime/lifecycle.js';
import type { Log } from '#ops/runtime/log.js';
import type { Postgres } from '#store/postgres/client.js';
import { findCredentials } from '#store/postgres/merchants/api-keys.js';
import type { Head } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import { OverloadedError } from '../routing/store-failures.js';
import { startKeyUses } from './key-uses.js';

const FRESH_MS = 250;
const STALE_MS = 1_000;
const MAX_LOOK_UPS = 4_096;
const MAX_DIGESTS_A_QUERY = 512;
/** Entries of one generation; the cache holds two. Unknown keys have their own, so that guessing evicts no real key. */
const GENERATION_ENTRIES = 8_192;

export interface CredentialDeps {
  /** Finds keys that are not revoked by their digests, in any order. Rejects when the store cannot be queried. */
  findCredentials(digests: readonly Buffer[]): Promise<readonly Credential[]>;
  monotonicMs(): number;
}

interface Entry {
  readonly credential: Credential | undefined;
  readonly queriedAtMs: number;
}

export class CredentialCache {
  readonly #deps: CredentialDeps;
  readonly #known = new Generations();
  readonly #unknown = new Generations();
  readonly #waiting = new Map<string, Promise<Credential | undefined>>();
  readonly #load: (key: string) => Promise<Credential | undefined>;

  constructor(deps: CredentialDeps) {
    this.#deps = deps;
    this.#load = createBatcher({
      maxItems: MAX_DIGESTS_A_QUERY,
      isSerial: false,
      run: (keys: readonly string[]) => this.#query(keys),
    });
  }

  /** undefined: there is no such key. Rejects when it cannot be looked up. */
  find(text: string): Credential | undefined | Promise<Credential | undefined> {
    const key = hash('sha256', text, 'hex');
    const entry = this.#known.get(key) ?? this.#unknown.get(key);
    if (entry === undefined) {
      return parseApiKey(text) === undefined ? undefined : this.#lookUp(key);
    }
    const ageMs = this.#deps.monotonicMs() - entry.queriedAtMs;
    if (ageMs < FRESH_MS) return entry.credential;
    const refreshed = this.#lookUp(key);
    if (ageMs >= STALE_MS) return refreshed;
    refreshed.catch(() => undefined);
    return entry.credential;
  }

  #lookUp(key: string): Promise<Credential | undefined> {
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    if (this.#waiting.size >= MAX_LOOK_UPS) return Promise.reject(new OverloadedError());
    const lookUp = this.#load(key);
    this.#waiting.set(key, lookUp);
    return lookUp;
  }

  async #query(keys: readonly string[]): Promise<(Credential | undefined)[]> {
    const queriedAtMs = this.#deps.monotonicMs();
    const digests = keys.map((key) => Buffer.from(key, 'hex'));
    try {
      const found = await this.#deps.findCredentials(digests);
      return keys.map((key, index) => {
        const credential = found.find((each) => isSame(each.digest, digests[index]));
        this.#remember(key, { credential, queriedAtMs });
        return credential;
      });
    } finally {
      for (const key of keys) this.#waiting.delete(key);
    }
  }

  #remember(key: string, entry: Entry): void {
    const isKnown = entry.credential !== undefined;
    (isKnown ? this.#unknown : this.#known).delete(key);
    (isKnown ? this.#known : this.#unknown).set(key, entry);
  }
}

/** The cache of a gateway; its look-ups record the last use of keys. */
export function startCredentialCache({
  reads,
  accounts,
  log,
  lifecycle,
}: {
  readonly reads: Postgres;
  readonly accounts: Postgres;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
}): CredentialCache {
  const keyUses = startKeyUses(accounts, log);
  lifecycle.onStop('key uses', () => keyUses.stop());
  return new CredentialCache({
    findCredentials: async (digests) => {
      const found = await findCredentials(reads, digests);
      for (const { keyId } of found) keyUses.note(keyId);
      return found;
    },
    monotonicMs: () => performance.now(),
  });
}

/**
 * A bounded map that evicts entries which were not used lately: a full generation becomes the old one, and an entry found
 * in the old one moves on. A read costs one look-up, where a linked list costs four writes.
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

function isSame(left: Buffer, right: Buffer | undefined): boolean {
  return right !== undefined && left.length === right.length && timingSafeEqual(left, right);
}

const BEARER = /^Bearer +([^\s]+)$/i;

export type ExtractedCredential = { readonly text: string } | ApiError;

const MISSING = buildApiError('credential_missing');
const MIXED = buildApiError('credential_mixed');
const UNREADABLE = buildApiError('credential_invalid');
const NEEDS_KEY = buildApiError('credential_wrong_kind', {
  message: 'This call takes a secret key (sk_test_… or sk_live_…), not a session.',
});
const NEEDS_SESSION = buildApiError('credential_wrong_kind', {
  message:
    'This call takes a session (cs_…, from POST /v1/auth/login) as Authorization: Bearer, not a secret key.',
});

/** The credential's text; empty: there is none. */
function extractAny(head: Head): ExtractedCredential {
  const { authorization, apiKey } = head;
  if (authorization === '') return { text: apiKey };
  const token = BEARER.exec(authorization)?.[1];
  if (apiKey !== '' && apiKey !== token) return MIXED;
  return token === undefined ? UNREADABLE : { text: token };
}

/** The secret key; an error when there is none, or a session instead. */
export function extractKey(head: Head): ExtractedCredential {
  const extracted = extractAny(head);
  if ('code' in extracted) return extracted;
  if (extracted.text === '') return MISSING;
  return extracted.text.startsWith('cs_') ? NEEDS_KEY : extracted;
}

/** The session token; an error when there is none, or a secret key instead. */
export function extractSession(head: Head): ExtractedCredential {
  const extracted = extractAny(head);
  if ('code' in extracted) return extracted;
  if (extracted.text === '') return MISSING;
  if (extracted.text.startsWith('sk_') || head.apiKey !== '') return NEEDS_SESSION;
  return extracted;
}

/** A live key on a path that takes no key; undefined: there is none. */
export function extractStrayLiveKey(head: Head): string | undefined {
  if (head.authorization === '' && head.apiKey === '') return undefined;
  const extracted = extractAny(head);
  return 'text' in extracted && extracted.text.startsWith('sk_live_') ? extracted.text : undefined;
}
