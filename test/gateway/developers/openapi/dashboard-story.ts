// The owner of a merchant uses each operation of the dashboard's document.
import { Secret, TOTP } from 'otpauth';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { DEMO_KYC } from '#ops/dev/verification.js';
import type { Postgres } from '#store/postgres/client.js';
import { beginSession, readMail } from '#test/support/accounts.js';
import { type Api, openApi } from '#test/support/api.js';
import { makeAuthenticator } from '#test/support/http/authenticator.js';
import { answerWith, type Receiver } from '#test/support/webhooks/receiver.js';
import type { Tree } from './documents.js';
import type { Recorder } from './recorder.js';

const EMAIL = 'owner@toko.example';
const PASSWORD = 'sepuluh-huruf-atau-lebih';
/** As for an owner, and for a LIVE endpoint; those of the story need no code. */
const PROOF = { totp_code: '123456' };
const DOCUMENT =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2HNDlQAAAABJRU5ErkJggg==';

export interface DashboardCast {
  readonly recorder: Recorder;
  readonly baseUrl: string;
  readonly sql: Postgres;
  readonly receiver: Receiver;
}

export async function tellDashboardStory(cast: DashboardCast): Promise<void> {
  const owner = await tellAccount(cast);
  const invited = await tellUsers(cast, owner);
  const server = await tellKeys(cast, owner);
  await tellKyc(cast, owner);
  await tellEndpoints(cast, owner);
  await tellDeadLetters(cast, owner);
  await tellCollecting(cast, owner);
  await tellTransactions(cast, owner, server);
  await tellErasure(cast, owner);
  await cast.recorder.call(owner, 'getSignedInUser');
  await tellPasskeys(cast, owner);
  await tellFactor(cast, owner, invited);
}

async function logIn({ recorder, baseUrl }: DashboardCast): Promise<Api> {
  const body = { email: EMAIL, password: PASSWORD };
  const { token } = await recorder.call(openApi(baseUrl), 'logIn', { body });
  return openApi(baseUrl, String(token));
}

async function tellAccount(cast: DashboardCast): Promise<Api> {
  const { recorder, baseUrl, sql } = cast;
  const { call } = recorder;
  const anonymous = openApi(baseUrl);
  const readToken = async () => (await readMail(sql, EMAIL))?.token;
  const person = { email: EMAIL, password: PASSWORD, business_name: 'Toko Contoh' };
  await call(anonymous, 'registerMerchant', { body: person });
  const registered = await readToken();
  await call(anonymous, 'resendVerification', { body: { email: EMAIL } });
  const first = await waitUntil('the mail is sent again', async () => {
    const newest = await readToken();
    return newest === registered ? undefined : newest;
  });
  await call(anonymous, 'verifyEmail', { body: { token: first, password: PASSWORD } });
  await call(anonymous, 'requestPasswordReset', { body: { email: EMAIL } });
  const token = await waitUntil('the mail of the reset', async () => {
    const newest = await readToken();
    return newest === first ? undefined : newest;
  });
  await call(anonymous, 'confirmPasswordReset', { body: { token, password: PASSWORD } });
  const owner = await logIn(cast);
  await call(owner, 'getMerchant');
  await tellSettings(cast, owner);
  return owner;
}

async function tellSettings({ recorder }: DashboardCast, owner: Api): Promise<void> {
  const { call } = recorder;
  const body = {
    display_name: 'Toko Contoh',
    brand_colour: '#0b5cad',
    support_email: 'halo@toko.example',
    support_phone: '+62 812 3456 7890',
    support_url: 'https://toko.example/bantuan',
    notices: { payment_received: true },
    receipts: { enabled: true, language: 'id' },
  };
  await call(owner, 'updateSettings', { body });
  await call(owner, 'setLogo', { body: { content: DOCUMENT } });
  await call(owner, 'getSettings');
  await call(owner, 'removeLogo');
}

