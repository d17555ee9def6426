// `kasir admin erase --dry-run` counts what the erasure of a customer would find, and requests none.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { previewErasure } from '#store/postgres/payments/erasure-requests.js';
import type { Progress } from '#store/postgres/progress.js';
import { openApi } from '#test/support/api.js';
import { runKasir } from '#test/support/kasir.js';
import { startService } from '#test/support/processes.js';

const { baseUrl, databaseUrl, merchant } = await startService(t);
const { merchantId, testKey } = merchant;
const api = openApi(baseUrl, testKey);
const sql = openPostgres(databaseUrl, 'test', 1);
t.teardown(() => sql.end({ timeout: 1 }));

const create = async (email: string, reference: string): Promise<string> => {
  const { body } = await api.create({
    ...{ amount: '20000', customer_email: email, reference_id: reference },
  });
  return String(body['id']);
};
const ids = [
  await create('siti@example.com', 'order-1'),
  await create('Siti@Example.com', 'order-2'),
  await create('budi@example.com', 'order-3'),
];

async function preview(...words: readonly string[]) {
  const run = await runKasir(
    { DATABASE_URL: databaseUrl },
    ...['admin', 'erase', merchantId, 'TEST', ...words, '--dry-run'],
  );
  const requests = await sql`select 1 from erasure_requests`;
  return { ...run, requests: requests.length };
}

t.test('the payments of a customer are counted, and nothing is requested', async (t) => {
  t.strictSame(await preview('customer_email', 'SITI@example.com'), {
    ...{ code: 0, stderr: '', requests: 0 },
    stdout: '2 payment(s), 0 payout(s) and 0 invoice(s) would be erased\n',
  });
  const { stdout } = await preview('reference_id', 'order-3', '--json');
  t.strictSame(JSON.parse(stdout), { payments: 1, payouts: 0, invoices: 0, dryRun: true });
});

t.test('an object that does not exist is reported', async (t) => {
  t.match(await preview('payment_id', 'pay_none'), {
    ...{ code: 1, stdout: '', requests: 0 },
    stderr: /has no payment_id pay_none in TEST/,
  });
});

t.test('all payments are searched, in pages', async (t) => {
  const told: Progress[] = [];
  const found = await previewErasure(
    sql,
    { merchantId, environment: 'TEST', field: 'customer_email', sought: 'siti@example.com' },
    (progress) => told.push(progress),
    2,
  );
  t.strictSame([...found].sort(), ids.slice(0, 2).sort());
  t.strictSame(
    told.map(({ done }) => done),
    [2, 3],
  );
});
