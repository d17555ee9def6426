// An open invoice is previewed, mailed again and reminded of. A mail that is asked for twice is sent once, and a mail that is
// refused changes nothing.
import t from 'tap';
import { beginSession, makePerson, readMail, startGateways } from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import {
  draftInvoice,
  finalizeInvoice,
  openInvoice,
  previewInvoice,
  remindInvoice,
  sendInvoice,
  showInvoice,
  voidInvoice,
} from '#test/support/collecting/invoices.js';
import { isRefused } from '#test/support/collecting/links.js';
import {
  addCustomer,
  getPage,
  openLiveSeller,
  openSeller,
} from '#test/support/collecting/stage.js';

const HOURLY = 6;
const { sql, baseUrl } = await startGateways(t, 1, { INVOICE_MAILS_PER_HOUR: String(HOURLY) });
const stage = { sql, baseUrl };
const DUE = '2027-08-02T10:15:00Z';
const HOSTILE = '<script>alert(1)</script>';

const ASKS = { send: sendInvoice, remind: remindInvoice } as const;
const countMails = async (id: unknown): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from mails where invoice_id = ${String(id)}`;
  return row?.count ?? 0;
};
/** As if its mails had been written earlier. */
const age = (id: unknown, interval: string) => sql`
  update invoices set sent_at = sent_at - ${interval}::interval, reminded_at = reminded_at - ${interval}::interval
   where id = ${String(id)}`;
const readMessage = ({ body }: ApiAnswer): string => (body['error'] as { message: string }).message;

t.test('sent again, once in ten minutes', async (t) => {
  const seller = await openSeller(stage);
  const { api } = seller;
  const customer_email = await addCustomer(stage, seller);
  const {
    id,
    sent_at: first,
    reminded_at: never,
  } = (await openInvoice(api, { customer_email })).body;
  t.match(first, /Z$/);
  t.equal(never, null);
  const early = await sendInvoice(api, id);
  isRefused(t, early, 'rate_limited');
  t.match(readMessage(early), /less than 10 minutes ago/);
  const wait = Number(early.headers['retry-after']);
  t.ok(wait > 500 && wait <= 600, `after ${wait} s`);
  t.match((await showInvoice(api, id)).body, { sent_at: first });
  const told = await readMail(sql, customer_email);

  await age(id, '10 minutes');
  const answers = await Promise.all([sendInvoice(api, id), sendInvoice(api, id)]);
  t.same(answers.map(({ status }) => status).sort(), [200, 429], 'two presses, one mail');
  t.equal(await countMails(id), 2);
  t.same(await readMail(sql, customer_email), told, 'the same mail');
  const { body } = await showInvoice(api, id);
  t.match(body, { status: 'open', reminded_at: null });
  t.ok(String(body['sent_at']) > String(first));
  const [log] = await sql`
    select actor, after from audit_log where target = ${String(id)} order by id desc limit 1`;
  t.match(log, { actor: /^usr_/, after: /sent_at/ });
});

t.test('reminded of in its language, once a day', async (t) => {
  const seller = await openSeller(stage);
  const { api } = seller;
  const customer_email = await addCustomer(stage, seller);
  const opened = await openInvoice(api, { customer_email, due_at: DUE });
  const { id, number } = opened.body;
  const answers = await Promise.all([remindInvoice(api, id), remindInvoice(api, id)]);
  t.same(answers.map(({ status }) => status).sort(), [200, 429], 'two presses, one mail');
  const mail = await readMail(sql, customer_email);
  t.equal(mail?.subject, `[TEST] Pengingat: tagihan ${String(number)} dari Toko <Uji> & "Kawan"`);
  for (const part of [
    'Rp\u00a0300.000',
    'Jatuh tempo: 2 Agustus 2027',
    `/invoice/${String(id)}\n`,
  ]) {
    t.ok(mail?.body.includes(part), part);
  }
  await age(id, '23 hours');
  const early = await remindInvoice(api, id);
  isRefused(t, early, 'rate_limited');
  t.match(readMessage(early), /one reminder is allowed per invoice and day/);
  t.equal((await sendInvoice(api, id)).status, 200, 'the invoice itself may be sent');
  await age(id, '1 hour');
  const again = await remindInvoice(api, id);
  t.match(again.body, { sent_at: /Z$/, reminded_at: /Z$/ });
  t.equal(await countMails(id), 4);

  const late = await addCustomer(stage, seller);
  const overdue = { customer_email: late, language: 'en', due_at: '2020-01-01' };
  await remindInvoice(api, (await openInvoice(api, overdue)).body['id']);
  const english = await readMail(sql, late);
  t.match(english?.subject, /^\[TEST\] Reminder: invoice INV-\d{6} from/);
  t.match(english?.body, /not paid yet[^]*It was due: 1 January 2020/);
});

t.test('refused where there is nothing to send, and nothing changes', async (t) => {
  const seller = await openSeller(stage);
  const { api, merchantId, email } = seller;
  const to = { customer_email: await addCustomer(stage, seller) };
  const draft = (await draftInvoice(api, to)).body['id'];
  const unaddressed = (await openInvoice(api)).body['id'];
  const open = (await openInvoice(api, to)).body['id'];
  await age(open, '1 day');
  const voided = (await openInvoice(api, to)).body['id'];
  await voidInvoice(api, voided);
  const before = (await showInvoice(api, open)).body;
  const finance = openApi(
    baseUrl,
    await beginSession(sql, await makePerson(sql, 'finance', merchantId)),
  );
  const viewer = openApi(
    baseUrl,
    await beginSession(sql, await makePerson(sql, 'viewer', merchantId)),
  );
  for (const [name, ask] of Object.entries(ASKS)) {
    for (const id of [draft, unaddressed, voided]) {
      const answer = await ask(api, id);
      isRefused(t, answer, 'state_conflict');
      t.match(readMessage(answer), id === unaddressed ? /customer_email/ : /must be open/, name);
    }
    isRefused(t, await ask(viewer, open), 'role_insufficient');
    await sql`update users set verified_at = null where email = ${email}`;
    const unproven = await ask(api, open);
    t.match(readMessage(unproven), /Verify your e-mail address first/);
    await sql`update users set verified_at = now() where email = ${email}`;
  }
  t.same((await showInvoice(api, open)).body, before);
  t.equal(await countMails(open), 1);
  t.equal((await previewInvoice(viewer, open)).status, 200, 'a viewer may look');
  t.equal((await sendInvoice(finance, open)).status, 200, 'finance may send');
});

t.test('a LIVE invoice is not mailed while it cannot be paid', async (t) => {
  const { api, merchantId } = await openSeller(stage);
  const setLive = (isOn: boolean) => sql`
    update merchants set verification_status = 'APPROVED', live_enabled = ${isOn} where id = ${merchantId}`;
  await setLive(true);
  const live = { environment: 'LIVE', customer_email: 'live@pelanggan.example' };
  const { id } = (await openInvoice(api, live)).body;
  await age(id, '1 day');
  await setLive(false);
  for (const ask of Object.values(ASKS)) isRefused(t, await ask(api, id), 'live_not_enabled');
  t.equal(await countMails(id), 1);
  await setLive(true);
  t.equal((await remindInvoice(api, id)).status, 200);
  const mail = await readMail(sql, 'live@pelanggan.example');
  t.notMatch(mail?.subject, /TEST/);
  t.notMatch(mail?.body, /uji coba/);
});

t.test('counted in the limits on mails, by merchant and by mailbox', async (t) => {
  const { api } = await openLiveSeller(stage);
  const to = (customer_email: string) => ({ environment: 'LIVE', customer_email });
  const invoices = await Promise.all(
    Array.from({ length: HOURLY }, (_, index) =>
      openInvoice(api, to(`full-${index}@pelanggan.example`)),
    ),
  );
  const id = invoices[0]?.body['id'];
  await age(id, '1 day');
  const before = (await showInvoice(api, id)).body;
  for (const ask of Object.values(ASKS)) {
    const full = await ask(api, id);
    isRefused(t, full, 'rate_limited');
    t.match(readMessage(full), /Too many invoices were mailed by you, or to this address/);
    t.ok(Number(full.headers['retry-after']) > 3_000);
  }
  t.same((await showInvoice(api, id)).body, before);

  const victim = 'victim@pelanggan.example';
  const shops = await Promise.all(Array.from({ length: 10 }, () => openLiveSeller(stage)));
  const opened = await Promise.all(shops.map((shop) => openInvoice(shop.api, to(victim))));
  t.same(new Set(opened.map(({ status }) => status)), new Set([200]));
  const shop = shops[0];
  if (shop === undefined) throw new Error('no shop was opened');
  isRefused(t, await remindInvoice(shop.api, opened[0]?.body['id']), 'rate_limited');
});

async function preview(
  api: Api,
  id: unknown,
): Promise<{ html: string; mail: unknown; reminder: unknown }> {
  const answer = await previewInvoice(api, id);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body as { html: string; mail: unknown; reminder: unknown };
}

t.test('previewed as the customer will see it', async (t) => {
  const seller = await openSeller(stage);
  const { api, merchantId } = seller;
  const recipient = await addCustomer(stage, seller);
  const items = [{ description: HOSTILE, quantity: 2, unit_amount: '150000' }];
  const body = { items, customer_email: recipient, customer_name: HOSTILE, notes: HOSTILE };
  const { id } = (await draftInvoice(api, { ...body, language: 'en' })).body;
  const draft = await preview(api, id);
  t.notMatch(draft.html, /<script|<style| style=| on[a-z]+=|<form/, 'nothing runs or is sent');
  t.equal(draft.html.split('&lt;script&gt;alert(1)').length, 4, 'hostile text is text');
  for (const part of [
    'INV-######',
    'Toko &lt;Uji&gt;',
    'To be paid',
    'Pay <span translate="no">Rp\u00a0300.000</span>',
    'lang="en"',
  ]) {
    t.ok(draft.html.includes(part), part);
  }
  t.match(draft.mail, { recipient, subject: /^\[TEST\] Invoice INV-###### from/ });
  t.equal(draft.reminder, null);
  const [row] =
    await sql`select count(*)::int as mails from mails where merchant_id = ${merchantId}`;
  t.equal(row?.['mails'], 0, 'nothing is sent');
  t.match((await showInvoice(api, id)).body, { status: 'draft', number: null, sent_at: null });
  t.equal(
    (await getPage(`${baseUrl}/invoice/${String(id)}`)).status,
    404,
    'for others it is closed',
  );

  await finalizeInvoice(api, id);
  const open = await preview(api, id);
  const sent = await readMail(sql, recipient);
  t.same(open.mail, { recipient, subject: sent?.subject, body: sent?.body });
  t.match(open.reminder, { recipient, subject: /Reminder: invoice INV-000001/ });
  const page = await getPage(`${baseUrl}/invoice/${String(id)}`);
  const strip = (html: string): string => html.replace(/<\/?(form|button)[^>]*>|\s+/g, '');
  t.equal(strip(open.html), strip(page.text), 'but for its button it is the page');

  await voidInvoice(api, id);
  const voided = await preview(api, id);
  t.match(voided, { html: /Do not pay it/, mail: null, reminder: null });
  const silent = await preview(api, (await draftInvoice(api)).body['id']);
  t.match(silent, { html: /Belum dibayar/, mail: null, reminder: null });
});
