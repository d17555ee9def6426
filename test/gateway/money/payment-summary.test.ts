// The figures above the list of payments over HTTP: counts and sums by status, for the same filters as the list.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { createTestMerchant, startProcess, startService } from '#test/support/processes.js';

const LIST = '/v1/merchants/me/payments';
const SUMMARY = '/v1/merchants/me/payment-summary';
const NONE = { count: 0, amount: '0', complete: true };

const service = await startService(t);
await startProcess(t, 'webhooks', service.variables);
const sql = openPostgres(service.databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

const { merchantId, testKey } = await createTestMerchant(service.databaseUrl);
const server = openApi(service.baseUrl, testKey);
const owner = openApi(
  service.baseUrl,
  await beginSession(sql, await makePerson(sql, 'owner', merchantId)),
);

const create = async (fields: object, outcome?: string): Promise<void> => {
  const { body } = await server.create({ payment_method: 'QRIS', ...fields });
  if (outcome !== undefined) await server.simulate(body['id'], outcome);
};

await create({ amount: '150000', reference_id: 'a' }, 'paid');
await create({ amount: '50000', payment_method: 'VA_BCA', customer_name: 'Siti' }, 'paid');
await create({ amount: '70000' }, 'failed');
await create({ amount: '25000', payment_method: 'VA_BCA' });

t.test('a summary counts and sums what the list with the same filters shows', async (t) => {
  const { body } = await owner.call(SUMMARY);
  t.strictSame(body, {
    ...{ object: 'payment_summary', environment: 'TEST', currency: 'IDR' },
    all: { count: 4, amount: '295000', complete: true },
    pending: { count: 1, amount: '25000', complete: true },
    paid: { count: 2, amount: '200000', complete: true },
    failed: { count: 1, amount: '70000', complete: true },
    ...{ cancelled: NONE, refunded: NONE },
  });
  for (const filter of [
    'payment_method=VA_BCA',
    'amount_from=50000&amount_to=70000',
    'amount_from=150001',
    'reference_id=a',
    'customer=siti',
    `created_from=${new Date(Date.now() + 60_000).toISOString()}`,
    'environment=LIVE',
  ]) {
    const listed = (await owner.call(`${LIST}?${filter}`)).body['data'] as { amount: string }[];
    const summary = await owner.call(`${SUMMARY}?${filter}`);
    const amount = listed.reduce((sum, row) => sum + BigInt(row.amount), 0n).toString();
    t.match(summary.body['all'], { count: listed.length, amount, complete: true }, filter);
  }
});

t.test('the words of a search are counted and summed', async (t) => {
  await waitUntil('the payments are searchable', async () => {
    const { body } = await owner.call(`${SUMMARY}?q=50000`);
    return (body['all'] as { count: number }).count === 1;
  });
  const { body } = await owner.call(`${SUMMARY}?q=50000`);
  t.match(body, { paid: { count: 1, amount: '50000', complete: true }, pending: NONE });
});

t.test('an amount that is no number of digits is an error of its parameter', async (t) => {
  for (const path of [LIST, SUMMARY]) {
    const { status, body } = await owner.call(`${path}?amount_from=1.5`);
    t.equal(status, 400);
    t.match(body['error'], {
      param: 'amount_from',
      message: /must be a whole number of minor units/,
    });
  }
  const listed = await server.call('/v1/payments?amount_from=60000&amount_to=70000');
  t.match(listed.body['data'], [{ amount: '70000' }]);
});
