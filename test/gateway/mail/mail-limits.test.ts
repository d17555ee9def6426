// Bounds on mails over all kinds of them, by two gateways behind a proxy: nobody can flood a mailbox in the service's name,
// and a flood of one kind suppresses no other.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { MAIL_BUDGETS } from '#store/postgres/accounts/mails.js';
import {
  approveMerchant,
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  startGateways,
} from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { draftInvoice } from '#test/support/collecting/invoices.js';
import { openSeller } from '#test/support/collecting/stage.js';
import { uniqueWord } from '#test/support/processes.js';
import { startSmtp } from '#test/support/peers/smtp.js';

const USERS = '/v1/merchants/me/users';
const PER_DAY = {
  ...{ registration: 5, reset: 10, invite: 3, invoice: 10, notice: 50 },
  ...{ operation: 50, payment: 200, receipt: 10 },
} as const;
const INVITES_PER_HOUR = 20;
/** Links that one client gets mailed to an account at once. */
const PER_CLIENT = 5;
/** Of these a mailbox gets one an hour beyond the limit of a day. */
const PACED: readonly string[] = ['registration', 'reset'];

const { sql, gateways, baseUrl } = await startGateways(t, 2, {
  RATE_LIMIT_LOGIN: String(PER_CLIENT),
  TRUSTED_PROXIES: '127.0.0.0/8',
});

const makeVictim = (): string => `${uniqueWord('victim')}@pelanggan.example`;

async function openOwner() {
  const merchantId = await makeMerchant(sql);
  await approveMerchant(sql, merchantId);
  const owner = await makePerson(sql, 'owner', merchantId);
  const token = await beginSession(sql, owner);
  const apis = gateways.map((gateway) => openApi(gateway.baseUrl, token));
  let turn = 0;
  const call: (typeof apis)[0]['call'] = (path, options) => {
    turn += 1;
    const api = apis[turn % apis.length] ?? openApi(baseUrl, token);
    return api.call(path, options);
  };
  const invite = (email: string): Promise<ApiAnswer> =>
    call(USERS, { method: 'POST', body: { email, role: 'viewer' } });
  const remove = (answer: ApiAnswer): Promise<ApiAnswer> =>
    call(`${USERS}/${String(answer.body['id'])}`, { method: 'DELETE' });
  return { invite, remove };
}

const countMails = async (where: string): Promise<number> =>
  (await sql`select 1 from mails where lower(recipient) like ${where}`).length;

const countResets = async (email: string): Promise<number> =>
  (await sql`select 1 from mails where recipient = ${email} and budget = 'reset'`).length;

/** A request without a session, by another client each time. */
function post(path: string, body: object, client: number): Promise<ApiAnswer> {
  return openApi(gateways[client % 2]?.baseUrl ?? '').call(path, {
    method: 'POST',
    body,
    headers: { 'x-forwarded-for': `198.51.100.${client}` },
  });
}

t.test('a loop of invitations and removals mails an address three times a day', async (t) => {
  const victim = makeVictim();
  const { invite, remove } = await openOwner();
  const other = await openOwner();
  const answers: ApiAnswer[] = [];
  for (let round = 0; round < 12; round += 1) {
    const [name = '', host] = victim.split('@');
    const spelled = [victim, `${name}+${round}@${host}`, victim.toUpperCase()][round % 3] ?? '';
    const answer = await (round < 10 ? invite : other.invite)(spelled);
    answers.push(answer);
    if (answer.status === 201) await remove(answer);
  }
  t.same(
    answers.map(({ status }) => status),
    [...Array<number>(PER_DAY.invite).fill(201), ...Array<number>(9).fill(429)],
    'however it is written, and by whichever merchant',
  );
  const last = answers.at(-1);
  t.equal(last?.code, 'rate_limited');
  t.ok(Number(last?.headers['retry-after']) > 80_000);
  t.equal(await countMails('victim%'), PER_DAY.invite);
  const [user] = await sql`select 1 from users where lower(email) like 'victim%'`;
  t.equal(user, undefined, 'a refused invitation stores no user');
});

t.test('a merchant mails few invitations an hour, however many at the same time', async (t) => {
  const { invite } = await openOwner();
  const prefix = uniqueWord('crowd');
  const answers = await Promise.all(
    Array.from({ length: INVITES_PER_HOUR + 10 }, (_, index) =>
      invite(`${prefix}-${index}@pelanggan.example`),
    ),
  );
  t.equal(answers.filter(({ status }) => status === 201).length, INVITES_PER_HOUR);
  t.equal(answers.filter(({ code }) => code === 'rate_limited').length, 10);
  t.equal(await countMails(`${prefix}%`), INVITES_PER_HOUR);
  t.equal((await (await openOwner()).invite(makeVictim())).status, 201, 'another merchant may');
});

