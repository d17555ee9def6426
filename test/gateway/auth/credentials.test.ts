import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { makeApiKey } from '#actors/core/api-key.js';
import type { Credential } from '#actors/core/api-key.js';
import { CredentialCache } from '#gateway/auth/credentials.js';
import { OverloadedError } from '#gateway/routing/store-failures.js';
import { makeCredential } from '#test/support/http/target.js';

const newKey = (): string => makeApiKey('TEST', randomBytes(96));

/** A cache on a store that the test controls. */
function createCache() {
  const stored = new Map<string, Credential>();
  const queries: number[] = [];
  const store = { nowMs: 0, failure: undefined as Error | undefined };
  const cache = new CredentialCache({
    findCredentials: (digests) => {
      queries.push(digests.length);
      if (store.failure !== undefined) return Promise.reject(store.failure);
      const isAsked = ({ digest }: Credential): boolean =>
        digests.some((each) => each.equals(digest));
      return Promise.resolve([...stored.values()].filter(isAsked));
    },
    monotonicMs: () => store.nowMs,
  });
  return { cache, stored, queries, store };
}

/** A look-up begins at the end of a turn of the event loop, and this store answers in the next one. */
const turn = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};

t.test('look-ups of one event-loop turn are one query', async (test) => {
  const { cache, stored, queries } = createCache();
  const keys = Array.from({ length: 20 }, newKey);
  for (const key of keys) stored.set(key, makeCredential(key));
  const found = await Promise.all([...keys, ...keys].map(async (key) => cache.find(key)));
  test.ok(found.every((credential) => credential !== undefined));
  test.same(queries, [20]);
});

t.test('a mistyped key is unknown without a look-up', (test) => {
  const { cache, queries } = createCache();
  const key = newKey();
  test.equal(cache.find(`${key.slice(0, -1)}!`), undefined);
  test.same(queries, []);
  test.end();
});

t.test(
  'a fresh entry is used, an aging one refreshed in the background, a stale one awaited',
  async (test) => {
    const { cache, stored, queries, store } = createCache();
    const key = newKey();
    stored.set(key, makeCredential(key));
    await cache.find(key);
    store.nowMs = 249;
    test.type(cache.find(key), 'object');
    await turn();
    test.equal(queries.length, 1, 'young: no query');

    store.nowMs = 251;
    test.notOk(cache.find(key) instanceof Promise);
    await turn();
    test.equal(queries.length, 2, 'older: a query beside');

    store.nowMs = 251 + 1_000;
    test.ok(cache.find(key) instanceof Promise, 'stale: awaited');
  },
);

t.test('a revoked key stops within a second of the look-up that still found it', async (test) => {
  const { cache, stored, store } = createCache();
  const key = newKey();
  stored.set(key, makeCredential(key));
  await cache.find(key);
  stored.delete(key);
  store.nowMs = 999;
  test.ok(await cache.find(key), 'used once more, and refreshed');
  await turn();
  test.equal(await cache.find(key), undefined);

  const idle = newKey();
  stored.set(idle, makeCredential(idle));
  await cache.find(idle);
  stored.delete(idle);
  store.nowMs += 1_000;
  test.equal(await cache.find(idle), undefined, 'not used meanwhile: awaited');
});

t.test('unknown keys are cached for a short while, too', async (test) => {
  const { cache, stored, queries, store } = createCache();
  const key = newKey();
  test.equal(await cache.find(key), undefined);
  test.equal(cache.find(key), undefined);
  test.equal(queries.length, 1);
  stored.set(key, makeCredential(key));
  store.nowMs = 1_000;
  test.ok(await cache.find(key));
  test.ok(cache.find(key), 'the old answer is forgotten');
});

t.test(
  'without the store a cached key is used, a stale one rejects, and the cache recovers',
  async (test) => {
    const { cache, stored, store } = createCache();
    const key = newKey();
    stored.set(key, makeCredential(key));
    await cache.find(key);
    store.failure = new Error('no database');
    store.nowMs = 900;
    test.ok(cache.find(key));
    await turn();
    store.nowMs = 1_001;
    await test.rejects(Promise.resolve(cache.find(key)), store.failure);
    store.failure = undefined;
    test.ok(await cache.find(key));
  },
);

t.test('look-ups beyond the bound are rejected as overloaded', async (test) => {
  const { cache, queries } = createCache();
  const all = Array.from({ length: 4_100 }, () => Promise.resolve(cache.find(newKey())));
  const settled = await Promise.allSettled(all);
  const refused = settled.filter(({ status }) => status === 'rejected');
  test.equal(refused.length, 4);
  test.ok(
    refused.every((each) => each.status === 'rejected' && each.reason instanceof OverloadedError),
  );
  test.same(
    queries,
    Array.from({ length: 8 }, () => 512),
  );
});

t.test('guessed keys do not evict real ones', async (test) => {
  const { cache, stored, queries } = createCache();
  const key = newKey();
  stored.set(key, makeCredential(key));
  await cache.find(key);
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 2_000 }, async () => cache.find(newKey())));
  }
  const before = queries.length;
  test.notOk(cache.find(key) instanceof Promise);
  test.equal(queries.length, before);
});

t.test('keys that are used survive the change of generations', async (test) => {
  const { cache, stored } = createCache();
  const used = newKey();
  stored.set(used, makeCredential(used));
  await cache.find(used);
  for (let round = 0; round < 10; round += 1) {
    const keys = Array.from({ length: 2_000 }, newKey);
    stored.clear();
    for (const key of keys) stored.set(key, makeCredential(key));
    await Promise.all(keys.map(async (key) => cache.find(key)));
    test.notOk(cache.find(used) instanceof Promise, `round ${round}`);
  }
});
