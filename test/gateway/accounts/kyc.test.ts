// Verification of a merchant over HTTP, from the documents to LIVE and back, with its audit log.
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { uniqueWord } from '#test/support/processes.js';
import { DEMO_KYC } from '#ops/dev/verification.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PNG,
  readMail,
  startGateways,
} from '#test/support/accounts.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';

const { sql, gateways, baseUrl } = await startGateways(t, 2);
const admin = await makePerson(sql, 'admin', null);
const office = openApi(baseUrl, await beginSession(sql, admin));

function assertError(t: Test, answer: ApiAnswer, status: number, code: string): void {
  t.same([answer.status, answer.code], [status, code], answer.text);
}

const post = (api: Api, path: string, body: object): Promise<ApiAnswer> =>
  api.call(path, { method: 'POST', body });
const upload = (api: Api, file: Buffer): Promise<ApiAnswer> =>
  post(api, '/v1/merchants/kyc/documents', {
    purpose: 'IDENTITY',
    filename: '../../ktp".png',
    content: file.toString('base64'),
  });
const submit = (
  api: Api,
  documentIds: readonly unknown[],
  fields: object = {},
): Promise<ApiAnswer> =>
  post(api, '/v1/merchants/kyc/submit', { ...DEMO_KYC, ...fields, document_ids: documentIds });

async function openOwner() {
  const merchantId = await makeMerchant(sql, 'Toko Baru');
  const owner = await makePerson(sql, 'owner', merchantId);
  const api = openApi(baseUrl, await beginSession(sql, owner));
  const decide = (body: object): Promise<ApiAnswer> =>
    post(office, `/v1/admin/merchants/${merchantId}/verification`, body);
  const setLive = (enabled: boolean): Promise<ApiAnswer> =>
    post(office, `/v1/admin/merchants/${merchantId}/live`, { enabled });
  const makeLiveKey = async (): Promise<ApiAnswer> => {
    const makeCode = await enrolSecondFactor(sql, api, owner.userId);
    const body = { environment: 'LIVE', totp_code: await makeCode() };
    return post(api, '/v1/merchants/me/api-keys', body);
  };
  return { merchantId, owner, api, decide, setLive, makeLiveKey };
}

t.test(
  'a document is typed by its content, stored sealed and served as an attachment',
  async (t) => {
    const { merchantId, api } = await openOwner();
    const uploaded = await upload(api, PNG);
    t.equal(uploaded.status, 201);
    t.match(uploaded.body, { media_type: 'image/png', size: PNG.length });
    const jpeg = await upload(api, Buffer.from('ffd8ffe000104a464946', 'hex'));
    t.equal(jpeg.body['media_type'], 'image/jpeg');
    const pdf = await upload(api, Buffer.from('\ufeff%PDF-1.7 …'));
    t.equal(pdf.body['media_type'], 'application/pdf');
    for (const file of ['<svg onload="alert(1)">', '<html>', 'GIF89a', '%PD-1.7']) {
      assertError(t, await upload(api, Buffer.from(file)), 400, 'field_invalid');
    }
    const broken = { purpose: 'TAX', filename: 'a.png', content: '???' };
    assertError(t, await post(api, '/v1/merchants/kyc/documents', broken), 400, 'field_invalid');
    const [row] = await sql<{ content: Buffer }[]>`
    select content from kyc_document_parts where document_id = ${String(uploaded.body['id'])}`;
    t.equal(row?.content.indexOf(PNG.subarray(8, 40)), -1, 'the database holds only ciphertext');
    const path = `/v1/admin/merchants/${merchantId}/documents/${String(uploaded.body['id'])}`;
    const token = await beginSession(sql, admin);
    const file = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
    t.same(Buffer.from(await file.arrayBuffer()), PNG);
    t.match(file.headers.get('content-disposition'), /^attachment; filename="doc_[0-9a-z]+\.png"$/);
    t.equal(file.headers.get('x-content-type-options'), 'nosniff');
    assertError(t, await api.call(path), 403, 'role_insufficient');
    const other = await openOwner();
    const wrong = path.replace(merchantId, other.merchantId);
    assertError(t, await office.call(wrong), 404, 'document_not_found');
    const [seen] = await sql`
    select chain, actor, address, target from audit_log where action like 'GET %documents%'
     order by id limit 1`;
    t.same(
      seen,
      { chain: merchantId, actor: admin.userId, address: '127.0.0.1', target: path },
      'the download is in the audit log',
    );
  },
);

