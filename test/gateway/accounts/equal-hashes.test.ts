// The time of a login does not reveal whether an address is registered: a password is hashed for unknown addresses too.
import t from 'tap';
import { makeMerchant, makePerson, PASSWORD, startGateways } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
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

/** An address can have a verified account and one that waits for its verification. */
const HASHES = 2;

async function countHashes(): Promise<number> {
  const [page = ''] = await Promise.all(gateways.map(readMetrics));
  return Number(/^kasir_gateway_password_hashes_total (\d+)$/m.exec(page)?.[1]);
}

t.test('login hashes as often for an unknown address as for a registered one', async (t) => {
  const pending = unknown();
  await register(pending);
  // The first one also makes the hash that the others are checked against.
  await logIn(unknown());
  for (const address of [email, invited.email, pending, unknown()]) {
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
