// Claims of idempotency keys: the first body owns the key until every request that relies on it has released it.
import t from 'tap';
import type { MerchantId } from '#actors/core/ids.js';
import { openPostgres } from '#store/postgres/client.js';
import { claimKey, type KeyClaim, releaseKey } from '#store/postgres/payments/claim-refund-key.js';
import { createDatabase } from '#test/support/servers.js';

const sql = openPostgres(await createDatabase(t), 'test', 8);
t.teardown(() => sql.end({ timeout: 1 }));

const buildClaim = (
  key: string,
  fingerprint: string,
  changes: Partial<KeyClaim> = {},
): KeyClaim => ({
  merchantId: 'mer_00000000000000000000000000' as MerchantId,
  environment: 'TEST',
  kind: 'refund',
  key,
  fingerprint,
  objectId: 'ref_1',
  ...changes,
});

t.test('the first body claims the key; another body is a conflict', async (t) => {
  t.equal(await claimKey(sql, buildClaim('a', '1:x')), 'claimed');
  t.equal(await claimKey(sql, buildClaim('a', '1:x')), 'claimed', 'a repeat');
  t.equal(await claimKey(sql, buildClaim('a', '1:y')), 'conflict');
  t.equal(await claimKey(sql, buildClaim('a', '1:x')), 'claimed', 'a conflict changes nothing');
});

t.test('a key is claimed per merchant, environment and kind', async (t) => {
  const merchantId = 'mer_00000000000000000000000001' as MerchantId;
  for (const changes of [{ merchantId }, { environment: 'LIVE' }, { kind: 'payout' }] as const) {
    t.equal(await claimKey(sql, buildClaim('b', '1:x', changes)), 'claimed');
    t.equal(await claimKey(sql, buildClaim('b', '1:y')), 'claimed');
    t.equal(await claimKey(sql, buildClaim('b', '1:y', changes)), 'conflict');
  }
});

t.test('of concurrent claims with four bodies, one body claims the key', async (t) => {
  const bodies = Array.from({ length: 40 }, (_, index) => `1:${index % 4}`);
  const results = await Promise.all(bodies.map((body) => claimKey(sql, buildClaim('c', body))));
  const owners = new Set(bodies.filter((_, index) => results[index] === 'claimed'));
  t.equal(owners.size, 1);
  t.equal(results.filter((result) => result === 'claimed').length, 10);
});

t.test('a key is free after every claim of it is released', async (t) => {
  const first = buildClaim('d', '1:x');
  await claimKey(sql, first);
  await claimKey(sql, first);
  await releaseKey(sql, first);
  t.equal(
    await claimKey(sql, buildClaim('d', '1:y')),
    'conflict',
    'one request still relies on it',
  );
  await releaseKey(sql, buildClaim('d', '1:y'));
  t.equal(await claimKey(sql, buildClaim('d', '1:y')), 'conflict', 'only its body can release it');
  await releaseKey(sql, first);
  await releaseKey(sql, first);
  t.equal(await claimKey(sql, buildClaim('d', '1:y')), 'claimed');
  t.equal(await claimKey(sql, first), 'conflict');
});
