// Fills a fresh `npm start` of a version with data of each kind, and keeps the answers of its API. The database is then dumped, so
// that all later versions are tested on it (upgrades.test.ts). NNNN is the last schema file of the version.
//   1. Create an empty database. In a checkout of the version, run `npm start` with DATABASE_URL, DATA_DIR=/tmp/filled,
//      BASE_URL=http://kasir.test, and the ID_KEY and SECRETS_KEY of test/support/processes.ts.
//   2. In a checkout of the newest version:
//      node dist/test/slow/upgrades/fill.js http://localhost:8080 /tmp/filled/demo.json > test/slow/upgrades/after-NNNN.json
//   3. Stop it with Ctrl-C, then dump with the oldest Postgres that is served:
//      pg_dump --inserts --no-owner --no-privileges "$DATABASE_URL" > test/slow/upgrades/after-NNNN.sql
import { readFile } from 'node:fs/promises';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from '#test/support/api.js';

/** `answers`: by path, to the TEST key of the demo. */
export interface Filled {
  readonly testKey: string;
  readonly answers: Readonly<Record<string, unknown>>;
}

interface Demo {
  readonly merchant: { readonly email: string; readonly password: string };
  readonly keys: { readonly test: string };
}

type Body = Readonly<Record<string, unknown>>;

async function post(api: Api, path: string, body?: object): Promise<Body> {
  const answer = await api.call(path, { method: 'POST', body });
  if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.text}`);
  return answer.body;
}

const read = async (api: Api, path: string): Promise<Body> => (await api.call(path)).body;

async function createPayment(api: Api, outcome: string | null, fields = {}): Promise<string> {
  const body = { amount: '150000', payment_method: 'QRIS', ...fields };
  const id = String((await post(api, '/v1/payments', body))['id']);
  if (outcome !== null) await post(api, `/v1/sandbox/payments/${id}/simulate`, { outcome });
  return id;
}

/** Returns the paths of what it made and will not change, as `fillPayout` does. */
async function fillPayments(api: Api): Promise<string[]> {
  const customer = { customer_name: 'Budi Santoso', customer_email: 'budi@example.com' };
  await createPayment(api, null, { ...customer, reference_id: 'order-1' });
  const va = { payment_method: 'VA_BCA', metadata: { cart: '17' } };
  const paid = await createPayment(api, 'paid', va);
  const failed = await createPayment(api, 'failed');
  const cancelled = await createPayment(api, null);
  await post(api, `/v1/payments/${cancelled}/cancel`);
  const refunded = await createPayment(api, 'paid');
  const part = { payment_id: refunded, amount: '50000', reason: 'One coffee was cold' };
  const refund = await post(api, '/v1/refunds', part);
  await post(api, '/v1/refunds', { payment_id: refunded });
  const payments = [paid, failed, cancelled, refunded].map((id) => `/v1/payments/${id}`);
  return [...payments, `/v1/refunds/${String(refund['id'])}`];
}

async function fillPayout(api: Api): Promise<string> {
  const amount = '100000';
  await waitUntil('the payout can be made', async () => {
    const { data } = (await read(api, '/v1/balance')) as { data: { available: string }[] };
    return Number(data[0]?.available) >= Number(amount);
  });
  const account = { account_number: '1234567890', account_holder: 'Budi Santoso' };
  const payout = { amount, currency: 'IDR', bank_code: 'BCA', ...account };
  const path = `/v1/payouts/${String((await post(api, '/v1/payouts', payout))['id'])}`;
  await waitUntil('the payout is done', async () => {
    return (await read(api, path))['status'] === 'COMPLETED';
  });
  return path;
}

async function fillSales(api: Api): Promise<void> {
  const environment = 'TEST';
  const link = { environment, title: 'Coffee class', amount: '150000', max_uses: 20 };
  await post(api, '/v1/merchants/me/payment-links', link);
  const items = [{ description: 'Coffee class', quantity: 2, unit_amount: '150000' }];
  for (const customer_name of ['PT Sumber Makmur', 'Toko Lain']) {
    const draft = { environment, customer_name, items };
    const { id } = await post(api, '/v1/merchants/me/invoices', draft);
    await post(api, `/v1/merchants/me/invoices/${String(id)}/finalize`);
  }
}

async function fill(baseUrl: string, { merchant, keys }: Demo): Promise<Filled> {
  const api = openApi(baseUrl, keys.test);
  const paths = [...(await fillPayments(api)), await fillPayout(api), '/v1/balance'];
  const { email, password } = merchant;
  const { token } = await post(openApi(baseUrl), '/v1/auth/login', { email, password });
  await fillSales(openApi(baseUrl, String(token)));
  const answers: Record<string, unknown> = {};
  for (const path of paths) answers[path] = await read(api, path);
  return { testKey: keys.test, answers };
}

const [, program, baseUrl, demoFile] = process.argv;
if (program === import.meta.filename && baseUrl !== undefined && demoFile !== undefined) {
  const demo = JSON.parse(await readFile(demoFile, 'utf8')) as Demo;
  console.log(JSON.stringify(await fill(baseUrl, demo), null, 2));
}
