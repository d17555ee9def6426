// Lists by HTTP: pages joined are the whole list, newest first, also while rows are added; filters; and what
// is refused.
import fc from 'fast-check';
import t from 'tap';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { createTestMerchant, uniqueWord } from '#test/support/processes.js';
import { useService } from '#test/support/standing/service.js';

const service = await useService();
const PAYMENTS = 45;

interface Listing {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
}

async function readPage(api: Api, path: string): Promise<Listing> {
  const { status, body, text } = await api.call(path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return body as unknown as Listing;
}

/** All pages of a list; `between` runs after each. */
async function readAll(
  api: Api,
  path: string,
  limits: readonly number[],
  between = async (): Promise<void> => {},
): Promise<Listing['data']> {
  const rows: Record<string, unknown>[] = [];
  for (let page = 0, cursor: string | null = ''; cursor !== null; page += 1) {
    const limit = limits[page % limits.length];
    const query: string = `limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const listing: Listing = await readPage(
      api,
      `${path}${path.includes('?') ? '&' : '?'}${query}`,
    );
    rows.push(...listing.data);
    cursor = listing.next_cursor;
    await between();
  }
  return rows;
}

const idsOf = (rows: Listing['data']): unknown[] => rows.map((row) => row['id']);

async function makeMerchant(): Promise<Api> {
  const { testKey } = await createTestMerchant(service.databaseUrl);
  return openApi(service.baseUrl, testKey);
}

const create = (api: Api, index: number) =>
  api.create({
    amount: String(1000 + index),
    reference_id: `order ${index % 5}`,
    payment_method: index % 2 === 0 ? 'QRIS' : 'VA_BCA',
    ...(index % 2 === 0 ? {} : { amount: String(20_000 + index) }),
  });

t.test('payments are listed', async (t) => {
  const api = await makeMerchant();
  t.strictSame(await readPage(api, '/v1/payments'), { data: [], next_cursor: null });
  const created: ApiAnswer['body'][] = [];
  for (let index = 0; index < PAYMENTS; index += 1) created.push((await create(api, index)).body);

  await t.test('a list shows payments newest first, as each get does', async (t) => {
    const { data, next_cursor: cursor } = await readPage(api, '/v1/payments');
    t.equal(data.length, 20, 'by default');
    t.type(cursor, 'string');
    const times = data.map((row) => String(row['created_at']));
    t.strictSame(times, times.toSorted().toReversed());
    t.strictSame(data[0], (await api.get(data[0]?.['id'])).body);
  });

  await t.test('pages of any size together are the whole list', async (t) => {
    const whole = idsOf((await readPage(api, '/v1/payments?limit=100')).data);
    t.strictSame(new Set(whole), new Set(idsOf(created)));
    const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(sizes, async (limits) => {
        t.strictSame(idsOf(await readAll(api, '/v1/payments', limits)), whole);
      }),
      { numRuns: 8 },
    );
  });

  await t.test('pages stay consistent while rows are added', async (t) => {
    const before = idsOf((await readPage(api, '/v1/payments?limit=100')).data);
    const seen = await readAll(api, '/v1/payments', [7, 1], async () => {
      await Promise.all([create(api, 100), create(api, 101)]);
    });
    t.strictSame(idsOf(seen), before, 'each once, and none that came later');
  });

  await t.test('filters select payments', async (t) => {
    const [first, second, third] = created;
    await api.simulate(first?.['id'], 'paid');
    await api.simulate(second?.['id'], 'failed');
    await api.cancel(third?.['id']);
    const find = async (query: string) =>
      idsOf((await readPage(api, `/v1/payments?${query}`)).data);
    t.strictSame(await find('status=paid'), [first?.['id']]);
    t.strictSame(await find('status=failed'), [second?.['id']]);
    t.strictSame(await find('status=cancelled'), [third?.['id']]);
    t.strictSame(await find('status=refunded'), []);
    const pending = await find('status=pending&limit=100');
    t.notOk(pending.includes(first?.['id']) || pending.includes(second?.['id']));
    t.strictSame(await find('reference_id=order+3&payment_method=VA_BCA&limit=1'), [
      created.findLast(
        (row) => row['reference_id'] === 'order 3' && row['payment_method'] === 'VA_BCA',
      )?.['id'],
    ]);
    t.strictSame(await find('reference_id=order'), [], 'exact');
    const at = String(created[10]?.['created_at']);
    const from = await find(`created_from=${at}&limit=100`);
    const to = await find(`created_to=${at}&limit=100`);
    t.ok(from.includes(created[10]?.['id']), 'from: included');
    t.notOk(to.includes(created[10]?.['id']), 'to: not included');
    t.equal(new Set([...from, ...to]).size, from.length + to.length);
    t.strictSame(await find('created_from=2999-01-01'), []);
  });

  await t.test('a list shows no payment of another merchant', async (t) => {
    const other = await makeMerchant();
    t.strictSame((await readPage(other, '/v1/payments')).data, []);
    const { next_cursor: cursor } = await readPage(api, '/v1/payments?limit=1');
    const stolen = await other.call(`/v1/payments?cursor=${cursor}`);
    t.strictSame([stolen.status, stolen.code], [400, 'field_invalid'], 'nor with its cursor');
    const foreign = await api.call(`/v1/events?cursor=${cursor}`);
    t.strictSame([foreign.status, foreign.code], [400, 'field_invalid'], 'nor of another list');
  });
});

t.test(
  'a LIVE payment that the rail has not answered is pending, and found as pending',
  async (t) => {
    const merchant = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
    const live = openApi(service.baseUrl, merchant.liveKey);
    const { body } = await live.create({ amount: '20000' }, uniqueWord());
    const { data } = await readPage(live, '/v1/payments?status=pending');
    t.match(data, [{ id: body['id'], status: 'pending', environment: 'LIVE' }]);
    const test = openApi(service.baseUrl, merchant.testKey);
    t.strictSame((await readPage(test, '/v1/payments')).data, []);
  },
);

t.test('an invalid parameter is rejected by its name', async (t) => {
  const api = openApi(service.baseUrl, service.merchant.testKey);
  const cases: readonly [query: string, param: string][] = [
    ['payments?limit=0', 'limit'],
    ['payments?limit=101', 'limit'],
    ['payments?limit=1e1', 'limit'],
    ['payments?limit=', 'limit'],
    ['payments?cursor=', 'cursor'],
    ['payments?cursor=abc', 'cursor'],
    ['payments?status=creating', 'status'],
    ['payments?payment_method=CASH', 'payment_method'],
    ['payments?created_from=yesterday', 'created_from'],
    ['payments?created_to=2026-02-31', 'created_to'],
    [`payments?reference_id=${'x'.repeat(300)}`, 'reference_id'],
    ['refunds?payment_id=pay_1', 'payment_id'],
    ['refunds?status=succeeded', 'status'],
    ['refunds?cursor=abc', 'cursor'],
    ['events?type=payment.created', 'type'],
    ['events?limit=1000', 'limit'],
  ];
  for (const [query, param] of cases) {
    const { status, code, body } = await api.call(`/v1/${query}`);
    t.strictSame([status, code], [400, 'field_invalid'], query);
    t.match(body, { error: { param } }, query);
  }
  const card = await api.call('/v1/payments?reference_id=4111-1111-1111-1111');
  t.strictSame([card.status, card.code], [400, 'card_data_refused']);
  t.equal((await api.call('/v1/payments?expand=1')).status, 400, 'unknown');
  t.equal((await api.call('/v1/payments?limit=1&limit=2')).status, 400, 'twice');
});

t.test('methods and balance are those of the environment', async (t) => {
  const merchant = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const api = openApi(service.baseUrl, merchant.testKey);
  const live = openApi(service.baseUrl, merchant.liveKey);
  const methods = await api.call('/v1/payment-methods');
  t.equal(methods.status, 200);
  const { data } = methods.body as unknown as Listing;
  t.strictSame(idsOf(data), [
    'QRIS',
    'VA',
    'VA_BCA',
    'VA_BNI',
    'VA_BRI',
    'VA_MANDIRI',
    'VA_PERMATA',
  ]);
  t.strictSame(data[0], {
    id: 'QRIS',
    object: 'payment_method',
    name: 'QRIS',
    kind: 'qr',
    currency: 'IDR',
    min_amount: '1',
    max_amount: '10000000',
    default_expires_in: 900,
    refundable: true,
  });
  t.strictSame((await live.call('/v1/payment-methods')).body, { data: [] }, 'no rail, no method');

  const balance = async (of: Api) => (await of.call('/v1/balance')).body;
  const of = (environment: string, available: string) => ({
    environment,
    data: [{ currency: 'IDR', available, pending: '0', in_transit: '0', reserved: '0' }],
  });
  t.strictSame(await balance(api), of('TEST', '0'));
  const { body: payment } = await api.create({ amount: '70000' });
  t.strictSame(await balance(api), of('TEST', '0'), 'not paid yet');
  await api.simulate(payment['id'], 'paid');
  t.strictSame(await balance(api), of('TEST', '70000'), 'an answer is booked before it is given');
  await api.call('/v1/refunds', {
    method: 'POST',
    body: { payment_id: payment['id'], amount: '5' },
  });
  t.strictSame(await balance(api), of('TEST', '69995'));
  t.strictSame(await balance(live), of('LIVE', '0'));
});
