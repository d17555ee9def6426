// Requests of one address at the same moment: registrations, logins, and a verification that ends other accounts.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import type { UserId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import { PASSWORD, readMail } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { useGateways } from '#test/support/standing/service.js';
import { sendDuring } from '#test/support/waits/lock-waits.js';

const STRANGERS_PASSWORD = 'kata-sandi-orang-lain';

const { sql, baseUrl } = await useGateways(t);
const post = (path: string, body: object): Promise<ApiAnswer> =>
  openApi(baseUrl).call(`/v1/auth/${path}`, { method: 'POST', body });
const uniqueAddress = (): string => `${uniqueWord()}@example.com`;
const logIn = (email: string, password: string): Promise<ApiAnswer> =>
  post('login', { email, password });
const verify = (token: string, password: string): Promise<ApiAnswer> =>
  post('verify', { token, password });
const sendRegistration = (email: string, password: string): Promise<ApiAnswer> =>
  post('register', { email, password, business_name: 'Toko Baru' });

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

interface Account {
  readonly userId: UserId;
  /** Of the mailed link. */
  readonly token: string;
}

async function register(email: string, password: string): Promise<Account> {
  const { user } = (await sendRegistration(email, password)).body as { user: { id: UserId } };
  return { userId: user.id, token: (await readMail(sql, email))?.token ?? '' };
}

/** Verifies the address of an account, and holds the transaction until `request` waits for it. */
async function verifyDuring(
  { userId }: Account,
  request: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const digest = randomBytes(32).toString('hex');
  await sql`insert into one_time_links (digest, purpose, user_id, expires_at)
            values (decode(${digest}, 'hex'), 'verify', ${userId}, now() + interval '1 hour')`;
  const verifyFirst = async (transaction: Postgres): Promise<void> => {
    const [done] = await transaction`
      select verify_address(${digest}, password_hash) as done from users where id = ${userId}`;
    t.same(done, { done: true });
  };
  return sendDuring(sql, verifyFirst, request);
}

t.test('a login that waits for a verification by another account begins no session', async (t) => {
  const email = uniqueAddress();
  const own = await register(email, PASSWORD);
  const strange = await register(email, STRANGERS_PASSWORD);
  const answer = await verifyDuring(own, () => logIn(email, STRANGERS_PASSWORD));
  assertError(t, answer, 401, 'login_failed');
  const open = await sql`select 1 from sessions where user_id = ${strange.userId}`;
  t.same(open, []);
});

t.test('a registration that waits for a verification gets no login', async (t) => {
  const email = uniqueAddress();
  const own = await register(email, PASSWORD);
  const answer = await verifyDuring(own, () => sendRegistration(email, STRANGERS_PASSWORD));
  t.equal(answer.status, 201);
  assertError(t, await logIn(email, STRANGERS_PASSWORD), 401, 'login_failed');
  const token = (await readMail(sql, email))?.token ?? '';
  assertError(t, await verify(token, STRANGERS_PASSWORD), 400, 'field_invalid');
  t.match((await logIn(email, PASSWORD)).body, { user: { id: own.userId } });
});

t.test('of two registrations at the same moment one can log in', async (t) => {
  const email = uniqueAddress();
  const passwords = [PASSWORD, STRANGERS_PASSWORD];
  await Promise.all(passwords.map((password) => sendRegistration(email, password)));
  const logins = [await logIn(email, PASSWORD), await logIn(email, STRANGERS_PASSWORD)];
  t.same(logins.map(({ status }) => status).sort(), [200, 401]);
});

t.test('registrations, links and proofs of one address at the same time all end', async (t) => {
  const email = uniqueAddress();
  const own = await register(email, PASSWORD);
  await register(email, STRANGERS_PASSWORD);
  const requests = Array.from({ length: 4 }, () => [
    post('verify/resend', { email }),
    post('password-reset', { email }),
    sendRegistration(email, STRANGERS_PASSWORD),
    verify(own.token, PASSWORD),
  ]).flat();
  const statuses = (await Promise.all(requests)).map(({ status }) => status);
  t.ok(
    statuses.every((status) => [201, 204, 400].includes(status)),
    statuses.join(),
  );
  t.match((await logIn(email, PASSWORD)).body, { user: { id: own.userId } });
});
