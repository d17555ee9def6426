// Notices: what merchants and their customers hear of by mail, from the fact to a real SMTP server. Two gateways compose and
// send; each fact is mailed once to each person whom it concerns, in the language of that person.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { deleteExpiredAccounts } from '#store/postgres/accounts/one-time-links.js';
import { endNotice, type Notice } from '#store/postgres/accounts/notices.js';
import { disableFailing, flagFailing } from '#store/postgres/webhooks/failing-endpoints.js';
import { openInvoice } from '#test/support/collecting/invoices.js';
import { postForm } from '#test/support/collecting/stage.js';
import { type Cast, startNotices } from './notice-scene.js';
import { uniqueWord } from '#test/support/processes.js';
import { hasStatus, openKey, payOut } from '#test/support/rails/payouts.js';

/** The simulated rail accepts payouts to this account and reports nothing more. */
const SILENT_ACCOUNT = '131313';

const stage = await startNotices(t);
const { sql, baseUrl, simulated, admin } = stage;
const { openCast, waitForMail, waitUntilIdle, countTo, countAll } = stage;

async function addEndpoint({ api }: Cast): Promise<string> {
  const url = 'https://example.com/hook?token=RAHASIA';
  const body = { url, environment: 'TEST', events: ['*'] };
  const made = await api.call('/v1/merchants/me/webhooks', { method: 'POST', body });
  if (made.status !== 201) throw new Error(made.text);
  return String(made.body['id']);
}

const failSince = (endpoint: string, ago: string): Promise<unknown> =>
  sql`insert into webhook_endpoint_failures (endpoint_id, since, latest)
      values (${endpoint}, now() - ${ago}::text::interval, now())
      on conflict (endpoint_id) do update set since = excluded.since, latest = excluded.latest`;

t.test('a failing endpoint is mailed once for its failures, to owner and developer', async (t) => {
  const cast = await openCast();
  const endpoint = await addEndpoint(cast);
  await failSince(endpoint, '61 minutes');
  await Promise.all([flagFailing(sql), flagFailing(sql)]);
  const english = await waitForMail(cast.emails.owner, /endpoint example\.com is failing/);
  const indonesian = await waitForMail(
    cast.emails.developer,
    /Endpoint webhook example\.com gagal/,
  );
  for (const { text } of [english, indonesian]) {
    t.match(text, new RegExp(`Endpoint: ${endpoint} \\(example\\.com\\)`));
    t.match(text, /TEST/);
    t.match(text, /Kopi Kawan/);
    t.notMatch(text, /RAHASIA|\/hook/, 'the rest of the address may hold a secret');
  }
  await flagFailing(sql);
  await waitUntilIdle();
  t.same(countAll(cast), { owner: 1, developer: 1, finance: 0, viewer: 0 });

  await sql`delete from webhook_endpoint_failures where endpoint_id = ${endpoint}`;
  await failSince(endpoint, '62 minutes');
  await flagFailing(sql);
  await waitUntil('the next failures are mailed', () => countTo(cast.emails.owner) === 2);
});

t.test('a disabled endpoint is mailed, unless the merchant has switched that off', async (t) => {
  const cast = await openCast();
  const quiet = await openCast({ off: ['endpoint_disabled'] });
  for (const each of [cast, quiet]) await failSince(await addEndpoint(each), '121 hours');
  await disableFailing(sql);
  t.match((await waitForMail(cast.emails.owner, /was switched off/)).text, /replay/);
  await waitForMail(cast.emails.developer, /dinonaktifkan/);
  await waitUntilIdle();
  t.same(countAll(cast), { owner: 1, developer: 1, finance: 0, viewer: 0 });
  t.same(countAll(quiet), { owner: 0, developer: 0, finance: 0, viewer: 0 });
});

t.test('a received payment is mailed once when the merchant wants it', async (t) => {
  const cast = await openCast({ notices: { payment_received: true } });
  const quiet = await openCast();
  const description = 'Kopi https://evil.example\r\nBcc: x@example.com';
  const { body } = await cast.test.create({ amount: '150000', description });
  const other = await quiet.test.create({ amount: '150000' });
  for (const outcome of ['paid', 'paid']) await cast.test.simulate(body['id'], outcome);
  await quiet.test.simulate(other.body['id'], 'paid');
  const english = await waitForMail(
    cast.emails.owner,
    /\[TEST\] Kopi Kawan received Rp\u00a0150\.000/,
  );
  const indonesian = await waitForMail(cast.emails.finance, /\[TEST\] Kopi Kawan menerima/);
  for (const { text } of [english, indonesian]) {
    t.match(text, new RegExp(String(body['id'])));
    t.notMatch(text, /https:\/\/evil/);
    t.notMatch(text, /^Bcc:/m);
  }
  t.match(english.text, /no money moved/);
  t.match(indonesian.text, /tidak ada uang/);
  // A reader of events that begins again, as after a lost commit.
  await sql`update payment_follower_cursors set position_ms = 0, position_seq = 0, index = 0`;
  await waitUntil('the events are read again', async () => {
    const rows = await sql`
      select 1 from payment_follower_cursors c join payment_events e on e.partition = c.partition
       where e.payment_id = ${String(body['id'])} and e.envelope is not null
         and (e.position_ms, e.position_seq, e.index) > (c.position_ms, c.position_seq, c.index)`;
    return rows.length === 0;
  });
  await waitUntilIdle();
  t.same(countAll(cast), { owner: 1, developer: 0, finance: 1, viewer: 0 });
  t.same(countAll(quiet), { owner: 0, developer: 0, finance: 0, viewer: 0 });
});

