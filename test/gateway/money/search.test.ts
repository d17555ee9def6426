// A search over HTTP: with a key and in a session, beside the other filters, page by page and as CSV.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makeMerchant, makePerson } from '#test/support/accounts.js';
import { type ApiAnswer, openApi } from '#test/support/api.js';
import { startProcess, startService } from '#test/support/processes.js';

const ME = '/v1/merchants/me';

const service = await startService(t);
await startProcess(t, 'webhooks', service.variables);
const sql = openPostgres(service.databaseUrl, 'test', 2);
t.teardown(() => sql.end({ timeout: 1 }));
const key = openApi(service.baseUrl, service.merchant.testKey);
const { merchantId } = service.merchant;
const viewer = openApi(
  service.baseUrl,
  await beginSession(sql, await makePerson(sql, 'viewer', merchantId)),
);
const foreign = await makePerson(sql, 'owner', await makeMerchant(sql));
const otherMerchant = openApi(service.baseUrl, await beginSession(sql, foreign));

const listReferences = (answer: ApiAnswer): unknown[] =>
  (answer.body['data'] as Record<string, unknown>[]).map(({ reference_id: id }) => id);
const buildQuery = (q: string, more = ''): string => `q=${encodeURIComponent(q)}${more}`;
const find = (q: string, more = ''): Promise<ApiAnswer> =>
  viewer.call(`${ME}/payments?${buildQuery(q, more)}`);

const ids: string[] = [];

t.before(async () => {
  for (const [index, name] of ['Budi Santoso', 'Siti Rahma', 'Budi Hartono'].entries()) {
    const { body } = await key.create({
      ...{ amount: String(150_000 + index), reference_id: `INV-2026-${index}` },
      ...{ customer_name: name, customer_phone: `0812 7700 000${index}`, payment_method: 'QRIS' },
      metadata: { Kota: index === 1 ? 'Bandung' : 'Jakarta' },
    });
    ids.push(String(body['id']));
  }
  await key.simulate(ids[0], 'paid');
  await waitUntil('the last payment is searchable', async () => {
    return listReferences(await find(ids[2] ?? '')).length > 0;
  });
});

t.test('a payment is found by each of its texts, with a key as in a session', async (t) => {
  for (const [q, found] of [
    ['budi', [2, 0]],
    ['BUDI hart', [2]],
    ['hartono BUDI', [2]],
    ['budi rahma', []],
    [ids[1] ?? '', [1]],
    [(ids[1] ?? '').slice(0, 20), [1]],
    ['INV-2026', [2, 1, 0]],
    ['inv-2026-1', [1]],
    ['150.001', [1]],
    ['Rp 150.002', [2]],
    ['150000', [0]],
    ['+62 812-7700-0001', [1]],
    ['\u202a0812\u20117700\u20110001\u202c', [1]],
    ['+62\u00a0812\u201177000001', [1]],
    ['kota bandung', [1]],
    ['udi', []],
  ] as const) {
    const answer = await find(q);
    t.same(
      listReferences(answer),
      found.map((index) => `INV-2026-${index}`),
      q,
    );
    t.equal((await key.call(`/v1/payments?${buildQuery(q)}`)).text, answer.text, q);
    t.same(listReferences(await otherMerchant.call(`${ME}/payments?${buildQuery(q)}`)), [], q);
  }
  t.same(listReferences(await find('budi', '&environment=LIVE')), []);
});

t.test('a search is combined with other filters, pages and CSV', async (t) => {
  t.same(listReferences(await find('budi', '&status=paid')), ['INV-2026-0']);
  t.same(listReferences(await find('inv', '&customer=siti')), ['INV-2026-1']);
  t.same(listReferences(await find('budi', '&reference_id=INV-2026-2')), ['INV-2026-2']);
  t.same(listReferences(await find('budi', '&payment_method=VA_BNI')), []);
  t.same(listReferences(await find('budi', '&created_from=2100-01-01')), []);
  const first = await find('budi', '&limit=1');
  t.same(listReferences(first), ['INV-2026-2']);
  const next = await find('budi', `&limit=1&cursor=${String(first.body['next_cursor'])}`);
  t.same(listReferences(next), ['INV-2026-0']);
  t.equal(next.body['next_cursor'], null);
  const csv = { headers: { accept: 'text/csv' } };
  const file = await viewer.call(`${ME}/payments?${buildQuery('budi')}`, csv);
  t.equal(file.text.trimEnd().split('\r\n').length, 3, 'names of columns and two payments');
  t.notMatch(file.text, /Siti/);
});

t.test('a search that cannot be made is refused and says what is allowed', async (t) => {
  for (const q of ['', ' ', '.,-', 'x'.repeat(101), 'x'.repeat(500), 'a b c d e f g h i']) {
    const answer = await find(q);
    t.match(answer, { status: 400, code: 'field_invalid', body: { error: { param: 'q' } } }, q);
    t.match(answer.text, /q must be 1 to 8 words, of at most 100 characters together/, q);
  }
  for (const q of ['4242424242424242', 'budi 4242 4242 4242 4242']) {
    const answer = await find(q);
    t.match(answer, { status: 400, code: 'card_data_refused' });
    t.notMatch(answer.text, /4242 ?4242/);
  }
});

t.test('a payment is found soon after its create', async (t) => {
  await key.create({ amount: '1000', reference_id: 'sekarang' });
  const found = await waitUntil('it is found', async () => {
    const references = listReferences(await find('sekarang'));
    return references.length > 0 ? references : null;
  });
  t.same(found, ['sekarang']);
});
