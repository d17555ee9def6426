// Administrators over HTTP and by operators' commands: listed, disabled, enabled; in production they need a second factor.
import t, { type Test } from 'tap';
import type { Postgres } from '#store/postgres/client.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
  type Person,
  readMail,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { runKasir } from '#test/support/kasir.js';

const PATH = '/v1/admin/administrators';
const { sql, gateways, baseUrl, databaseUrl } = await startGateways(t, 2);

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

async function openOffice(): Promise<{ person: Person; office: Api; elsewhere: Api }> {
  const person = await makePerson(sql, 'admin', null);
  const token = await beginSession(sql, person);
  const elsewhere = openApi(gateways[1]?.baseUrl ?? '', token);
  return { person, office: openApi(baseUrl, token), elsewhere };
}

const change = (office: Api, { userId }: Person, action: string): Promise<ApiAnswer> =>
  office.call(`${PATH}/${userId}/${action}`, { method: 'POST' });

function logIn({ email }: Person): Promise<ApiAnswer> {
  const body = { email, password: PASSWORD };
  return openApi(baseUrl).call('/v1/auth/login', { method: 'POST', body });
}

const countActive = async (of: Postgres): Promise<number> =>
  (await of`select 1 from users where role = 'admin' and disabled_at is null`).length;

t.test('a disabled administrator loses its sessions and cannot log in', async (t) => {
  const { person, office } = await openOffice();
  const other = await openOffice();
  t.equal((await other.elsewhere.call('/v1/admin/switches')).status, 200);
  const disabled = await change(office, other.person, 'disable');
  t.equal(disabled.status, 200, disabled.text);
  t.match(disabled.body, {
    id: other.person.userId,
    status: 'disabled',
    email: other.person.email,
  });
  assertError(t, await other.elsewhere.call('/v1/admin/switches'), 401, 'session_expired');
  assertError(t, await logIn(other.person), 401, 'login_failed');
  t.equal((await change(office, other.person, 'disable')).status, 200, 'a repeat changes nothing');
  for (const { email } of [person, other.person]) {
    t.match((await readMail(sql, email))?.body, other.person.email, 'both get a mail');
  }
  const { data } = (await office.call(PATH)).body as { data: { id: string; status: string }[] };
  const shown = data.filter(({ id }) => [person.userId, other.person.userId].includes(id as never));
  t.same(
    shown.map(({ status }) => status),
    ['active', 'disabled'],
  );
  const rows = await sql`
    select actor from audit_log
     where target = ${other.person.userId} and action = 'users.update' and after like '%disabled_at%'`;
  t.same(rows, [{ actor: person.userId }], 'the audit log names the administrator who did it');
  t.match((await change(office, other.person, 'enable')).body, { status: 'active' });
  assertError(t, await other.office.call('/v1/admin/switches'), 401, 'session_expired');
  t.equal((await logIn(other.person)).status, 200);
});

t.test('an administrator disables neither itself nor a user of a merchant', async (t) => {
  const { person, office } = await openOffice();
  assertError(t, await change(office, person, 'disable'), 409, 'state_conflict');
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  assertError(t, await change(office, owner, 'disable'), 404, 'user_not_found');
  assertError(t, await change(office, owner, 'enable'), 404, 'user_not_found');
});

t.test('of administrators who disable each other, one stays', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    await sql`update users set disabled_at = now() where role = 'admin' and disabled_at is null`;
    const [one, two] = [await openOffice(), await openOffice()];
    const answers = await Promise.all([
      change(one.office, two.person, 'disable'),
      change(two.elsewhere, one.person, 'disable'),
    ]);
    t.same(answers.map(({ status }) => status).sort(), [200, 401], answers[0].text);
    t.equal(await countActive(sql), 1);
  }
});

t.test('a chosen password does not enable a disabled administrator', async (t) => {
  const { office } = await openOffice();
  const other = await openOffice();
  await change(office, other.person, 'disable');
  const digest = 'ab'.repeat(32);
  await sql`insert into one_time_links (digest, purpose, user_id, expires_at)
            values (decode(${digest}, 'hex'), 'reset', ${other.person.userId}, now() + interval '1 hour')`;
  await sql`select choose_password(${digest}, password_hash) from users where id = ${other.person.userId}`;
  assertError(t, await logIn(other.person), 401, 'login_failed');
});

