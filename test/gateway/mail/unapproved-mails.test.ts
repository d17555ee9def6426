// Anybody may register, so mails that carry a stranger's words stay within bounds until a merchant is approved: TEST mails go
// to its own users, all mails together are ten a day, and a name that mail programs make a link of is "a shop".
import t from 'tap';
import { leadsSomewhere } from '#gateway/mail/merchant-name.js';
import {
  approveMerchant,
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  readMail,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import {
  draftInvoice,
  finalizeInvoice,
  INVOICES,
  openInvoice,
  previewInvoice,
  remindInvoice,
  sendInvoice,
  showInvoice,
} from '#test/support/collecting/invoices.js';
import { isRefused } from '#test/support/collecting/links.js';
import { addCustomer, openLiveSeller, openSeller } from '#test/support/collecting/stage.js';
import { uniqueWord } from '#test/support/processes.js';
import { useGateways } from '#test/support/standing/service.js';

const USERS = '/v1/merchants/me/users';
const SETTINGS = '/v1/merchants/me/settings';
const DAILY = 10;

const { sql, baseUrl } = await useGateways(t);
const stage = { sql, baseUrl };
const office = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));

const makeStranger = (): string => `${uniqueWord('korban')}@pelanggan.example`;
const countTo = async (email: string): Promise<number> =>
  (await sql`select 1 from mails where recipient = ${email}`).length;
const invite = (api: Api, email = makeStranger()): Promise<ApiAnswer> =>
  api.call(USERS, { method: 'POST', body: { email, role: 'viewer' } });
const readMessage = ({ body }: ApiAnswer): string => (body['error'] as { message: string }).message;

t.test('a TEST invoice of a stranger is not mailed, and each answer says why', async (t) => {
  const seller = await openSeller(stage);
  const { api } = seller;
  const customer_email = makeStranger();
  const why = /TEST invoice[^]*not the verified address of a user of this merchant/;
  const draft = await draftInvoice(api, { customer_email });
  t.match(draft.body, { mail_note: why });
  const { id } = draft.body;
  const opened = await finalizeInvoice(api, id);
  t.match(opened.body, { status: 'open', sent_at: null, mail_note: why }, 'it can be paid');
  for (const ask of [sendInvoice, remindInvoice]) {
    const answer = await ask(api, id);
    isRefused(t, answer, 'state_conflict');
    t.match(readMessage(answer), why);
  }
  t.match((await showInvoice(api, id)).body, { sent_at: null, reminded_at: null, mail_note: why });
  t.match((await api.call(INVOICES)).body['data'], [{ id, mail_note: why }]);
  t.match((await previewInvoice(api, id)).body, { mail: { recipient: customer_email } });
  t.equal(await countTo(customer_email), 0);

  const invited = await addCustomer(stage, seller);
  await sql`update users set verified_at = null where email = ${invited}`;
  const unproven = await openInvoice(api, { customer_email: invited });
  t.match(unproven.body, { sent_at: null, mail_note: why }, 'nor a user who has not joined yet');
  const stranger = await openSeller(stage);
  const foreign = await openInvoice(api, { customer_email: stranger.email });
  t.match(foreign.body, { sent_at: null, mail_note: why }, 'nor a user of another merchant');
});

t.test('a TEST invoice of a user, and a LIVE one of anybody, is mailed', async (t) => {
  const seller = await openSeller(stage);
  const own = await openInvoice(seller.api, { customer_email: seller.email.toUpperCase() });
  t.match(own.body, { sent_at: /Z$/, mail_note: null });
  t.match((await openInvoice(seller.api)).body, { sent_at: null, mail_note: null }, 'no address');
  const { api } = await openLiveSeller(stage);
  const customer_email = makeStranger();
  const live = await openInvoice(api, { environment: 'LIVE', customer_email });
  t.match(live.body, { sent_at: /Z$/, mail_note: null });
  t.equal(await countTo(customer_email), 1);
  const test = await openInvoice(api, { customer_email });
  t.match(test.body, { sent_at: null, mail_note: /TEST/ }, 'an approval changes nothing for TEST');
  t.equal(await countTo(customer_email), 1);
});

t.test('before its approval a merchant causes ten mails a day, of all kinds', async (t) => {
  const seller = await openSeller(stage);
  const { api, merchantId } = seller;
  const customers = await Promise.all(
    Array.from({ length: DAILY / 2 }, () => addCustomer(stage, seller)),
  );
  const opened = await Promise.all(
    customers.map((customer_email) => openInvoice(api, { customer_email })),
  );
  t.same(new Set(opened.map(({ status }) => status)), new Set([200]));
  const invitations = await Promise.all(Array.from({ length: DAILY }, () => invite(api)));
  const statuses = invitations.map(({ status }) => status).sort();
  t.same(statuses, [201, 201, 201, 201, 201, 429, 429, 429, 429, 429], 'at the same time, too');
  const late = await invite(api);
  isRefused(t, late, 'rate_limited');
  t.match(readMessage(late), /not approved may mail 10 a day/);
  t.ok(Number(late.headers['retry-after']) > 80_000);
  const draft = await draftInvoice(api, { customer_email: customers[0] });
  const refused = await finalizeInvoice(api, draft.body['id']);
  isRefused(t, refused, 'rate_limited');
  t.match(readMessage(refused), /not approved may mail 10 a day/);
  t.match((await showInvoice(api, draft.body['id'])).body, { status: 'draft', number: null });
  const count = async (): Promise<number> =>
    (await sql`select 1 from mails where merchant_id = ${merchantId}`).length;
  t.equal(await count(), DAILY);

  const age = (by: string) => sql`
    update mails set created_at = created_at - ${by}::interval where merchant_id = ${merchantId}`;
  await age('23 hours');
  t.equal((await invite(api)).status, 429);
  await age('1 hour');
  t.equal((await invite(api)).status, 201, 'the next day');
  await age('-24 hours');
  t.equal((await invite(api)).status, 429);
  await approveMerchant(sql, merchantId);
  t.equal((await invite(api)).status, 201, 'once it is approved');
  await sql`update merchants set verification_status = 'SUSPENDED' where id = ${merchantId}`;
  t.equal((await invite(api)).status, 429, 'and not while it is suspended');
});