/** Pays a LIVE order at the simulated rail. */
async function payLive({ live }: Cast, fields: object): Promise<string> {
  const body = { amount: '25000', payment_method: 'VA_BCA', ...fields };
  const made = await live.create(body, uniqueWord());
  if (made.status !== 201) throw new Error(made.text);
  await simulated.control('POST', 'pay', { order_id: made.body['order_id'] });
  const id = String(made.body['id']);
  await waitUntil('the payment is paid', async () => {
    return (await live.get(id)).body['status'] === 'paid';
  });
  await simulated.control('POST', `orders/${String(made.body['order_id'])}/callback`, {});
  return id;
}

t.test('a customer of a LIVE payment gets one receipt, if the merchant wants it', async (t) => {
  const contact = { support_email: 'halo@kopi.example', display_name: 'Kopi & Kawan' };
  const cast = await openCast({ receipts: { enabled: true }, ...contact });
  const english = await openCast({ receipts: { enabled: true, language: 'en' } });
  const quiet = await openCast();
  const makeCustomer = () => `${uniqueWord('budi')}@pelanggan.example`;
  const [first, second, third] = [makeCustomer(), makeCustomer(), makeCustomer()];
  const id = await payLive(cast, { customer_email: first, description: 'Kopi susu' });
  await payLive(english, { customer_email: second });
  await payLive(quiet, { customer_email: third });
  await payLive(cast, {});
  const receipt = await waitForMail(first, /^Bukti pembayaran dari Kopi & Kawan: Rp\u00a025\.000$/);
  for (const shown of ['Kopi susu', 'Virtual account BCA', id, `/checkout/${id}`, 'halo@kopi']) {
    t.ok(receipt.text.includes(shown), shown);
  }
  t.match(
    (await waitForMail(second, /^Receipt from Kopi Kawan: Rp\u00a025\.000$/)).text,
    /Thank you/,
  );
  await waitUntilIdle();
  t.same([first, second, third].map(countTo), [1, 1, 0]);
  t.same(countAll(cast), { owner: 0, developer: 0, finance: 0, viewer: 0 });
  await sql`select erase_payment_traces(${id}, '{}', '{}', false)`;
  const kept = await sql`select recipient, subject, body from mails where payment_id = ${id}`;
  t.strictSame([...kept], [{ recipient: '', subject: '', body: '' }], 'an erasure erases it');
});

t.test('a receipt of TEST goes to users of the merchant only, and is marked', async (t) => {
  const cast = await openCast({ receipts: { enabled: true } });
  const stranger = `${uniqueWord('korban')}@pelanggan.example`;
  for (const customer of [stranger, cast.emails.viewer.toUpperCase()]) {
    const { body } = await cast.test.create({ amount: '150000', customer_email: customer });
    await cast.test.simulate(body['id'], 'paid');
  }
  const receipt = await waitForMail(cast.emails.viewer, /^\[TEST\] Bukti pembayaran/);
  t.match(receipt.text, /Ini uji coba/);
  await waitUntilIdle();
  t.equal(countTo(stranger), 0);
});

t.test('the receipt of an invoice has the language of the invoice', async (t) => {
  const cast = await openCast({ receipts: { enabled: true, language: 'id' } });
  const fields = { customer_email: cast.emails.viewer, language: 'en' };
  const { url } = (await openInvoice(cast.api, fields)).body;
  const path = new URL(String(url)).pathname;
  const { location } = await postForm(`${baseUrl}${path}/payment`, {});
  await cast.test.simulate(location.split('/').at(-1), 'paid');
  await waitForMail(cast.emails.viewer, /^\[TEST\] Receipt from Kopi Kawan: Rp\u00a0300\.000/);
  t.pass();
});

