// Mails: sent through an SMTP server, retried after a refusal, and kept if no server is configured. Operators list them.
import t from 'tap';
import { MAIL_TEXTS } from '#gateway/mail/texts.js';
import { createCompose } from '#gateway/mail/compose.js';
import { startMailer } from '#gateway/mail/mailer.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { Config } from '#ops/runtime/config.js';
import type { Log } from '#ops/runtime/log.js';
import { claimMails, createMailTurns } from '#store/postgres/accounts/mails.js';
import { deleteExpiredAccounts } from '#store/postgres/accounts/one-time-links.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  startGateways,
} from '#test/support/accounts.js';
import { SILENT_LOG } from '#test/support/actors/loop.js';
import { openApi } from '#test/support/api.js';
import { type KasirRun, runKasir } from '#test/support/kasir.js';
import { uniqueWord } from '#test/support/processes.js';
import { startSmtp } from '#test/support/peers/smtp.js';
import { createDatabase } from '#test/support/servers.js';

const run = (databaseUrl: string, ...args: string[]): Promise<KasirRun> =>
  runKasir({ DATABASE_URL: databaseUrl }, ...args);

const register = (baseUrl: string, email: string) =>
  openApi(baseUrl).call('/v1/auth/register', {
    method: 'POST',
    body: { email, password: PASSWORD, business_name: 'Toko' },
    headers: { 'accept-language': 'en' },
  });

