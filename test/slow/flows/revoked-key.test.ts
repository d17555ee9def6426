// A revoked key fails at each gateway within a second, also under load (docs/decisions/0030-accounts-audit-and-mails.md). The
// bound itself is checked on a given clock in test/gateway/auth/credentials.test.ts; this test finds a look-up that load delays.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { createTestMerchant, startService } from '#test/support/processes.js';
import { openPostgres } from '#store/postgres/client.js';

/** Three times the second that the contract allows, for a busy machine. */
const WITHIN_MS = 3_000;

const { baseUrl, databaseUrl, gateways } = await startService(t, { gateways: 2 });
const sql = openPostgres(databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const addresses = gateways.map((gateway) => gateway.baseUrl);

t.test('a revoked key fails at each gateway within a second under load', async (t) => {
  const { merchantId } = await createTestMerchant(databaseUrl);
  const owner = await makePerson(sql, 'owner', merchantId);
  const session = openApi(baseUrl, await beginSession(sql, owner));
  const body = { environment: 'TEST' };
  const made = await session.call('/v1/merchants/me/api-keys', { method: 'POST', body });
  const [key, id] = [String(made.body['secret']), String(made.body['id'])];
  const asked: { atMs: number; address: string; status: number }[] = [];
  let isOver = false;
  const load = async (address: string, index: number): Promise<void> => {
    const api = openApi(address, key);
    while (!isOver) {
      const atMs = performance.now();
      const call = index % 2 === 0 ? api.create({ amount: '15000' }) : api.call('/v1/balance');
      asked.push({ atMs, address, status: (await call).status });
    }
  };
  const workers = addresses.flatMap((address) =>
    Array.from({ length: 8 }, (_, index) => load(address, index)),
  );
  await waitUntil('the load is on', () => asked.length > 200);
  const deleted = await session.call(`/v1/merchants/me/api-keys/${id}`, { method: 'DELETE' });
  const revokedAtMs = performance.now();
  t.equal(deleted.status, 204);
  await waitUntil('the load has gone on for long enough', () =>
    addresses.every((address) =>
      asked.some((one) => one.address === address && one.atMs > revokedAtMs + WITHIN_MS),
    ),
  );
  isOver = true;
  await Promise.all(workers);
  for (const address of addresses) {
    const there = asked.filter((one) => one.address === address);
    const taken = there.filter(({ status }) => status < 300);
    const refused = there.filter(({ status }) => status === 401);
    t.ok(taken.length > 50, 'the key worked before');
    t.equal(taken.length + refused.length, there.length, 'there are no other answers');
    const lastMs = Math.max(...taken.map(({ atMs }) => atMs)) - revokedAtMs;
    t.ok(
      lastMs < WITHIN_MS,
      `the last accepted request began ${lastMs.toFixed(0)} ms after the revocation`,
    );
  }
});