t.test('registrations and resets of strangers have their own budgets', async (t) => {
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const { email } = owner;
  const register = { email, password: PASSWORD, business_name: 'Toko' };
  for (let client = 1; client <= PER_DAY.registration + 4; client += 1) {
    t.equal((await post('/v1/auth/register', register, client)).status, 201, 'the same answer');
  }
  t.equal(await countMails(email), PER_DAY.registration);
  for (let client = 1; client <= PER_DAY.reset + 4; client += 1) {
    t.equal((await post('/v1/auth/password-reset', { email }, client)).status, 204);
  }
  await waitUntil('the resets are mailed', async () => {
    return (await countResets(email)) === PER_DAY.reset;
  });
  const login = await post('/v1/auth/login', { email, password: PASSWORD }, 1);
  const changed = await openApi(baseUrl, String(login.body['token'])).call('/v1/auth/password', {
    method: 'POST',
    body: { current_password: PASSWORD, password: `${PASSWORD}-2` },
  });
  t.equal(changed.status, 204);
  t.equal(
    await countMails(email),
    PER_DAY.registration + PER_DAY.reset + 1,
    'the notice of the change is mailed nevertheless',
  );
});

t.test('an owner still gets a reset link after strangers asked for resets all day', async (t) => {
  const { email } = await makePerson(sql, 'admin', null);
  const ask = async (client: number): Promise<void> => {
    t.equal((await post('/v1/auth/password-reset', { email }, client)).status, 204);
  };
  const waitForMails = (count: number): Promise<boolean> =>
    waitUntil(`${count} mails`, async () => (await countResets(email)) === count);
  const age = (): Promise<unknown> =>
    sql`update mails set created_at = created_at - interval '61 minutes' where recipient = ${email}`;
  for (let round = 0; round < 2 * PER_DAY.reset; round += 1) await ask(40);
  await waitForMails(PER_CLIENT);
  await ask(41);
  await waitForMails(PER_CLIENT + 1);
  for (let client = 42; client < 60; client += 1) await ask(client);
  await waitForMails(PER_DAY.reset);
  for (const hour of [1, 2]) {
    await age();
    for (const client of [60, 61, 62]) await ask(client + 4 * hour);
    await waitForMails(PER_DAY.reset + hour);
  }
  const links = await sql`
    select 1 from one_time_links l join users u on u.id = l.user_id where u.email = ${email}`;
  t.equal(links.length, PER_DAY.reset + 2, 'a request without a mail stores no link');
});

t.test('each budget holds for each row that is written, and for a day', async (t) => {
  for (const budget of MAIL_BUDGETS) {
    const recipient = makeVictim();
    const write = (count: number) => {
      const rows = Array.from({ length: count }, () => ({
        ...{ id: uniqueWord('mail'), recipient, subject: '', body: '', budget },
      }));
      return sql`insert into mails ${sql(rows)}`;
    };
    await Promise.all([write(PER_DAY[budget]), write(PER_DAY[budget])]);
    t.equal(await countMails(recipient), PER_DAY[budget], budget);
    const age = (by: string): Promise<unknown> => sql`
      update mails set created_at = created_at - ${by}::interval
       where mailbox = digest_mailbox(${recipient})`;
    await sql`update mails set recipient = '' where recipient = ${recipient}`;
    await age('59 minutes');
    await write(1);
    t.equal(await countMails(recipient), 0, 'also when the recipient was erased');
    await age('1321 minutes');
    await write(2);
    const paced = PACED.includes(budget) ? 1 : 0;
    t.equal(await countMails(recipient), paced, 'one more at the end of the day, or none');
    await age('61 minutes');
    await write(1);
    t.equal(await countMails(recipient), paced + 1, 'the next day');
  }
});

t.test('an address is one mailbox at each input', async (t) => {
  const { invite } = await openOwner();
  const seller = await openSeller({ baseUrl, sql });
  const many = ['v1,victim@x.example', 'a@x.example,b@x.example', 'A <a@x.example>', 'a@x'];
  for (const email of many) {
    const register = { email, password: PASSWORD, business_name: 'Toko' };
    const answers = [
      await invite(email),
      await post('/v1/auth/register', register, 1),
      await post('/v1/auth/password-reset', { email }, 1),
      await draftInvoice(seller.api, { customer_email: email }),
    ];
    for (const { status, code, text } of answers) {
      t.same([status, code], [400, 'field_invalid'], email);
      t.match(text, /must be one e-mail address .*such as/);
    }
  }
});

t.test('the mailer sends to one address, whatever the table holds', async (t) => {
  const smtp = await startSmtp(t);
  const own = await startGateways(t, 1, { SMTP_URL: smtp.url });
  await own.sql`
    insert into mails (id, recipient, subject, body)
    values ('mail_1', 'a@x.example,b@x.example', 'one', ''), ('mail_2', 'c@x.example', 'two', '')`;
  await waitUntil('both were tried', async () => {
    const rows = await own.sql`select 1 from mails where sent_at is not null or error is not null`;
    return rows.length === 2;
  });
  const listed = smtp.recipients.filter((one) => /[ab]@x\.example/.test(one));
  t.ok(listed.length <= 1, `at most one recipient: ${listed.join(' ')}`);
  t.ok(smtp.recipients.includes('<c@x.example>'));
});