t.test('a document of 5.5 MB is stored, one of 6.5 MB is refused', async (t) => {
  const { api } = await openOwner();
  const large = Buffer.concat([PNG, randomBytes(5_500_000)]);
  t.equal((await upload(api, large)).status, 201);
  const tooLarge = Buffer.concat([PNG, randomBytes(6_500_000)]);
  const answer = await upload(api, tooLarge).catch((error: unknown) => String(error));
  if (typeof answer === 'string')
    t.match(answer, /closed|reset|EPIPE/, 'the connection was closed');
  else assertError(t, answer, 413, 'body_too_large');
});

t.test('a merchant is rejected, approved, enabled for LIVE and suspended', async (t) => {
  const { merchantId, owner, api, decide, setLive, makeLiveKey } = await openOwner();
  const kyc = async (): Promise<unknown> => (await api.call('/v1/merchants/kyc')).body;
  t.match(await kyc(), {
    verificationStatus: 'UNVERIFIED',
    submission: null,
    documents: { length: 0 },
  });
  const document = (await upload(api, PNG)).body['id'];
  assertError(t, await submit(api, ['doc_of_nobody']), 400, 'field_invalid');
  assertError(t, await decide({ status: 'APPROVED' }), 409, 'state_conflict');
  const card = { legal_name: 'PT 4111 1111 1111 1111' };
  assertError(t, await submit(api, [document], card), 400, 'card_data_refused');
  const looksLikeCards = {
    tax_id: '3580015001900018',
    bank_account: { ...DEMO_KYC.bank_account, account_number: '6012123456789018' },
    representative: { ...DEMO_KYC.representative, identity_number: '3580015001900018' },
  };
  const named = { legal_name: 'PT 3580015001900018' };
  assertError(t, await submit(api, [document], named), 400, 'card_data_refused');
  const together = await Promise.all([1, 2, 3].map(() => submit(api, [document], looksLikeCards)));
  t.same(
    together.map(({ status }) => status).sort(),
    [201, 409, 409],
    'one of three concurrent submissions succeeds',
  );
  t.match(await kyc(), {
    verificationStatus: 'PENDING',
    submission: looksLikeCards,
  });
  const [stored] = await sql<{ fields: string }[]>`
    select fields from kyc_submissions where merchant_id = ${merchantId}`;
  t.match(stored?.fields, /^v1\./, 'the fields are stored sealed');
  const queue = await office.call('/v1/admin/merchants?status=PENDING');
  t.match(queue.body['data'], [{ id: merchantId }]);

  assertError(t, await setLive(true), 409, 'state_conflict');
  assertError(t, await decide({ status: 'REJECTED' }), 400, 'field_invalid');
  const reasons = { tax_id: 'Tidak cocok' };
  const rejected = await decide({ status: 'REJECTED', reason: 'Periksa', field_reasons: reasons });
  t.equal(rejected.status, 200);
  t.match(await kyc(), {
    verificationStatus: 'REJECTED',
    submission: { status: 'REJECTED', reason: 'Periksa', field_reasons: reasons },
  });
  await waitUntil('the owner is mailed the rejection', async () =>
    (await readMail(sql, owner.email))?.subject.includes('perlu diperbaiki'),
  );
  const typed = {
    tax_id: '01.234.567.8-901.000',
    address: { ...DEMO_KYC.address, postal_code: '40 111' },
    bank_account: { ...DEMO_KYC.bank_account, account_number: '123-456\u00a07890' },
    representative: { ...DEMO_KYC.representative, identity_number: '3273 0150 0190 0001' },
  };
  t.equal((await submit(api, [document], typed)).status, 201);
  t.match(await kyc(), {
    submission: {
      tax_id: '012345678901000',
      address: { postal_code: '40111' },
      bank_account: { account_number: '1234567890' },
      representative: { identity_number: '3273015001900001' },
    },
  });
  t.equal((await decide({ status: 'APPROVED' })).status, 200);
  assertError(t, await submit(api, [document]), 409, 'state_conflict');

  const made = await makeLiveKey();
  const use = (gateway: number): Promise<ApiAnswer> =>
    openApi(gateways[gateway]?.baseUrl ?? '', String(made.body['secret'])).call('/v1/balance');
  const waitForStatus = async (cause: string, status: number): Promise<void> => {
    for (const gateway of [0, 1]) {
      await waitUntil(`${cause} at gateway ${gateway}`, async () => {
        const answer = await use(gateway);
        return answer.status === status && (status === 200 || answer.code === 'live_not_enabled');
      });
    }
  };
  await waitForStatus('an approved merchant is not enabled', 400);
  t.match((await setLive(true)).body, { merchant: { liveEnabled: true } });
  await waitForStatus('LIVE is granted', 200);
  await setLive(false);
  await waitForStatus('LIVE is withdrawn', 400);
  await setLive(true);
  await waitForStatus('LIVE is granted again', 200);
  const name = `merchant:${merchantId}`;
  const turn = (enabled: boolean): Promise<ApiAnswer> =>
    office.call('/v1/admin/switches', { method: 'PUT', body: { name, enabled } });
  t.match((await turn(false)).body, { name, enabled: false });
  await waitForStatus('the merchant is switched off', 400);
  await turn(true);
  await waitForStatus('the merchant is switched on', 200);
  t.equal((await decide({ status: 'SUSPENDED', reason: 'Keluhan' })).status, 200);
  await waitForStatus('the merchant is suspended', 400);
  t.match((await decide({ status: 'APPROVED' })).body, {
    merchant: { verificationStatus: 'APPROVED', liveEnabled: false },
  });

  const { data } = (await office.call(`/v1/admin/audit-log?target=${merchantId}&limit=100`)).body;
  const changes = (data as { actor: string; before: object; after: object }[]).reverse();
  t.match(changes.slice(0, 4), [
    { before: null, after: { verification_status: 'UNVERIFIED' } },
    {
      actor: owner.userId,
      before: { verification_status: 'UNVERIFIED' },
      after: { verification_status: 'PENDING' },
    },
    { actor: admin.userId, address: '127.0.0.1', after: { verification_status: 'REJECTED' } },
    { actor: owner.userId, after: { verification_status: 'PENDING' } },
  ]);
  t.match(changes.at(-2), {
    before: { verification_status: 'APPROVED', live_enabled: true },
    after: { verification_status: 'SUSPENDED', live_enabled: false },
  });
});

