// The life of a merchant over HTTP: from registration to a suspension, during which payments in flight still settle and
// their webhooks are still sent. A mail server, the merchant's receiver, the operator's command and the bank are real or
// simulated outside the service.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { DEMO_KYC } from '#ops/dev/verification.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, type ApiAnswer, openApi } from '../support/api.js';
import { runKasir } from '../support/kasir.js';
import { startSmtp } from '../support/peers/smtp.js';
import { startProcess } from '../support/processes.js';
import { enrolSecondFactor, PNG } from '../support/accounts.js';
import { simulateRails, SIMULATED } from '../support/rails/simulator.js';
import { createDatabase, startRedis } from '../support/servers.js';
import { receiverVariables, startReceiver } from '../support/webhooks/receiver.js';
import { isSignatureRight } from '../support/webhooks/verify.js';

const PASSWORD = 'kata-sandi-yang-panjang';

const smtp = await startSmtp(t);
const receiver = await startReceiver(t);
const bank = await simulateRails(t);
const redis = await startRedis(t);
const databaseUrl = await createDatabase(t);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));
const variables = {
  REDIS_URL: redis.url,
  DATABASE_URL: databaseUrl,
  SMTP_URL: smtp.url,
  MAIL_FROM: 'Kasir <kasir@example.com>',
  RAIL_MIDTRANS_URL: bank.simulator.midtransUrl,
  RAIL_MIDTRANS_SERVER_KEY: SIMULATED.midtransServerKey,
  RAIL_SYNC_SCHEDULE: '1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1',
  ...(await receiverVariables(t)),
};
const gateways = await Promise.all([
  startProcess(t, 'gateway', variables),
  startProcess(t, 'gateway', variables),
]);
await Promise.all(
  (['payments', 'rails', 'webhooks'] as const).map((name) => startProcess(t, name, variables)),
);
const addresses = gateways.map(({ baseUrl }) => baseUrl);
const baseUrl = addresses[0] ?? '';

async function call(api: Api, path: string, body?: object): Promise<ApiAnswer['body']> {
  const answer = await api.call(path, body === undefined ? {} : { method: 'POST', body });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
  return answer.body;
}

async function logIn(email: string, password: string): Promise<Api> {
  const { token } = await call(openApi(baseUrl), '/v1/auth/login', { email, password });
  return openApi(baseUrl, String(token));
}

/** The token of the link in the newest mail; the mail may be base64 or quoted-printable. */
async function readMailedToken(): Promise<string> {
  return waitUntil('the mail is there', () => {
    const [head = '', ...parts] = (smtp.messages.at(-1) ?? '').split('\n\n');
    const isBase64 = /^Content-Transfer-Encoding: base64/im.test(head);
    const body = parts.join('\n\n');
    const text = isBase64 ? Buffer.from(body, 'base64').toString() : body.replace(/=\r?\n/g, '');
    return /#([\w-]{43})/.exec(text)?.[1];
  });
}

async function makeAdministrator(email: string): Promise<string> {
  const { stdout } = await runKasir({ DATABASE_URL: databaseUrl }, 'admin', 'create', email);
  return /^password (\S+)$/m.exec(stdout)?.[1] ?? '';
}

/** Waits for the webhook of the payment, and checks its signature. */
async function expectWebhook(paymentId: unknown, type: string, secret: unknown): Promise<void> {
  const event = await waitUntil(`${type} is received`, () =>
    receiver.received.find((one) => one.type === type && one.body.includes(String(paymentId))),
  );
  t.ok(isSignatureRight(event.headers, event.body, String(secret)), `${type} is signed`);
}

/** Waits until each gateway answers so. test/gateway/auth/credentials.test.ts checks that it takes no more than a second. */
async function expectEverywhere(key: unknown, status: number, code?: string): Promise<void> {
  for (const address of addresses) {
    await waitUntil(`${address} answers ${status}`, async () => {
      const answer = await openApi(address, String(key)).call('/v1/balance');
      return answer.status === status && answer.code === code;
    });
  }
}

async function payByLink(session: Api): Promise<unknown> {
  const title = 'Kelas memasak';
  const link = { environment: 'TEST', title, amount: '25000' };
  const made = await call(session, '/v1/merchants/me/payment-links', link);
  const path = new URL(String(made['url'])).pathname;
  const page = await openApi(baseUrl).call(path);
  t.match(page.text, title);
  const token = /name="token" value="([0-9a-z]{26})"/.exec(page.text)?.[1];
  const sent = await openApi(baseUrl).call(path, { method: 'POST', body: { token } });
  t.equal(sent.status, 303, sent.text);
  return /pay_[0-9a-z]{26}/.exec(String(sent.headers.location))?.[0];
}

async function payInvoice(session: Api): Promise<unknown> {
  const items = [{ description: 'Kelas memasak', quantity: 2, unit_amount: '15000' }];
  const draft = { environment: 'TEST', items };
  const { id } = await call(session, '/v1/merchants/me/invoices', draft);
  const path = `/v1/merchants/me/invoices/${String(id)}`;
  const open = await call(session, `${path}/finalize`, {});
  const page = new URL(String(open['url'])).pathname;
  t.match((await openApi(baseUrl).call(page)).text, 'Kelas memasak');
  const sent = await openApi(baseUrl).call(`${page}/payment`, { method: 'POST' });
  t.equal(sent.status, 303, sent.text);
  const paymentId = /pay_[0-9a-z]{26}/.exec(String(sent.headers.location))?.[0];
  await openApi(baseUrl).simulate(paymentId, 'paid');
  await waitUntil('the invoice is paid', async () => {
    return (await session.call(path)).body['status'] === 'paid';
  });
  return paymentId;
}