t.test('a mail that the SMTP server refuses is sent later, each mail once', async (t) => {
  const smtp = await startSmtp(t);
  const variables = { SMTP_URL: smtp.url, MAIL_FROM: 'Kasir <kasir@example.com>' };
  const { sql, baseUrl, databaseUrl } = await startGateways(t, 2, variables);
  const email = `${uniqueWord()}@example.com`;
  await register(baseUrl, email);
  const message = await waitUntil('the mail was sent', () => smtp.messages[0]);
  t.match(message, /^From: Kasir <kasir@example\.com>$/m);
  t.match(message, new RegExp(`^To: ${email}$`, 'm'));
  t.match(message, /^Subject: Confirm your e-mail address/m);
  t.match(message, /dashboard\/verify#/);
  await waitUntil('the mail was recorded as sent', async () => {
    const rows = await sql`select 1 from mails where sent_at is not null and body = ''`;
    return rows.length === 1;
  });
  smtp.isRefusing = true;
  const second = `${uniqueWord()}@example.com`;
  await register(baseUrl, second);
  await waitUntil('the refusal was recorded', async () => {
    const rows =
      await sql`select 1 from mails where recipient = ${second} and error like '%not now%'`;
    return rows.length === 1;
  });
  const listed = await run(databaseUrl, 'mail', 'list', '--to', second);
  t.match(listed.stdout, /not sent: .*not now/);
  smtp.isRefusing = false;
  await sql`update mails set next_attempt_at = now() where recipient = ${second}`;
  await waitUntil('the second mail was sent', () => smtp.messages[1]);
  await waitUntil('no unsent mail is left', async () => {
    return (await sql`select 1 from mails where sent_at is null`).length === 0;
  });
  t.equal(smtp.messages.length, 2, 'two gateways send each mail once');
});

t.test('a mail server may be away for 45 hours before a mail is given up', async (t) => {
  const smtp = await startSmtp(t);
  smtp.isRefusing = true;
  const sql = openPostgres(await createDatabase(t), 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  await sql`
    insert into mails (id, recipient, subject, body) values ('mail_x', 'a@kopi.example', 's', 'b')`;
  const failures: string[] = [];
  const note = (_: unknown, text: string): void => void failures.push(text);
  const log = { ...SILENT_LOG, warn: note, error: note } as Log;
  const mail = { smtpUrl: smtp.url, from: null };
  const config = { mail, brand: { name: 'Kasir' }, baseUrl: 'https://pay.example' } as Config;
  const mailer = startMailer(config, sql, log);
  t.teardown(() => mailer.stop());
  const TRIES = 8;
  for (let tried = 1; tried <= TRIES; tried += 1) {
    // As if the time until this try had passed.
    await sql`
      update mails set created_at = created_at - (next_attempt_at - now()), next_attempt_at = now()
       where next_attempt_at > now()`;
    mailer.nudge();
    await waitUntil(`try ${tried} was refused`, () => failures.length === tried);
  }
  const [waited] = await sql`
    select attempts, now() - created_at > interval '45 hours' as "isLong" from mails`;
  t.same(waited, { attempts: TRIES, isLong: true });
  t.match(failures.at(-2), /sent again later/);
  t.match(failures.at(-1), /given up/);
  await sql`update mails set next_attempt_at = now()`;
  t.same(await claimMails(sql, createMailTurns(), 10), []);
});

t.test('the name of the service is the name of the sender, whatever is in it', async (t) => {
  const smtp = await startSmtp(t);
  for (const [variables, from] of [
    [{ BRAND_NAME: 'Kopi <Kita>' }, '"Kopi <Kita>" <no-reply@localhost>'],
    [
      { BRAND_NAME: 'Kopi, "Kita"', MAIL_FROM: 'a@kopi.example' },
      '"Kopi, \\"Kita\\"" <a@kopi.example>',
    ],
    [
      { BRAND_NAME: 'Kopi', MAIL_FROM: '"Kita, Kopi" <a@kopi.example>' },
      '"Kita, Kopi" <a@kopi.example>',
    ],
  ] as const) {
    const before = smtp.messages.length;
    const { baseUrl } = await startGateways(t, 1, { SMTP_URL: smtp.url, ...variables });
    await register(baseUrl, `${uniqueWord()}@example.com`);
    const message = await waitUntil('the mail was sent', () => smtp.messages[before]);
    t.equal(/^From: (.*)$/m.exec(message)?.[1]?.trim(), from);
  }
});

t.test('mails without an SMTP server are kept for 30 days and listed by mail list', async (t) => {
  const { sql, baseUrl, databaseUrl } = await startGateways(t);
  t.match(await run(databaseUrl, 'mail', 'list'), { code: 0, stdout: '', stderr: 'no mails\n' });
  const email = `${uniqueWord()}@example.com`;
  await register(baseUrl, email);
  const shown = await run(databaseUrl, 'mail', 'list', '--to', email.toUpperCase());
  t.match(shown, { code: 0, stdout: /dashboard\/verify#[\w-]{43}\n/ });
  const json = await run(databaseUrl, 'mail', 'list', '--json');
  t.match(JSON.parse(json.stdout), [{ recipient: email }]);
  t.equal((await run(databaseUrl, 'mail', 'send')).code, 2);

  const root = `${uniqueWord('Root')}@example.com`;
  const made = await run(databaseUrl, 'admin', 'create', root);
  t.equal(made.code, 0);
  t.equal(
    (await run(databaseUrl, 'admin', 'create', root)).code,
    1,
    'an address has one administrator',
  );
  t.equal((await run(databaseUrl, 'admin', 'create')).code, 2);
  const password = /^password (.+)$/m.exec(made.stdout)?.[1];
  const body = { email: root, password };
  const login = await openApi(baseUrl).call('/v1/auth/login', { method: 'POST', body });
  t.match(login.body, { user: { role: 'admin' }, merchant: null });
  t.equal((await run(databaseUrl, 'admin', 'reset-totp', root)).code, 0);
  t.equal((await run(databaseUrl, 'admin', 'reset-totp', 'nobody@example.com')).code, 1);

  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  await beginSession(sql, owner);
  await sql`update mails set created_at = now() - interval '31 days'`;
  await sql`update sessions set expires_at = now() - interval '31 days' where user_id = ${owner.userId}`;
  await sql`update one_time_links set expires_at = now() - interval '8 days'`;
  await deleteExpiredAccounts(sql);
  const [left] = await sql`
    select (select count(*)::integer from mails) as mails,
           (select count(*)::integer from one_time_links) as links,
           (select count(*)::integer from sessions where user_id = ${owner.userId}) as sessions`;
  t.same(left, { mails: 0, links: 0, sessions: 0 }, 'old mails, links and sessions are deleted');
});

t.test('an administrator without a second factor is rejected in production', async (t) => {
  const variables = {
    NODE_ENV: 'production',
    ALLOW_INSECURE: 'redis,postgres',
    ...{ COMMAND_KEY_RAILS: '', COMMAND_KEY_WEBHOOKS: '' },
    BASE_URL: 'https://pay.example.com',
  };
  const { sql, baseUrl } = await startGateways(t, 1, variables);
  const admin = await makePerson(sql, 'admin', null);
  const api = openApi(baseUrl, await beginSession(sql, admin));
  const refused = await api.call('/v1/admin/switches');
  t.same([refused.status, refused.code], [403, 'role_insufficient']);
  t.match(refused.text, /second factor/);
  const begin = { method: 'POST', body: { current_password: PASSWORD } } as const;
  t.equal((await api.call('/v1/auth/totp', begin)).status, 201);
  await sql`update users set totp_confirmed_at = now() where id = ${admin.userId}`;
  t.equal((await api.call('/v1/admin/switches')).status, 200);
});

t.test('a composed mail has a one-line subject and no link of the merchant', (t) => {
  const compose = createCompose({ baseUrl: 'https://pay.example', brand: 'Acme' });
  t.same(Object.keys(MAIL_TEXTS.id), Object.keys(MAIL_TEXTS.en));
  for (const language of ['id', 'en'] as const) {
    for (const kind of Object.keys(MAIL_TEXTS.id) as (keyof typeof MAIL_TEXTS.id)[]) {
      const businessName = 'Toko\r\nBcc: x@example.com https://evil.example';
      const input = { kind, recipient: 'a@example.com', language, businessName, token: 'TOKEN' };
      const { subject, body } = compose(input);
      t.notMatch(subject, /[\r\n]/, `${kind} ${language}: one line`);
      t.notMatch(subject + body, /https:\/\/evil/, 'no link from the business name');
      t.notMatch(body, /undefined/);
      t.equal(
        body.includes('#TOKEN'),
        ['verify', 'reset', 'invite'].includes(kind),
        `${kind} link`,
      );
      // For the page that was opened without the end of the link.
      t.equal(/^TOKEN$/m.test(body), body.includes('#TOKEN'), `${kind} code, on a line of its own`);
    }
  }
  t.end();
});
