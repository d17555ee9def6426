// Whether an address has an account is not revealed: not by registering with it, and not by inviting it. A stranger who also
// logs in with the password of the registration learns it, and the owner gets a mail about each such trial.
import t from 'tap';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
  readMail,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';

const STRANGERS_PASSWORD = 'kata-sandi-orang-lain';
const OTHER_PASSWORD = 'kata-sandi-yang-ketiga';
const USERS = '/v1/merchants/me/users';

const { sql, baseUrl } = await startGateways(t, 2);
const anonymous = openApi(baseUrl);
const post = (api: Api, path: string, body: object): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', body });
const register = (email: string, password: string): Promise<ApiAnswer> =>
  post(anonymous, '/v1/auth/register', { email, password, business_name: 'Toko Baru' });
const logIn = (email: string, password: string): Promise<ApiAnswer> =>
  post(anonymous, '/v1/auth/login', { email, password });
const uniqueAddress = (): string => `${uniqueWord()}@example.com`;

/** Without all that differs between two accounts of the same kind. */
const hideOwn = ({ status, text }: ApiAnswer): string =>
  `${status} ${text.replace(/"(?:mer|usr|req|key|ses)_[^"]+"|"c?s[k_][^"]*"|"[^"]*@example.com"|"[\d-]+T[^"]+"/g, '…')}`;

/** All that a stranger sees who registers with an address, asks for links, and guesses passwords. */
async function probe(email: string): Promise<string[]> {
  const seen = [await register(email, STRANGERS_PASSWORD), await register(email, OTHER_PASSWORD)];
  seen.push(await post(anonymous, '/v1/auth/verify/resend', { email }));
  seen.push(await post(anonymous, '/v1/auth/password-reset', { email }));
  seen.push(await logIn(email, 'a guess'), await logIn(email, STRANGERS_PASSWORD));
  return seen.map(hideOwn);
}

t.test('a stranger sees the same with a registered address and with an unknown one', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const [known, unknown] = [await probe(owner.email), await probe(uniqueAddress())];
  t.same(known, unknown);
  const told = await sql`
    select 1 from mails where recipient = ${owner.email} and subject like '%sudah terdaftar%'`;
  t.equal(told.length, 2, 'the owner learns of each registration');
  const links = await sql`
    select 1 from one_time_links l join users u on u.id = l.user_id
     where u.email = ${owner.email} and purpose = 'verify' and used_at is null`;
  t.same(links, [], 'no link makes the account of a stranger that of the address');
});

/** Rows of each table that a request adds. */
async function countNewRows(request: () => Promise<ApiAnswer>): Promise<number[]> {
  const count = async (): Promise<number[]> => {
    const [row] = await sql`
      select (select count(*)::int from audit_log) as audited, (select count(*)::int from mails) as mails,
             (select count(*)::int from one_time_links) as links, (select count(*)::int from users) as users`;
    return Object.values(row ?? {}).map(Number);
  };
  const before = await count();
  t.equal((await request()).status, 201);
  return (await count()).map((after, index) => after - (before[index] ?? 0));
}

t.test('a registration and an invitation write as much for a registered address', async (t) => {
  const { email } = await makePerson(sql, 'owner', await makeMerchant(sql));
  const add = (address: string) => () => register(address, STRANGERS_PASSWORD);
  t.same(await countNewRows(add(email)), await countNewRows(add(uniqueAddress())));
  const { api } = await openOwner();
  const inviteThere = (address: string) => () =>
    post(api, USERS, { email: address, role: 'viewer' });
  t.same(await countNewRows(inviteThere(email)), await countNewRows(inviteThere(uniqueAddress())));
});

t.test('the user who verified an address keeps it, whatever strangers register', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  await register(owner.email, STRANGERS_PASSWORD);
  t.match((await logIn(owner.email, PASSWORD)).body, { user: { id: owner.userId } });
  t.equal((await logIn(owner.email, STRANGERS_PASSWORD)).status, 401);
});

t.test('of accounts that verify one address at the same time one gets it', async (t) => {
  const email = uniqueAddress();
  const proofs: { token: string; password: string }[] = [];
  for (const password of [PASSWORD, STRANGERS_PASSWORD]) {
    await register(email, password);
    proofs.push({ token: (await readMail(sql, email))?.token ?? '', password });
  }
  const verify = (proof: object): Promise<ApiAnswer> => post(anonymous, '/v1/auth/verify', proof);
  const answers = await Promise.all(proofs.map(verify));
  t.same(answers.map(({ status }) => status).sort(), [204, 400]);
  const verified =
    await sql`select 1 from users where email = ${email} and verified_at is not null`;
  t.equal(verified.length, 1);
});

async function openOwner() {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql, 'Toko Satu'));
  const api = openApi(baseUrl, await beginSession(sql, owner));
  return { api, makeCode: () => enrolSecondFactor(sql, api, owner.userId).then((make) => make()) };
}

/** All that an owner sees who invites an address. */
async function invite(email: string): Promise<string[]> {
  const { api, makeCode } = await openOwner();
  const invited = await post(api, USERS, { email, role: 'viewer' });
  const path = `${USERS}/${String(invited.body['id'])}`;
  const answers = [invited, await post(api, USERS, { email, role: 'viewer' })];
  answers.push(await api.call(USERS));
  const change = { role: 'developer', totp_code: await makeCode() };
  answers.push(await api.call(path, { method: 'PATCH', body: change }));
  answers.push(await api.call(path, { method: 'DELETE' }), await api.call(USERS));
  return answers.map(hideOwn);
}

t.test(
  'an owner sees the same after inviting a registered address and an unknown one',
  async (t) => {
    const known = await makePerson(sql, 'owner', await makeMerchant(sql));
    const unknown = uniqueAddress();
    t.same(await invite(known.email), await invite(unknown));
    const told = await readMail(sql, known.email);
    t.match(told, { subject: /Undangan dari Toko Satu/, token: '' });
    t.match(told?.body, /sudah memiliki akun/);
    t.match((await readMail(sql, unknown))?.token, /^.{43}$/);
    t.equal((await logIn(known.email, PASSWORD)).status, 200);
  },
);

t.test('two merchants invite one address, and the first accepted invitation counts', async (t) => {
  const email = uniqueAddress();
  const tokens: string[] = [];
  for (const { api } of [await openOwner(), await openOwner()]) {
    t.equal((await post(api, USERS, { email, role: 'viewer' })).status, 201);
    tokens.push((await readMail(sql, email))?.token ?? '');
  }
  const accept = (token: string): Promise<ApiAnswer> =>
    post(anonymous, '/v1/auth/password-reset/confirm', { token, password: PASSWORD });
  const answers: ApiAnswer[] = [];
  for (const token of tokens) answers.push(await accept(token));
  t.same(
    answers.map(({ status }) => status),
    [204, 400],
  );
  t.equal((await logIn(email, PASSWORD)).status, 200);
});
