// Whether an address is known cannot be told from how long an answer takes: for unknown people a password is hashed
// all the same.
import t from 'tap';
import { makeMerchant, makePerson, PASSWORD, startGateways } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { compareTimes, isNear } from '#test/support/http/timing.js';
import { uniqueWord } from '#test/support/processes.js';

const TURNS = 9;
/** A hash is most of an answer: without it one takes a tenth of the time. */
const NO_TELL = 2;

const { sql, baseUrl } = await startGateways(t);
const nobody = openApi(baseUrl);
const { email } = await makePerson(sql, 'owner', await makeMerchant(sql));
const invited = await makePerson(sql, 'owner', await makeMerchant(sql));
await sql`update users set password_hash = null where id = ${invited.userId}`;

const post = (path: string, body: object): Promise<ApiAnswer> =>
  nobody.call(`/v1/auth/${path}`, { method: 'POST', body });
const unknown = (): string => `${uniqueWord()}@example.com`;
const logIn = (who: string) => post('login', { email: who, password: 'not the password' });
const register = (who: string) =>
  post('register', { email: who, password: PASSWORD, business_name: 'Toko Baru' });

t.test('logging in', async (t) => {
  for (const known of [email, invited.email]) {
    const ratio = await compareTimes(
      () => logIn(known),
      () => logIn(unknown()),
      TURNS,
    );
    t.ok(isNear(ratio, NO_TELL), `${ratio.toFixed(2)} times as long`);
  }
});

t.test('passwords are hashed with argon2id', async (t) => {
  const who = unknown();
  await register(who);
  const [row] = await sql<{ hash: string }[]>`
    select password_hash as hash from users where email = ${who}`;
  t.match(row?.hash, /^\$argon2id\$v=19\$m=\d{5,},t=[2-9],/);
});