t.test('a payout that failed or came back is mailed without its account number', async (t) => {
  const cast = await openCast();
  const pays = await openKey(baseUrl, sql, cast.merchantId, 'LIVE', ['payouts', 'read']);
  await sql`insert into balance_rows (account, currency, amount)
            values (${`merchant_available:${cast.merchantId}:LIVE:IDR`}, 'IDR', 500000)`;
  const make = async (): Promise<string> => {
    const { body } = await payOut(
      pays,
      { amount: '50000', account_number: SILENT_ACCOUNT },
      uniqueWord(),
    );
    const id = String(body['id']);
    await waitUntil('the rail has accepted it', async () => {
      const [row] = await sql`select rail_reference from payouts where id = ${id}`;
      return typeof row?.['rail_reference'] === 'string';
    });
    return id;
  };
  const report = (id: string, status: 'SUCCEEDED' | 'FAILED' | 'REVERSED') =>
    simulated.control('POST', `payouts/${id}`, { status });
  const [failed, reversed] = [await make(), await make()];
  await report(failed, 'FAILED');
  await report(failed, 'FAILED');
  await report(reversed, 'SUCCEEDED');
  await hasStatus(pays, reversed, 'COMPLETED');
  await report(reversed, 'REVERSED');
  const mails = [
    [failed, await waitForMail(cast.emails.owner, /A payout of Rp\u00a050\.000 failed/)],
    [failed, await waitForMail(cast.emails.finance, /Pencairan Rp\u00a050\.000 gagal/)],
    [reversed, await waitForMail(cast.emails.owner, /A payout of Rp\u00a050\.000 came back/)],
    [reversed, await waitForMail(cast.emails.finance, /Pencairan Rp\u00a050\.000 kembali/)],
  ] as const;
  for (const [id, { text }] of mails) {
    t.match(text, new RegExp(id));
    t.match(text, /BCA \*\*\*\*1313/);
    t.notMatch(text, /131313|Budi Santoso/);
  }
  const cancelled = await payOut(pays, { amount: '10000' }, uniqueWord());
  await pays.call(`/v1/payouts/${String(cancelled.body['id'])}/cancel`, { method: 'POST' });
  await waitUntilIdle();
  t.same(countAll(cast), { owner: 2, developer: 0, finance: 2, viewer: 0 });
});

t.test('a decided verification is mailed in both languages, a suspension is not', async (t) => {
  const cast = await openCast();
  await sql`update merchants set verification_status = 'PENDING' where id = ${cast.merchantId}`;
  const decide = (body: object) =>
    admin.call(`/v1/admin/merchants/${cast.merchantId}/verification`, { method: 'POST', body });
  t.equal((await decide({ status: 'REJECTED', reason: 'Foto' })).status, 200);
  await waitForMail(cast.emails.owner, /needs a correction/);
  await waitForMail(cast.emails.finance, /perlu diperbaiki/);
  await sql`update merchants set verification_status = 'PENDING' where id = ${cast.merchantId}`;
  t.equal((await decide({ status: 'APPROVED' })).status, 200);
  await waitForMail(cast.emails.owner, /is approved/);
  await waitForMail(cast.emails.finance, /disetujui/);
  t.equal((await decide({ status: 'SUSPENDED', reason: 'Keluhan' })).status, 200);
  await waitUntilIdle();
  t.same(countAll(cast), { owner: 2, developer: 0, finance: 2, viewer: 0 });
});

const writeNotice = async (merchantId: string, fact: string, details: object): Promise<Notice> => {
  const rows = await sql<Notice[]>`
    insert into notices (kind, merchant_id, fact, details, next_at)
    values ('kyc_decided', ${merchantId}, ${fact}, ${JSON.stringify(details)}, now() + interval '1 day')
    returning id::text as id, kind, merchant_id as "merchantId", fact, details`;
  const [notice] = rows;
  if (notice === undefined) throw new Error('the notice was not inserted');
  return notice;
};

t.test('a notice and its mails end together, once', async (t) => {
  const { merchantId } = await openCast();
  const notice = await writeNotice(merchantId, uniqueWord(), { status: 'APPROVED' });
  const buildMail = (recipient: string) => ({
    ...{ id: makeId('usr', randomBytes(16)), budget: 'notice' as const, recipient },
    ...{ subject: 'x', body: 'x' },
  });
  const recipient = `${uniqueWord()}@example.com`;
  const countMails = async (): Promise<number> =>
    (await sql`select 1 from mails where recipient = ${recipient}`).length;
  const crash = new Error('the process dies before the commit');
  const dying = sql.begin(async (transaction) => {
    await endNotice(transaction as never, notice, [buildMail(recipient)]);
    throw crash;
  });
  await t.rejects(dying, crash);
  t.equal(await countMails(), 0);
  const ended = await Promise.all(
    [1, 2, 3, 4].map(() => endNotice(sql, notice, [buildMail(recipient)])),
  );
  t.same(ended.filter(Boolean).length, 1, 'one of four gateways inserts the mails');
  t.equal(await countMails(), 1);
});

t.test('a notice that cannot be composed waits and delays no other', async (t) => {
  const cast = await openCast();
  const broken = await writeNotice(cast.merchantId, uniqueWord(), { wrong: true });
  const whole = await writeNotice(cast.merchantId, uniqueWord(), { status: 'APPROVED' });
  await sql`update notices set next_at = now() where id in (${broken.id}, ${whole.id})`;
  await waitForMail(cast.emails.owner, /is approved/);
  await waitUntil('the error is kept', async () => {
    const [row] = await sql`select error, next_at > now() as later, ended_at from notices
                             where id = ${broken.id}`;
    return String(row?.['error']).includes('status') && row?.['later'] === true;
  });
  await sql`update notices set at = now() - interval '31 days'`;
  await deleteExpiredAccounts(sql);
  t.equal((await sql`select 1 from notices`).length, 0, 'old notices are deleted');
});
