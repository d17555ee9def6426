// A cache of business names: every page shows one, and they rarely change.
import { LRUCache } from 'lru-cache';

const MAX_NAMES = 10_000;
const FRESH_MS = 60_000;

/** `find` returns undefined for an unknown merchant. */
export function createMerchantNames(
  find: (id: string) => Promise<string | undefined>,
): (id: string) => Promise<string> {
  const names = new LRUCache<string, string>({ max: MAX_NAMES, ttl: FRESH_MS });
  return async (id) => {
    const known = names.get(id);
    if (known !== undefined) return known;
    const name = (await find(id)) ?? '';
    names.set(id, name);
    return name;
  };
}