/** Returns the id of the invited user. */
async function tellUsers({ recorder, sql, baseUrl }: DashboardCast, owner: Api): Promise<unknown> {
  const { call } = recorder;
  const invited = { email: 'kasir@toko.example', role: 'viewer' };
  const { id } = await call(owner, 'inviteUser', { body: invited });
  await call(owner, 'listUsers');
  const [user] = await sql<{ id: never; merchant_id: never }[]>`
    select id, merchant_id from users where email = ${EMAIL}`;
  if (user === undefined) throw new Error('the owner is a user');
  const person = { userId: user.id, merchantId: user.merchant_id, email: EMAIL, role: 'owner' };
  const other = openApi(baseUrl, await beginSession(sql, person as never));
  const { data } = await call(owner, 'listSessions');
  const session = (data as Tree[]).find((each) => each['is_current'] === false);
  await call(owner, 'endSession', { params: { session_id: session?.['id'] } });
  await call(owner, 'endOtherSessions');
  if ((await other.call('/v1/auth/sessions')).status !== 401) throw new Error('it has ended');
  return id;
}

async function tellKeys({ recorder, baseUrl }: DashboardCast, owner: Api): Promise<Api> {
  const { call } = recorder;
  const body = { environment: 'TEST', name: 'Toko online' };
  const { id } = await call(owner, 'createApiKey', { body });
  const params = { api_key_id: id };
  const rolled = await call(owner, 'rollApiKey', { params, body: { overlap_seconds: 3600 } });
  await call(owner, 'listApiKeys');
  await call(owner, 'revokeApiKey', { params });
  return openApi(baseUrl, String(rolled['secret']));
}

async function tellKyc({ recorder }: DashboardCast, owner: Api): Promise<void> {
  const { call } = recorder;
  const file = { purpose: 'IDENTITY', filename: 'ktp.png', content: DOCUMENT };
  const { id } = await call(owner, 'uploadKycDocument', { body: file });
  await call(owner, 'submitKyc', { body: { ...DEMO_KYC, document_ids: [id] } });
  await call(owner, 'getKyc');
}

async function tellEndpoints(cast: DashboardCast, owner: Api): Promise<void> {
  const { recorder, receiver } = cast;
  const { call } = recorder;
  const body = { url: receiver.url, environment: 'TEST', events: ['*'] };
  const { id } = await call(owner, 'createWebhookEndpoint', { body });
  const params = { webhook_id: id };
  await call(owner, 'listWebhookEndpoints');
  await call(owner, 'getWebhookEndpoint', { params });
  const events = ['payment.paid', 'payment.refunded'];
  await call(owner, 'updateWebhookEndpoint', { params, body: { events } });
  await call(owner, 'rotateWebhookSecret', { params, body: { overlap_seconds: 3600 } });
  const sent = await sendTest(cast, owner, 'delivered');
  await call(owner, 'listWebhookDeliveries', { params });
  await call(owner, 'listMerchantDeliveries', { query: '?environment=TEST&status=delivered' });
  await call(owner, 'getWebhookDelivery', { params: { delivery_id: sent } });
  await call(owner, 'listWebhookEndpointEvents');
}

/** Returns the id of the delivery. */
async function sendTest(
  { recorder, receiver }: DashboardCast,
  owner: Api,
  until: 'delivered' | 'dead',
): Promise<unknown> {
  const status = until === 'dead' ? 410 : 200;
  let noteShown = (): void => undefined;
  const shown = new Promise<void>((resolve) => (noteShown = resolve));
  // The answer that shows a delivery as pending is given before the receiver's.
  receiver.behave((received, response) => {
    void shown.then(() => {
      answerWith(status)(received, response);
    });
  });
  const { data } = (await owner.call('/v1/merchants/me/webhooks')).body;
  const [endpoint] = data as Tree[];
  const { id } = await recorder.call(owner, 'sendTestEvent', {
    params: { webhook_id: endpoint?.['id'] },
    body: { type: 'payment.paid' },
  });
  noteShown();
  await waitForDelivery(owner, id, until);
  receiver.behave(answerWith(status));
  return id;
}

