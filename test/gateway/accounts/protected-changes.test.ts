// A stolen session without a code must not re-point LIVE events, erase LIVE customers, or silence those who would notice. Each
// such change needs the second factor, and each owner who has proven the address gets a mail about it.
import t, { type Test } from 'tap';
import {
  approveMerchant,
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { uniqueWord } from '#test/support/processes.js';
import { useGateways } from '#test/support/standing/service.js';

const HOOKS = '/v1/merchants/me/webhooks';
const ERASURES = '/v1/merchants/me/erasures';
const SETTINGS = '/v1/merchants/me/settings';
const USERS = '/v1/merchants/me/users';
const KEYS = '/v1/merchants/me/api-keys';
const [FIRST, SECOND] = ['https://93.184.215.14/hook?token=RAHASIA', 'https://93.184.215.15/hook'];

const { sql, baseUrl } = await useGateways(t);

/** A LIVE merchant with two owners, of whom one reads English; a third one has not proven the address. */
async function openMerchant() {
  const merchantId = await makeMerchant(sql, 'Kopi Kawan');
  await approveMerchant(sql, merchantId);
  const owner = await makePerson(sql, 'owner', merchantId);
  const other = await makePerson(sql, 'owner', merchantId);
  const unproven = await makePerson(sql, 'owner', merchantId);
  await sql`update users set language = 'en' where id = ${owner.userId}`;
  await sql`update users set verified_at = null where id = ${unproven.userId}`;
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const owners = [owner.email, other.email].sort();
  return { merchantId, owner, other, api, owners };
}
type Merchant = Awaited<ReturnType<typeof openMerchant>>;

type Send = (api: Api, proof: object) => Promise<ApiAnswer>;
const sendTo =
  (method: 'POST' | 'PATCH' | 'DELETE', path: string, body: object): Send =>
  (api, proof) =>
    api.call(path, { method, body: { ...body, ...proof } });

interface ExpectedChange {
  readonly send: Send;
  /** In the mail of the owner who reads English. */
  readonly subject: RegExp;
  readonly names: RegExp;
}

/** The mails about changes that these owners got, with those of all others. */
const readMails = (of: Merchant) =>
  sql<{ recipient: string; subject: string; body: string }[]>`
    select recipient, subject, body from mails
     where recipient in (select email from users where merchant_id = ${of.merchantId})
       and (subject like '%(Kopi Kawan)' or subject like '%API key%' or subject like 'Kunci API%')
     order by recipient, created_at`;

/** Sends the request without a factor, without a code, with a wrong code and with the right one. */
async function checkChange(
  t: Test,
  merchant: Merchant,
  { send, subject, names }: ExpectedChange,
): Promise<ApiAnswer> {
  const { api, owner } = merchant;
  const before = await readMails(merchant);
  const bare = await send(api, {});
  t.same([bare.status, bare.code], [403, 'role_insufficient'], bare.text);
  t.match(bare.body, { error: { param: 'totp_code' } });
  t.match(bare.text, /POST \/v1\/auth\/totp/, 'it says where to set up a second factor');
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const uncoded = await send(api, {});
  t.same([uncoded.status, uncoded.code], [403, 'role_insufficient'], uncoded.text);
  t.match(uncoded.text, /totp_code is required here/);
  const wrong = await send(api, { totp_code: '0a1b-2c3d-4e5f-6g7h' });
  t.same([wrong.status, wrong.code], [400, 'field_invalid'], wrong.text);
  t.equal((await readMails(merchant)).length, before.length, 'nobody is told of nothing');
  const done = await send(api, { totp_code: await makeCode() });
  t.ok(done.status < 300, done.text);
  await checkMails(t, merchant, { subject, names });
  await sql`update users set totp_secret = null, totp_confirmed_at = null where id = ${owner.userId}`;
  return done;
}

/** Each owner who has proven the address got one mail, and nobody else did. Forgets them. */
async function checkMails(
  t: Test,
  merchant: Merchant,
  { subject, names }: Omit<ExpectedChange, 'send'>,
): Promise<void> {
  const { owners, owner, other } = merchant;
  const mails = await readMails(merchant);
  t.same(
    mails.map(({ recipient }) => recipient),
    owners,
    'each owner',
  );
  const english = mails.find(({ recipient }) => recipient === owner.email);
  t.match(english?.subject, subject);
  t.match(english?.body, names);
  for (const part of [owner.email, '127.0.0.1', 'Kopi Kawan']) {
    t.ok(english?.body.includes(part), `the mail names ${part}`);
  }
  const indonesian = mails.find(({ recipient }) => recipient === other.email);
  t.not(indonesian?.subject, english?.subject, 'in the language of each');
  for (const { body } of mails) t.notMatch(body, /RAHASIA|\/hook/);
  await sql`delete from mails where recipient in ${sql(owners)}`;
}

t.test(
  'a LIVE endpoint is added, changed, switched, rotated and deleted with a code',
  async (t) => {
    const merchant = await openMerchant();
    const made = await checkChange(t, merchant, {
      send: sendTo('POST', HOOKS, { url: FIRST, environment: 'LIVE' }),
      subject: /^A LIVE webhook endpoint was added \(Kopi Kawan\)$/,
      names: /we_[0-9a-z]{26} \(93\.184\.215\.14\)/,
    });
    const path = `${HOOKS}/${String(made.body['id'])}`;
    await checkChange(t, merchant, {
      send: sendTo('PATCH', path, { url: SECOND }),
      subject: /^A LIVE webhook endpoint was changed/,
      names: /\(93\.184\.215\.14 → 93\.184\.215\.15\)/,
    });
    await checkChange(t, merchant, {
      send: sendTo('PATCH', path, { events: ['payment.failed'] }),
      subject: /^A LIVE webhook endpoint was changed/,
      names: /93\.184\.215\.15/,
    });
    await checkChange(t, merchant, {
      send: sendTo('PATCH', path, { active: false }),
      subject: /^A LIVE webhook endpoint was switched off/,
      names: /93\.184\.215\.15/,
    });
    await checkChange(t, merchant, {
      send: sendTo('PATCH', path, { active: true }),
      subject: /^A LIVE webhook endpoint was switched on/,
      names: /93\.184\.215\.15/,
    });
    const rotated = await checkChange(t, merchant, {
      send: sendTo('POST', `${path}/rotate`, {}),
      subject: /^The secret of a LIVE webhook endpoint was rotated/,
      names: /93\.184\.215\.15/,
    });
    t.notOk(rotated.body['secret'] === made.body['secret']);
    await checkChange(t, merchant, {
      send: sendTo('DELETE', path, {}),
      subject: /^A LIVE webhook endpoint was deleted/,
      names: /93\.184\.215\.15/,
    });
    t.equal((await merchant.api.call(path)).status, 404);
  },
);

t.test('nothing of a LIVE endpoint changes without a code', async (t) => {
  const { merchantId, api } = await openMerchant();
  const make = sendTo('POST', HOOKS, { url: FIRST, environment: 'LIVE' });
  t.equal((await make(api, {})).status, 403);
  const rows = await sql`select 1 from webhook_endpoints where merchant_id = ${merchantId}`;
  t.equal(rows.length, 0);
});

t.test('a TEST endpoint needs no code and sends no mail', async (t) => {
  const merchant = await openMerchant();
  const { api } = merchant;
  const made = await api.call(HOOKS, {
    method: 'POST',
    body: { url: FIRST, environment: 'TEST' },
  });
  const path = `${HOOKS}/${String(made.body['id'])}`;
  const answers = [
    made,
    await api.call(path, { method: 'PATCH', body: { url: SECOND } }),
    await api.call(`${path}/rotate`, { method: 'POST', body: {} }),
    await api.call(path, { method: 'DELETE' }),
  ];
  t.same(
    answers.map(({ status }) => status),
    [201, 200, 200, 204],
  );
  t.equal((await readMails(merchant)).length, 0);
});

t.test('a code is not used up by a request that is refused', async (t) => {
  const { api, owner } = await openMerchant();
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const totp_code = await makeCode();
  const make = (body: object) =>
    api.call(HOOKS, { method: 'POST', body: { environment: 'LIVE', ...body, totp_code } });
  t.equal((await make({ url: 'https://127.0.0.1/' })).code, 'target_refused');
  const made = await make({ url: FIRST });
  t.equal(made.status, 201, made.text);
});

t.test('a LIVE customer is erased with a code, a TEST one without', async (t) => {
  const merchant = await openMerchant();
  const { api } = merchant;
  const erased = await checkChange(t, merchant, {
    send: sendTo('POST', ERASURES, { environment: 'LIVE', customer_email: 'budi@example.com' }),
    subject: /^The data of a LIVE customer is being erased/,
    names: /era_[0-9a-z]{26} \(customer_email\)/,
  });
  t.match(erased.body, { object: 'erasure', environment: 'LIVE' });
  const body = { environment: 'TEST', customer_email: 'budi@example.com' };
  t.equal((await api.call(ERASURES, { method: 'POST', body })).status, 202);
  t.equal((await readMails(merchant)).length, 0);
});

t.test(
  'an administrator who erases a LIVE customer is told to the owners without a name',
  async (t) => {
    const merchant = await openMerchant();
    const admin = await makePerson(sql, 'admin', null);
    const office = openApi(baseUrl, await beginSession(sql, admin));
    const body = { environment: 'LIVE', customer_email: 'budi@example.com' };
    const path = `/v1/admin/merchants/${merchant.merchantId}/erasures`;
    t.equal((await office.call(path, { method: 'POST', body })).status, 202);
    const mails = await readMails(merchant);
    t.same(
      mails.map(({ recipient }) => recipient),
      merchant.owners,
    );
    for (const mail of mails) {
      t.notOk(mail.body.includes(admin.email) || mail.body.includes('127.0.0.1'));
      t.match(mail.body, /era_[0-9a-z]{26}/);
    }
  },
);

t.test('mails are switched off with a code, and on without', async (t) => {
  const merchant = await openMerchant();
  const { api } = merchant;
  const on = { notices: { payment_received: true }, receipts: { enabled: true } };
  t.equal((await api.call(SETTINGS, { method: 'PATCH', body: on })).status, 200);
  await checkChange(t, merchant, {
    send: sendTo('PATCH', SETTINGS, {
      notices: { payout_failed: false, payment_received: false, kyc_decided: true },
    }),
    subject: /^Mails to your team or your customers were switched off/,
    names: /Changed: payment_received, payout_failed$/m,
  });
  await checkChange(t, merchant, {
    send: sendTo('PATCH', SETTINGS, { receipts: { enabled: false } }),
    subject: /^Mails to your team or your customers were switched off/,
    names: /Changed: receipts$/m,
  });
  const same = { notices: { payout_failed: false }, receipts: { enabled: false } };
  t.equal((await api.call(SETTINGS, { method: 'PATCH', body: same })).status, 200, 'it is off');
  t.equal((await readMails(merchant)).length, 0);
});

t.test('the contact that customers of LIVE see is changed with a code', async (t) => {
  const merchant = await openMerchant();
  const { api, merchantId } = merchant;
  await checkChange(t, merchant, {
    send: sendTo('PATCH', SETTINGS, {
      ...{ support_email: 'halo@kopi.example', support_url: 'https://kopi.example/bantuan' },
    }),
    subject: /^The contact that your customers see was changed/,
    names: /support_email: – → halo@kopi\.example, support_url: – → https: \/\/kopi\.example/,
  });
  const same = { display_name: 'Kopi & Kawan', support_email: 'halo@kopi.example' };
  t.equal((await api.call(SETTINGS, { method: 'PATCH', body: same })).status, 200);
  await sql`update merchants set live_enabled = false where id = ${merchantId}`;
  const before = { support_email: 'baru@kopi.example' };
  t.equal((await api.call(SETTINGS, { method: 'PATCH', body: before })).status, 200);
});

t.test('an owner is demoted or removed with a code, and is told too', async (t) => {
  const merchant = await openMerchant();
  const { other, merchantId, api } = merchant;
  await checkChange(t, merchant, {
    send: sendTo('PATCH', `${USERS}/${other.userId}`, { role: 'viewer' }),
    subject: /^The role of a person in your account was changed/,
    names: new RegExp(`${other.email} \\(owner → viewer\\)`),
  });
  await sql`update users set role = 'owner' where id = ${other.userId}`;
  const user = await makePerson(sql, 'finance', merchantId);
  t.equal((await api.call(`${USERS}/${user.userId}`, { method: 'DELETE' })).status, 204);
  await checkMails(t, merchant, {
    subject: /^A person was removed from your account/,
    names: new RegExp(`${user.email} \\(finance\\)`),
  });
  const email = `${uniqueWord('rekan')}@example.com`;
  await checkChange(t, merchant, {
    send: sendTo('POST', USERS, { email, role: 'developer' }),
    subject: /^A person was invited to your account/,
    names: new RegExp(`${email} \\(developer\\)`),
  });
  const viewer = await makePerson(sql, 'viewer', merchantId);
  t.equal((await api.call(`${USERS}/${viewer.userId}`, { method: 'DELETE' })).status, 204);
  t.equal((await readMails(merchant)).length, 0, 'a viewer moves nothing');
});

t.test('a LIVE key is revoked at once, and the owners hear of it', async (t) => {
  const merchant = await openMerchant();
  const { api, owner } = merchant;
  const makeCode = await enrolSecondFactor(sql, api, owner.userId);
  const body = { environment: 'LIVE', name: 'Toko online', totp_code: await makeCode() };
  const { id } = (await api.call(KEYS, { method: 'POST', body })).body;
  await sql`delete from mails where recipient in ${sql(merchant.owners)}`;
  for (const time of [1, 2]) {
    const revoked = await api.call(`${KEYS}/${String(id)}`, { method: 'DELETE' });
    t.equal(revoked.status, 204, `time ${time}`);
  }
  await checkMails(t, merchant, {
    subject: /^A LIVE API key was revoked/,
    names: new RegExp(`${String(id)} \\(Toko online\\)`),
  });
});