t.test('kasir admin lists, disables and enables, but never disables the last one', async (t) => {
  const run = (...args: string[]) => runKasir({ DATABASE_URL: databaseUrl }, 'admin', ...args);
  await sql`update users set disabled_at = now() where role = 'admin' and disabled_at is null`;
  const [one, two] = [await openOffice(), await openOffice()];
  t.match(await run('disable', one.person.email), { code: 0, stdout: /is disabled/ });
  for (const { person } of [one, two]) {
    const { body } = (await readMail(sql, person.email)) ?? {};
    t.match(body, `${one.person.email} telah dinonaktifkan oleh operator`, 'both get a mail');
  }
  assertError(t, await one.office.call('/v1/admin/switches'), 401, 'session_expired');
  t.match(await run('disable', two.person.email), { code: 1, stderr: /last administrator/ });
  t.match((await run('list')).stdout, new RegExp(`${one.person.email}.*disabled since`));
  t.match(await run('enable', one.person.email), { code: 0 });
  t.match((await readMail(sql, two.person.email))?.body, 'telah diaktifkan kembali oleh operator');
  t.equal(await countActive(sql), 2);
  t.match(await run('disable', 'nobody@example.com'), { code: 1, stderr: /no administrator/ });
});

t.test('kasir admin gives a role, which applies from the next request', async (t) => {
  const run = (...args: string[]) => runKasir({ DATABASE_URL: databaseUrl }, 'admin', ...args);
  const [one, two] = [await openOffice(), await openOffice()];
  const { email, userId } = two.person;
  const stop = (office: Api): Promise<ApiAnswer> =>
    office.call('/v1/admin/switches', { method: 'PUT', body: { name: 'payouts', enabled: true } });
  t.equal((await stop(two.office)).status, 200);
  t.match(await run('role', email, 'support'), { code: 0, stdout: /has the role support/ });
  t.match((await readMail(sql, one.person.email))?.body, `${email} telah diberi peran support`);
  const refused = await stop(two.elsewhere);
  assertError(t, refused, 403, 'role_insufficient');
  t.match(refused.text, /Your role support does not allow this; it needs admin\./);
  t.equal((await two.elsewhere.call('/v1/admin/transactions')).status, 200);
  const { data } = (await one.office.call(PATH)).body as { data: { id: string; role: string }[] };
  t.equal(data.find(({ id }) => id === userId)?.role, 'support');
  const rows = await sql`
    select actor from audit_log
     where target = ${userId} and action = 'users.update' and after like '%support%'`;
  t.equal(rows.length, 1, 'the audit log has the change');
  t.match(await run('role', email, 'owner'), { code: 2, stderr: /Allowed choices are admin/ });
  t.match(await run('role', 'nobody@example.com', 'admin'), { code: 1 });
  const created = await run('create', `new-${email}`, '--role', 'treasury', '--json');
  t.match(JSON.parse(created.stdout), { role: 'treasury' });
  const told = await readMail(sql, one.person.email);
  t.match(told?.body, `new-${email} telah dibuat sebagai administrator dengan peran treasury`);
});

t.test(
  'the last active administrator of the role admin stays enabled and keeps the role',
  async (t) => {
    const run = (...args: string[]) => runKasir({ DATABASE_URL: databaseUrl }, 'admin', ...args);
    await sql`update users set disabled_at = now() where role = 'admin' and disabled_at is null`;
    const [one, two] = [await openOffice(), await openOffice()];
    t.equal((await run('role', two.person.email, 'treasury')).code, 0);
    for (const args of [
      ['role', one.person.email, 'support'],
      ['disable', one.person.email],
    ]) {
      t.match(await run(...args), { code: 1, stderr: /last administrator of the role admin/ });
    }
    assertError(t, await change(two.office, one.person, 'disable'), 403, 'role_insufficient');
    t.equal((await change(one.office, two.person, 'disable')).status, 200);
    t.match(await run('role', two.person.email, 'support'), { code: 0 }, 'a disabled one as well');
    t.equal(await countActive(sql), 1);
  },
);

t.test('in production an administrator without a second factor can only enrol', async (t) => {
  const variables = {
    NODE_ENV: 'production',
    ALLOW_INSECURE: 'redis,postgres',
    ...{ COMMAND_KEY_RAILS: '', COMMAND_KEY_WEBHOOKS: '' },
    BASE_URL: 'https://pay.example.com',
  };
  const stage = await startGateways(t, 1, variables);
  const admin = await makePerson(stage.sql, 'support', null);
  const api = openApi(stage.baseUrl, await beginSession(stage.sql, admin));
  for (const path of ['/v1/admin/switches', '/v1/auth/sessions', PATH]) {
    assertError(t, await api.call(path), 403, 'role_insufficient');
  }
  const password = { current_password: PASSWORD, password: 'kata-sandi-yang-lain' };
  const refused = await api.call('/v1/auth/password', { method: 'POST', body: password });
  assertError(t, refused, 403, 'role_insufficient');
  await enrolSecondFactor(stage.sql, api, admin.userId);
  t.equal((await api.call('/v1/admin/switches')).status, 200);
  t.equal((await api.call('/v1/auth/logout', { method: 'POST' })).status, 204);
});