t.test('the audit log lists changes by target and actor, and is append-only', async (t) => {
  const { merchantId, api, setLive } = await openOwner();
  await sql`update merchants set verification_status = 'APPROVED' where id = ${merchantId}`;
  const past = await office.call(`/v1/admin/audit-log?target=${merchantId}`);
  t.match(past.body['data'], [{ actor: /^database:/, after: { verification_status: 'APPROVED' } }]);
  await setLive(true);
  const all = (await office.call(`/v1/admin/audit-log?actor=${admin.userId}&limit=1`)).body;
  t.match(all['data'], [{ email: admin.email, target: merchantId, after: { live_enabled: true } }]);
  const cursor = String(all['next_cursor']);
  const next = await office.call(
    `/v1/admin/audit-log?actor=${admin.userId}&limit=1&cursor=${cursor}`,
  );
  t.match(next.body['data'], [{ action: 'POST /v1/admin/merchants/{merchant_id}/live' }]);
  await t.rejects(sql`update audit_log set actor = 'nobody'`, /append-only/);
  await t.rejects(sql`delete from audit_log`, /append-only/);
  await t.rejects(sql`truncate audit_log`, /append-only/);
  assertError(t, await api.call('/v1/admin/audit-log'), 403, 'role_insufficient');
});

t.test('a switch that is off blocks new LIVE payments', async (t) => {
  const listed = await office.call('/v1/admin/switches');
  t.match(listed.body['data'], [{ name: 'live_creates', enabled: true }, { name: 'payouts' }]);
  for (const name of ['everything', 'method:qris', 'merchant:1', 'rail:']) {
    const answer = await office.call('/v1/admin/switches', {
      method: 'PUT',
      body: { name, enabled: false },
    });
    assertError(t, answer, 400, 'field_invalid');
  }

  const { merchantId, makeLiveKey } = await openOwner();
  await sql`update merchants set verification_status = 'APPROVED', live_enabled = true
             where id = ${merchantId}`;
  const made = await makeLiveKey();
  const live = openApi(baseUrl, String(made.body['secret']));
  const create = (method: string): Promise<ApiAnswer> =>
    live.create({ amount: '50000', payment_method: method }, uniqueWord());
  const turn = (name: string, enabled: boolean): Promise<ApiAnswer> =>
    office.call('/v1/admin/switches', { method: 'PUT', body: { name, enabled } });
  const isOff = /not taken at the moment/;
  await turn('method:QRIS', false);
  await waitUntil('the method is off', async () => {
    return (await create('QRIS')).code === 'payment_method_unavailable';
  });
  t.not(
    (await create('VA_BCA')).code,
    'payment_method_unavailable',
    'other methods are not blocked',
  );
  await turn('live_creates', false);
  await waitUntil('LIVE creates are off', async () => isOff.test((await create('VA_BCA')).text));
  await turn('live_creates', true);
  await waitUntil('LIVE creates are on', async () => !isOff.test((await create('VA_BCA')).text));
  t.equal((await create('QRIS')).code, 'payment_method_unavailable');
  await turn('method:QRIS', true);
});