const waitForDelivery = (owner: Api, id: unknown, until: string): Promise<unknown> =>
  waitUntil(`the delivery is ${until}`, async () => {
    const path = `/v1/merchants/me/webhooks/deliveries/${String(id)}`;
    return (await owner.call(path)).body['status'] === until;
  });

async function tellDeadLetters(cast: DashboardCast, owner: Api): Promise<void> {
  const { recorder, receiver } = cast;
  const { call } = recorder;
  const dead = { delivery_id: await sendTest(cast, owner, 'dead') };
  const dropped = { delivery_id: await sendTest(cast, owner, 'dead') };
  await call(owner, 'dropDeadLetter', { params: dropped });
  await call(owner, 'listDeadLetters');
  const filter = { environment: 'TEST', type: 'payment.paid' };
  await call(owner, 'replayDeadLetters', { body: { ...filter, dry_run: true } });
  receiver.behave(answerWith(200));
  await call(owner, 'replayDeadLetter', { params: dead });
  await waitForDelivery(owner, dead.delivery_id, 'delivered');
  await sendTest(cast, owner, 'dead');
  const { id } = await call(owner, 'replayDeadLetters', { body: filter });
  await waitUntil('the replay is completed', async () => {
    const replay = await call(owner, 'getReplay', { params: { replay_id: id } });
    return replay['status'] === 'completed';
  });
}

async function tellCollecting({ recorder, sql }: DashboardCast, owner: Api): Promise<void> {
  const { call } = recorder;
  const link = { environment: 'TEST', title: 'Kelas memasak', amount: '150000' };
  const made = await call(owner, 'createPaymentLink', { body: link });
  const linkParams = { payment_link_id: made['id'] };
  await call(owner, 'updatePaymentLink', { params: linkParams, body: { max_uses: 20 } });
  await call(owner, 'getPaymentLink', { params: linkParams });
  await call(owner, 'listPaymentLinks', { query: '?active=true' });

  const items = [{ description: 'Kelas memasak', quantity: 2, unit_amount: '150000' }];
  // Mails of TEST go to users of the merchant only.
  const customer = { customer_name: 'Budi Santoso', customer_email: EMAIL };
  const draft = { environment: 'TEST', ...customer, items };
  const invoice = await call(owner, 'createInvoice', { body: draft });
  const params = { invoice_id: invoice['id'] };
  await call(owner, 'updateInvoice', { params, body: { notes: 'Bahan sudah termasuk.' } });
  await call(owner, 'finalizeInvoice', { params });
  await call(owner, 'previewInvoice', { params });
  await call(owner, 'remindInvoice', { params });
  await sql`update invoices set sent_at = sent_at - interval '1 hour'`;
  await call(owner, 'sendInvoice', { params });
  await call(owner, 'getInvoice', { params });
  await call(owner, 'listInvoices', { query: '?status=open' });
  await call(owner, 'voidInvoice', { params });
}

async function tellTransactions(
  { recorder }: DashboardCast,
  owner: Api,
  server: Api,
): Promise<void> {
  const { call } = recorder;
  const order = { amount: '150000', reference_id: 'order-5', payment_method: 'QRIS' };
  const payment = await server.create({ ...order, customer_email: 'budi@example.com' });
  const paymentId = payment.body['id'];
  await server.simulate(paymentId, 'paid');
  const refund = { payment_id: paymentId, amount: '50000' };
  const refunded = await server.call('/v1/refunds', { method: 'POST', body: refund });
  const account = { bank_code: 'BCA', account_number: '1234567890', account_holder: 'Budi' };
  const payout = { ...account, amount: '20000' };
  const paidOut = await server.call('/v1/payouts', { method: 'POST', body: payout });
  await waitUntil('the payout is completed', async () => {
    const { body } = await server.call(`/v1/payouts/${String(paidOut.body['id'])}`);
    return body['status'] === 'COMPLETED';
  });
  await call(owner, 'listMerchantPayments', { query: '?environment=TEST' });
  await call(owner, 'summarizeMerchantPayments', { query: '?amount_from=100000' });
  await call(owner, 'listMerchantRefunds');
  await call(owner, 'listMerchantPayouts');
  await call(owner, 'getMerchantBalance');
  await call(owner, 'listBalanceMovements', { query: '?limit=2' });
  await waitUntil('the refund is in the totals', async () => {
    const statistics = await call(owner, 'getStatistics', {
      query: '?from=2026-08-01&to=2026-08-03',
    });
    return (statistics['today'] as { refunded: Tree }).refunded['count'] === 1;
  });
  await call(owner, 'getAttention');
  await call(owner, 'downloadBalanceStatement', { query: '?from=2026-01-01' });
  await waitUntil('the events are listed', async () => {
    const { data } = await call(owner, 'listMerchantEvents');
    return (data as Tree[]).length === 3;
  });
  const requestId = String(refunded.headers['service-request-id']);
  await waitUntil('the request is logged', async () => {
    const { data } = await call(owner, 'listApiLogs', { query: `?request_id=${requestId}` });
    return (data as Tree[]).length === 1;
  });
  await call(owner, 'getApiLog', { params: { request_id: requestId } });
}

