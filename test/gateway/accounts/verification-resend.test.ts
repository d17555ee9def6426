// The link that verifies an address is mailed again on request. The answer is the same for every address, and no address
// that a user has verified gets a link for another account.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { makeMerchant, makePerson, PASSWORD, readMail } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { useGateways } from '#test/support/standing/service.js';

/** Mails about registrations to one mailbox in a day. */
const DAILY = 5;

const { sql, gateways, baseUrl } = await useGateways(t);
const makeEmail = (): string => `${uniqueWord('baru')}@pelanggan.example`;
let turn = 0;
const post = (path: string, body: object): Promise<ApiAnswer> => {
  turn += 1;
  const api = openApi(gateways[turn % 2]?.baseUrl ?? baseUrl);
  return api.call(`/v1/auth/${path}`, { method: 'POST', body });
};
const register = (email: string): Promise<ApiAnswer> =>
  post('register', { email, password: PASSWORD, business_name: 'Toko Baru' });
const resend = (email: string): Promise<ApiAnswer> => post('verify/resend', { email });
const countMails = async (email: string): Promise<number> =>
  (await sql`select 1 from mails where recipient = ${email}`).length;

t.test('the link is mailed again, and both links work until one was used', async (t) => {
  const email = makeEmail();
  await register(email);
  const first = await readMail(sql, email);
  const answer = await resend(email.toUpperCase());
  t.same([answer.status, answer.text], [204, '']);
  const second = await waitUntil('the second mail', async () => {
    const newest = await readMail(sql, email);
    return newest?.token === first?.token ? undefined : newest;
  });
  t.equal(second.subject, first?.subject);
  t.equal((await post('verify', { token: second.token, password: PASSWORD })).status, 204);
  const [user] = await sql`select verified_at from users where email = ${email}`;
  t.not(user?.['verified_at'], null);
  t.equal(
    (await post('verify', { token: first?.token, password: PASSWORD })).status,
    204,
    'of the same account',
  );
});

t.test(
  'the answer is the same for every address, and only one that waits gets a mail',
  async (t) => {
    const waiting = makeEmail();
    await register(waiting);
    const verified = await makePerson(sql, 'owner', await makeMerchant(sql));
    // A stranger registers the address of a user who has verified it.
    await register(verified.email);
    const invited = makeEmail();
    const [merchantId, id] = [await makeMerchant(sql), uniqueWord('usr')];
    await sql`insert into users (id, email, merchant_id, role) values (${id}, ${invited}, ${merchantId}, 'viewer')`;
    const before = await countMails(verified.email);
    const strangers = [verified.email, invited, makeEmail()];
    for (const email of [...strangers, waiting]) {
      const { status, text } = await resend(email);
      t.same([status, text], [204, ''], email);
    }
    await waitUntil('the mail of the one that waits', async () => {
      return (await countMails(waiting)) === 2;
    });
    t.equal(await countMails(verified.email), before);
    t.same(await Promise.all([invited, strangers[2] ?? ''].map(countMails)), [0, 0]);
    const links = await sql`
    select 1 from one_time_links l join users u on u.id = l.user_id
     where u.email in ${sql(strangers)} and l.purpose = 'verify' and l.used_at is null`;
    t.equal(links.length, 0, 'and no link that works');
  },
);

t.test('it counts in the limits of registrations', async (t) => {
  const email = makeEmail();
  await register(email);
  const rows = Array.from({ length: DAILY - 1 }, () => ({
    ...{ id: uniqueWord('mail'), recipient: email, subject: '', body: '', budget: 'registration' },
  }));
  await sql`insert into mails ${sql(rows)}`;
  t.equal((await resend(email)).status, 204);
  await sql`update mails set created_at = created_at - interval '61 minutes' where recipient = ${email}`;
  t.equal((await resend(email)).status, 204);
  await waitUntil('the mail of the next hour', async () => {
    return (await countMails(email)) > DAILY;
  });
  t.equal(await countMails(email), DAILY + 1);
});
