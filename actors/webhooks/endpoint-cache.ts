// What attempts know of endpoints: address, whether it is active, live secrets. Nothing in here is used when
// it is older than LIVE_FOR_MS, so that a rotation, a revoked secret or a switched-off endpoint takes effect on
// every worker at once, also for deliveries that were queued before. Reads of one moment are one query.
import { LRUCache } from 'lru-cache';
import { selectLiveSecrets } from '../core/webhooks/rotation.js';
import type { Secrets } from '../core/webhooks/sign.js';
import { LIVE_FOR_MS, type LiveEndpointRow } from '#store/postgres/webhooks/live-endpoints.js';

const MAX_ENDPOINTS = 10_000;

export interface LiveEndpoint {
  readonly url: string;
  readonly isActive: boolean;
  /** null: they cannot be read. */
  readonly secrets: Secrets | null;
}

export interface EndpointCacheDeps {
  /** Resolves, however long it takes; undefined when the process stops before. */
  load: (ids: readonly string[]) => Promise<LiveEndpointRow[] | undefined>;
  /** Opens a ciphertext of the endpoint. @throws Error when it cannot be opened */
  openSecret: (endpointId: string, sealed: string) => string;
  nowMs: () => number;
}

/** `gone`: it was deleted. `unknown`: the process stops, and it could not be read. */
export type EndpointLookup = LiveEndpoint | 'gone' | 'unknown';

interface CachedEndpoint {
  readonly looked: LiveEndpoint | 'gone';
  readonly readAtMs: number;
}

export class EndpointCache {
  readonly #parts: EndpointCacheDeps;
  readonly #pages = new LRUCache<string, CachedEndpoint>({ max: MAX_ENDPOINTS });
  /** The read that the ids of this moment are waiting for. */
  #wanted: { ids: Set<string>; read: Promise<Map<string, LiveEndpoint> | undefined> } | null = null;

  constructor(parts: EndpointCacheDeps) {
    this.#parts = parts;
  }

  /** The endpoint as it is now, at most LIVE_FOR_MS ago; undefined where it must be looked up first. */
  peek(id: string): LiveEndpoint | 'gone' | undefined {
    const page = this.#pages.get(id);
    if (page === undefined || this.#parts.nowMs() - page.readAtMs > LIVE_FOR_MS) return undefined;
    return page.looked;
  }

  async find(id: string): Promise<EndpointLookup> {
    const known = this.peek(id);
    if (known !== undefined) return known;
    this.#wanted ??= this.#collect();
    this.#wanted.ids.add(id);
    const found = await this.#wanted.read;
    if (found === undefined) return 'unknown';
    return found.get(id) ?? 'gone';
  }

  #collect() {
    const ids = new Set<string>();
    const read = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#wanted = null;
      return this.#read([...ids]);
    });
    return { ids, read };
  }

  async #read(ids: readonly string[]): Promise<Map<string, LiveEndpoint> | undefined> {
    const { load, nowMs } = this.#parts;
    const readAtMs = nowMs();
    const rows = await load(ids);
    if (rows === undefined) return undefined;
    const found = new Map(rows.map((row) => [row.id, this.#open(row)]));
    for (const id of ids) this.#pages.set(id, { looked: found.get(id) ?? 'gone', readAtMs });
    return found;
  }

  #open({ id, url, active, ...stored }: LiveEndpointRow): LiveEndpoint {
    const { current, next } = selectLiveSecrets(stored);
    try {
      const open = (sealed: string): string => this.#parts.openSecret(id, sealed);
      const secrets = { current: open(current), next: next === null ? null : open(next) };
      return { url, isActive: active, secrets };
    } catch {
      return { url, isActive: active, secrets: null };
    }
  }
}
