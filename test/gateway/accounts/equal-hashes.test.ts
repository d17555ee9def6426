// The time of a login does not reveal whether an address is registered: a password is hashed for unknown addresses too.
import t from 'tap';
import { makeMerchant, makePerson, PASSWORD, startGateways } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { compareTimes, isNear } from '#test/support/http/timing.js';
import { uniqueWord } from '#test/support/processes.js';

const TURNS = 9;
/** Without the hash an answer takes a tenth of the time, so a ratio below 2 shows that both were hashed. */
const MAX_RATIO = 2;

const { sql, baseUrl } = await startGateways(t);
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

t.test('login with an unknown address takes as long as with a registered one', async (t) => {
  const pending = unknown();
  await register(pending);
  for (const known of [email, invited.email, pending]) {
    const ratio = await compareTimes(
      () => logIn(known),
      () => logIn(unknown()),
      TURNS,
    );
    t.ok(isNear(ratio, MAX_RATIO), `${ratio.toFixed(2)} times as long`);
  }
});

t.test('register stores the password as an argon2id hash', async (t) => {
  const address = unknown();
  await register(address);
  const [row] = await sql<{ hash: string }[]>`
    select password_hash as hash from users where email = ${address}`;
  t.match(row?.hash, /^\$argon2id\$v=19\$m=\d{5,},t=[2-9],/);
});