t.test('a domain, an address and an @ lead somewhere, other names do not', (t) => {
  const leading = [
    ...['klikbca.com', 'Bayar di bit.ly/3xYz', 'Toko.Asia', 'PT.Maju Jaya', 'kopi.co.id'],
    ...['BCA。com', 'b\u200bca.co\u200bm', 'ＢＣＡ．ｃｏｍ', 'кафе.рф', 'xn--80ak.xn--p1ai'],
    ...[
      'hadiah@bca',
      'Toko ＠kopi',
      'https://x',
      'Lihat www dot bca',
      '203.0.113.7',
      '[2001:db8::1]',
    ],
  ];
  const plain = [
    ...['PT. Maju Jaya, Tbk.', 'Bank Kopi Indonesia', 'Kopi 2.0', 'Toko & Kawan', 'S.A.B. Abadi'],
    ...['Rp 10.000 Saja', 'Toko #1 (Jakarta)', 'Warung 24/7', 'Kedai... Kopi', ''],
  ];
  for (const name of leading) t.ok(leadsSomewhere(name), name);
  for (const name of plain) t.notOk(leadsSomewhere(name), name);
  t.end();
});

t.test('such a name is "a shop" in mails until it is approved', async (t) => {
  const registration = {
    email: makeStranger(),
    password: PASSWORD,
    business_name: 'BCA klikbca.com',
  };
  const registered = await openApi(baseUrl).call('/v1/auth/register', {
    method: 'POST',
    body: registration,
  });
  t.equal(registered.status, 201, 'legal names contain domains');

  const merchantId = await makeMerchant(sql, 'BCA klikbca.com');
  const owner = await makePerson(sql, 'owner', merchantId);
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const inviteIn = async (language: string) => {
    const email = makeStranger();
    const options = { headers: { 'accept-language': language } };
    const body = { email, role: 'viewer' };
    await api.call(USERS, { method: 'POST', body, ...options });
    return readMail(sql, email);
  };
  const english = await inviteIn('en');
  t.match(english?.subject, /^A shop invites you to /);
  t.match(english?.body, /^A shop invites you to its account at /);
  const indonesian = await inviteIn('id');
  t.match(indonesian?.subject, /^Undangan dari sebuah toko di /);
  t.match(indonesian?.body, /^Sebuah toko mengundang Anda/);
  for (const mail of [english, indonesian]) {
    t.notMatch(`${mail?.subject} ${mail?.body.split('http')[0]}`, /klikbca/i);
  }
  const customer = await addCustomer(stage, { merchantId });
  await openInvoice(api, { customer_email: customer });
  t.match(
    (await readMail(sql, customer))?.subject,
    /^\[TEST\] Tagihan INV-000001 dari sebuah toko$/,
  );

  await sql`update merchants set verification_status = 'APPROVED' where id = ${merchantId}`;
  t.match((await inviteIn('en'))?.subject, /^BCA klikbca\.com invites you/);
});

t.test('a display name needs no approval, so that it never leads somewhere', async (t) => {
  const merchantId = await makeMerchant(sql, 'Toko Kopi');
  const owner = await makePerson(sql, 'owner', merchantId);
  const api = openApi(baseUrl, await beginSession(sql, owner));
  await approveMerchant(sql, merchantId);
  const show = async (display_name: string) => {
    const set = await api.call(SETTINGS, { method: 'PATCH', body: { display_name } });
    t.equal(set.status, 200, 'it is not refused');
    const customer = await addCustomer(stage, { merchantId });
    await openInvoice(api, { customer_email: customer });
    return (await readMail(sql, customer))?.subject;
  };
  t.match(await show('klikbca.com'), /dari Toko Kopi$/);
  t.match(await show('Kopi Kawan'), /dari Kopi Kawan$/);
});

t.test('the reviewer of a verification sees the flagged names', async (t) => {
  const review = (id: string) => office.call(`/v1/admin/merchants/${id}`);
  const plain = await makeMerchant(sql, 'PT. Maju Jaya');
  t.match((await review(plain)).body, { display_name: null, flagged_names: { length: 0 } });
  const merchantId = await makeMerchant(sql, 'BCA klikbca.com');
  await sql`update merchants set display_name = 'hadiah@bca' where id = ${merchantId}`;
  t.match((await review(merchantId)).body, {
    merchant: { business_name: 'BCA klikbca.com' },
    display_name: 'hadiah@bca',
    flagged_names: ['business_name', 'display_name'],
  });
});
