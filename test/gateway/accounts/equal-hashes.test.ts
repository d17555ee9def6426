// The time of a login does not reveal whether an address is registered: a password is hashed for unknown addresses too, and
// no answer waits for the write that differs.
import t from 'tap';
import { makeMerchant, makePerson, PASSWORD, startGateways } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { readMetrics, uniqueWord } from '#test/support/processes.js';

const { sql, baseUrl, gateways } = await startGateways(t);
const anonymous = openApi(baseUrl);
const { email } = await makePerson(sql, 'owner', await makeMerchant(sql));
const invited = await makePerson(sql, 'owner', await makeMerchant(sql));
await sql`update users set password_hash = null where id = ${invited.userId}`;

const post = (path: string, body: object): Promise<ApiAnswer> =>
  anonymous.call(`/v1/auth/${path}`, { method: 'POST', body });
const unknown = (): string => `${uniqueWord()}@example.com`;
const logIn = (address: string) => post('login', { email: address, password: 'not the password' });
const register = (address: string) =>
  post('register', { email: address, password: PASSWORD, business_name: 'Toko Baru' });

const HASHES = 1;

async function countHashes(): Promise<number> {
  const [page = ''] = await Promise.all(gateways.map(readMetrics));
  return Number(/^kasir_gateway_password_hashes_total (\d+)$/m.exec(page)?.[1]);
}

t.test('login hashes as often for an unknown address as for a registered one', async (t) => {
  const pending = unknown();
  await register(pending);
  await register(pending);
  const both = await makePerson(sql, 'owner', await makeMerchant(sql));
  await register(both.email);
  // The first one also makes the hash that the others are checked against.
  await logIn(unknown());
  for (const address of [email, invited.email, pending, both.email, unknown()]) {
    const before = await countHashes();
    t.equal((await logIn(address)).status, 401);
    t.equal(await countHashes(), before + HASHES);
  }
});

t.test('register stores the password as an argon2id hash', async (t) => {
  const address = unknown();
  await register(address);
  const [row] = await sql<{ hash: string }[]>`
    select password_hash as hash from users where email = ${address}`;
  t.match(row?.hash, /^\$argon2id\$v=19\$m=\d{5,},t=[2-9],/);
});

async function countFailures(userId: string): Promise<number> {
  const [row] = await sql<{ failures: number }[]>`
    select sum(failures)::int as failures from failed_logins where account = ${userId}`;
  return row?.failures ?? 0;
}

t.test(
  'a failed login that cannot be counted is answered, and the failure is counted',
  async (t) => {
    await sql`alter table failed_logins rename to failed_logins_away`;
    t.teardown(() => sql`alter table if exists failed_logins_away rename to failed_logins`);
    t.equal((await logIn(email)).status, 401);
    await waitUntil('the failure is counted', async () => {
      const pages = await Promise.all(gateways.map(readMetrics));
      return /^kasir_background_writes_failed_total\{write="failed_login"\} 1$/m.test(pages.join());
    });
    await sql`alter table failed_logins_away rename to failed_logins`;
  },
);

t.test('a failed login does not wait until it is counted, and a stop does', async (t) => {
  const registered = await makePerson(sql, 'owner', await makeMerchant(sql));
  let stopped: Promise<unknown> = Promise.resolve();
  await sql.begin(async (tx) => {
    await tx`lock table failed_logins in access exclusive mode`;
    for (const address of [registered.email, unknown()])
      t.equal((await logIn(address)).status, 401);
    stopped = Promise.all(gateways.map((gateway) => gateway.stop()));
    await waitUntil('the gateway stops', () =>
      anonymous.call('/healthz').then(
        () => false,
        () => true,
      ),
    );
  });
  await stopped;
  t.equal(await countFailures(registered.userId), 1);
});
