// Addresses, states and live secrets of endpoints, as attempts need them. Entries expire after CACHED_FOR_MS, so that a
// rotated secret or a deactivated endpoint takes effect at every worker at once, for deliveries that were queued before
// too. An answer that is older than LIVE_FOR_MS when it arrives (a slow statement, a pause of the process) is not used:
// it is asked again. Misses of one event-loop turn share one query.
import { LRUCache } from 'lru-cache';
import { createBatcher } from '#ops/runtime/batcher.js';
import type { Clock } from '#ops/runtime/clock.js';
import { type Instant, measureElapsedMs, takeInstant } from '#ops/runtime/elapsed.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import { openSecret } from '#ops/runtime/sealed-secrets.js';
import type { NamedKey } from '#ops/runtime/environment/variables.js';
import { selectLiveSecrets } from '#actors/core/webhooks/rotation.js';
import type { Secrets } from '#actors/core/webhooks/sign.js';
import { LIVE_FOR_MS, type LiveEndpointRow } from '#store/postgres/webhooks/endpoint-secrets.js';
import type { DeliveryStore } from './ports.js';

/** Shorter than LIVE_FOR_MS, which leaves time for the answer. */
const CACHED_FOR_MS = 100;
const MAX_ENDPOINTS = 10_000;
const MAX_BATCH = 1_000;

export interface LiveEndpoint {
  readonly url: string;
  readonly isActive: boolean;
  /** It is inactive, and its deliveries wait until it is activated. */
  readonly isHolding: boolean;
  /** null: the stored secrets cannot be decrypted. */
  readonly secrets: Secrets | null;
}

/** `gone`: the endpoint was deleted. `unknown`: the process stops before the endpoint could be read. */
export type EndpointLookup = LiveEndpoint | 'gone' | 'unknown';

export interface EndpointCacheOptions {
  readonly store: Pick<DeliveryStore, 'loadLiveEndpoints'>;
  readonly secretsKeys: readonly NamedKey[];
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

interface CachedEndpoint {
  readonly endpoint: LiveEndpoint | 'gone';
  readonly readAt: Instant;
}

export class EndpointCache {
  readonly #options: EndpointCacheOptions;
  readonly #cached = new LRUCache<string, CachedEndpoint>({ max: MAX_ENDPOINTS });
  readonly #retryLoop: RetryLoop;
  readonly #load: (id: string) => Promise<CachedEndpoint | 'unknown'>;

  constructor(options: EndpointCacheOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#retryLoop = new RetryLoop(log, 'loading endpoints', clock);
    this.#load = createBatcher<string, CachedEndpoint | 'unknown'>({
      ...{ maxItems: MAX_BATCH, isSerial: false, clock },
      run: (ids) => this.#loadBatch(ids),
    });
  }

  /** Resolves with the endpoint as it was at most LIVE_FOR_MS ago. Waits while Postgres is away. */
  async find(id: string): Promise<EndpointLookup> {
    const { clock } = this.#options;
    const cached = this.#cached.get(id);
    if (cached !== undefined && measureElapsedMs(cached.readAt, clock) <= CACHED_FOR_MS) {
      return cached.endpoint;
    }
    for (;;) {
      const loaded = await this.#load(id);
      if (loaded === 'unknown') return 'unknown';
      if (measureElapsedMs(loaded.readAt, clock) <= LIVE_FOR_MS) return loaded.endpoint;
    }
  }

  async #loadBatch(ids: readonly string[]): Promise<(CachedEndpoint | 'unknown')[]> {
    const { store, stopping, clock } = this.#options;
    const wanted = [...new Set(ids)];
    const answer = await this.#retryLoop.retry(stopping, async () => {
      const readAt = takeInstant(clock);
      return { readAt, rows: await store.loadLiveEndpoints(wanted) };
    });
    if (answer === undefined) return ids.map(() => 'unknown');
    const { readAt, rows } = answer;
    const found = new Map(rows.map((row) => [row.id, this.#openEndpoint(row)]));
    return ids.map((id) => {
      const loaded = { endpoint: found.get(id) ?? ('gone' as const), readAt };
      this.#cached.set(id, loaded);
      return loaded;
    });
  }

  #openEndpoint({ id, url, active, holds, ...stored }: LiveEndpointRow): LiveEndpoint {
    const { current, next } = selectLiveSecrets(stored);
    const state = { url, isActive: active, isHolding: holds && !active };
    try {
      const open = (sealed: string): string => openSecret(this.#options.secretsKeys, id, sealed);
      const secrets = { current: open(current), next: next === null ? null : open(next) };
      return { ...state, secrets };
    } catch {
      return { ...state, secrets: null };
    }
  }
}