async function tellErasure({ recorder }: DashboardCast, owner: Api): Promise<void> {
  const { call } = recorder;
  const body = { environment: 'TEST', customer_email: 'budi@example.com' };
  const { id } = await call(owner, 'eraseCustomer', { body });
  await waitUntil('the customer is erased', async () => {
    const erasure = await call(owner, 'getErasure', { params: { erasure_id: id } });
    return erasure['status'] === 'completed';
  });
  await call(owner, 'listErasures');
}

async function tellPasskeys({ recorder }: DashboardCast, owner: Api): Promise<void> {
  const { call } = recorder;
  const at = { origin: 'https://pay.example', rpId: 'pay.example' };
  const authenticator = makeAuthenticator();
  const readCeremony = ({ challenge }: Tree) => ({ challenge: String(challenge), ...at });
  const begun = await call(owner, 'beginPasskey', { body: { current_password: PASSWORD } });
  const made = authenticator.register(readCeremony(begun));
  const named = { name: 'Laptop kantor', passkey: made };
  const { passkey } = await call(owner, 'registerPasskey', { body: named });
  const params = { passkey_id: (passkey as Tree)['id'] };
  await call(owner, 'renamePasskey', { params, body: { name: 'Ponsel' } });
  await call(owner, 'listPasskeys');
  const asked = await call(owner, 'beginPasskeyProof');
  const proof = { passkey: authenticator.assert(readCeremony(asked)) };
  const { code } = await call(owner, 'provePasskey', { body: proof });
  await call(owner, 'removePasskey', { params, body: { current_password: PASSWORD, code } });
}

async function tellFactor(cast: DashboardCast, owner: Api, invited: unknown): Promise<void> {
  const { recorder, sql } = cast;
  const { call } = recorder;
  const password = { current_password: PASSWORD };
  const begun = await call(owner, 'setUpTotp', { body: password });
  const totp = new TOTP({ secret: Secret.fromBase32(String(begun['secret'])) });
  const makeCode = async () => {
    await sql`update users set totp_step = 0 where email = ${EMAIL}`;
    return { code: totp.generate() };
  };
  await call(owner, 'confirmTotp', { body: await makeCode() });
  const again = async () => ({ ...password, ...(await makeCode()) });
  await call(owner, 'createRecoveryCodes', { body: await again() });
  const params = { user_id: invited };
  const { code } = await makeCode();
  await call(owner, 'changeUserRole', { params, body: { role: 'developer', totp_code: code } });
  await call(owner, 'removeUser', { params, body: PROOF });
  await call(owner, 'removeTotp', { body: await again() });
  const changed = { ...password, password: 'kata-sandi-yang-panjang' };
  await call(owner, 'changePassword', { body: changed });
  const { data } = (await owner.call('/v1/merchants/me/webhooks')).body;
  const [endpoint] = data as Tree[];
  const hook = { webhook_id: endpoint?.['id'] };
  await call(owner, 'deleteWebhookEndpoint', { params: hook, body: PROOF });
  await call(owner, 'logOut');
}
