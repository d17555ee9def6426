// Resolves names that merchants give. It asks the name servers itself (c-ares): a look-up of the system occupies one of four
// threads, which all look-ups of the process share, for as long as a dead zone likes.
//
//   one look-up per name   those who ask meanwhile wait for it
//   a time limit           then its queries are cancelled
//   a cache                addresses for the time that their record names, at most a minute; failures for seconds
//
// The hosts file is not read; names of the machine itself (localhost) are its loopback addresses.
import type { LookupAddress, RecordWithTtl } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import type { Resolve } from './target.js';

const NAMES = 4_096;
/** Below the deadline of a connection, which includes it. */
const LOOK_UP_MS = 2_500;
const QUERY_MS = 1_000;
const TRIES = 2;
const MAX_TTL_MS = 60_000;
const MIN_TTL_MS = 1_000;
const FAILED_TTL_MS = 10_000;
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/** Codes of c-ares: no name server answered in time. */
const SILENT: ReadonlySet<string> = new Set(['ETIMEOUT', 'ECANCELLED', 'ECONNREFUSED']);
const LOCAL_NAME = /(?:^|\.)localhost\.?$/i;

export interface ResolverOptions {
  /** `address` or `address:port`; empty: the system's. */
  readonly servers?: readonly string[];
  readonly lookUpMs?: number;
}

type Found =
  | { readonly addresses: readonly LookupAddress[]; readonly ttlMs: number }
  | { readonly error: NodeJS.ErrnoException; readonly ttlMs: number };

/** A name without an address fails with ENOTFOUND, a silent name server with ETIMEOUT. */
export function createResolver({
  servers = [],
  lookUpMs = LOOK_UP_MS,
}: ResolverOptions = {}): Resolve {
  const names = new LRUCache<string, Found>({
    max: NAMES,
    fetchMethod: async (name, _stale, { options }) => {
      const found = await lookUp(name, servers, lookUpMs);
      options.ttl = found.ttlMs;
      return found;
    },
  });
  return (hostname, _options, answer) => {
    if (LOCAL_NAME.test(hostname)) return answer(null, [...LOOPBACK]);
    // A look-up that is evicted, because thousands of names came after it, rejects.
    const found = names.fetch(hostname.toLowerCase()).catch(() => undefined);
    void found.then((known) => {
      if (known === undefined || 'error' in known) {
        answer(known?.error ?? makeError('ETIMEOUT', hostname), []);
      } else answer(null, [...known.addresses]);
    });
  };
}

/** Both families at once; one of them is enough. Never rejects. */
async function lookUp(name: string, servers: readonly string[], limitMs: number): Promise<Found> {
  // One resolver for each look-up: it reads the configuration of the system anew, and can be cancelled alone.
  const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const timer = setTimeout(() => {
    resolver.cancel();
  }, limitMs);
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  clearTimeout(timer);
  const records = [...listRecords(v4, 4), ...listRecords(v6, 6)];
  if (records.length > 0) return { addresses: records, ttlMs: computeTtlMs(records) };
  const isSilent = [v4, v6].some((one) => SILENT.has(findCode(one)));
  return { error: makeError(isSilent ? 'ETIMEOUT' : 'ENOTFOUND', name), ttlMs: FAILED_TTL_MS };
}

type Answered = PromiseSettledResult<readonly RecordWithTtl[]>;
type Address = LookupAddress & Pick<RecordWithTtl, 'ttl'>;

function listRecords(answered: Answered, family: 4 | 6): Address[] {
  if (answered.status === 'rejected') return [];
  return answered.value.map(({ address, ttl }) => ({ address, ttl, family }));
}

function findCode(answered: Answered): string {
  const { code } = (answered.status === 'rejected' ? answered.reason : {}) as { code?: string };
  return code ?? '';
}

function computeTtlMs(records: readonly Address[]): number {
  const leastMs = Math.min(...records.map(({ ttl }) => ttl * 1000));
  return Math.min(Math.max(leastMs, MIN_TTL_MS), MAX_TTL_MS);
}

function makeError(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`the name ${name} was not resolved: ${code}`), { code });
}