t.test('a merchant registers, is verified, takes payments and is suspended', async (t) => {
  const email = 'owner@toko.example';
  const registration = { email, password: PASSWORD, business_name: 'Toko Contoh' };
  await call(openApi(baseUrl), '/v1/auth/register', registration);
  const token = await readMailedToken();
  const proof = { token, password: PASSWORD };
  await openApi(baseUrl).call('/v1/auth/verify', { method: 'POST', body: proof });
  const session = await logIn(email, PASSWORD);
  const merchant = await call(session, '/v1/merchants/me');
  t.match(merchant, { verificationStatus: 'UNVERIFIED', liveEnabled: false });

  const endpoint = { url: receiver.url, environment: 'TEST' };
  const { secret } = await call(session, '/v1/merchants/me/webhooks', endpoint);
  const keys = '/v1/merchants/me/api-keys';
  const test = openApi(
    baseUrl,
    String((await call(session, keys, { environment: 'TEST' }))['secret']),
  );
  const first = await waitUntil('a payment is made', async () => {
    const answer = await test.create({ amount: '15000' });
    return answer.status === 201 ? answer.body : null;
  });
  t.equal(
    (await openApi(baseUrl).call(new URL(String(first['checkout_url'])).pathname)).status,
    200,
  );
  await test.simulate(first['id'], 'paid');
  await expectWebhook(first['id'], 'payment.paid', secret);
  const byLink = await payByLink(session);
  await test.simulate(byLink, 'paid');
  await expectWebhook(byLink, 'payment.paid', secret);
  await expectWebhook(await payInvoice(session), 'payment.paid', secret);

  const user = merchant['user'] as { id: string };
  const makeCode = await enrolSecondFactor(sql, session, user.id);
  const liveRequest = { environment: 'LIVE', totp_code: await makeCode() };
  const liveKey = (await call(session, keys, liveRequest))['secret'];
  await expectEverywhere(liveKey, 400, 'live_not_enabled');
  const file = { purpose: 'IDENTITY', filename: 'ktp.png', content: PNG.toString('base64') };
  const document = await call(session, '/v1/merchants/kyc/documents', file);
  const submission = { ...DEMO_KYC, document_ids: [document['id']] };
  await call(session, '/v1/merchants/kyc/submit', submission);

  const administrator = 'admin@kasir.example';
  const office = await logIn(administrator, await makeAdministrator(administrator));
  const queue = await call(office, '/v1/admin/merchants?status=PENDING');
  const [waiting] = queue['data'] as { id: string }[];
  t.equal(waiting?.id, merchant['id']);
  const admin = `/v1/admin/merchants/${String(waiting?.id)}`;
  const download = await office.call(`${admin}/documents/${String(document['id'])}`);
  t.equal(download.status, 200);
  await call(office, `${admin}/verification`, { status: 'APPROVED' });
  await expectEverywhere(liveKey, 400, 'live_not_enabled');
  await call(office, `${admin}/live`, { enabled: true });
  await expectEverywhere(liveKey, 200);

  const liveEndpoint = {
    ...{ url: `${receiver.url}/live`, environment: 'LIVE' },
    totp_code: await makeCode(),
  };
  const { secret: liveSecret } = await call(session, '/v1/merchants/me/webhooks', liveEndpoint);
  const live = openApi(baseUrl, String(liveKey));
  const pay = async (): Promise<unknown> => {
    const answer = await live.create(
      { amount: '15000', payment_method: 'QRIS' },
      randomBytes(8).toString('hex'),
    );
    t.match(answer.body, { environment: 'LIVE', status: 'pending' }, answer.text);
    t.notMatch(answer.text, /midtrans/i);
    return answer.body['id'];
  };
  const [settled, inFlight] = [await pay(), await pay()];
  await payAtBank(office, settled);
  await expectWebhook(settled, 'payment.paid', liveSecret);

  await call(office, `${admin}/verification`, { status: 'SUSPENDED', reason: 'Keluhan' });
  await expectEverywhere(liveKey, 400, 'live_not_enabled');
  const refused = await live.create({ amount: '15000' }, 'after');
  t.same([refused.status, refused.code], [400, 'live_not_enabled']);
  t.equal((await test.create({ amount: '15000' })).status, 201, 'TEST goes on');
  await payAtBank(office, inFlight);
  await expectWebhook(inFlight, 'payment.paid', liveSecret);
  const after = await call(office, `/v1/admin/transactions?payment_id=${String(inFlight)}`);
  t.match(after['data'], [{ status: 'paid', attempts: [{ rail: 'midtrans', status: 'settled' }] }]);
});

/** Pays the order that administrators see. */
async function payAtBank(office: Api, paymentId: unknown): Promise<void> {
  const { data } = await call(office, `/v1/admin/transactions?payment_id=${String(paymentId)}`);
  const [transaction] = data as { attempts: { order_id: string }[] }[];
  const orderId = transaction?.attempts[0]?.order_id ?? '';
  const order = await bank.control('GET', `orders/${orderId}`);
  await bank.control('POST', 'pay', { pay_by: (order as { payBy: string }).payBy });
}
