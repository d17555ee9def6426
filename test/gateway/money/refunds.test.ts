// Refunds and events by HTTP: whole, partial, repeated, refused; what is told of them.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, type ApiAnswer, openApi } from '#test/support/api.js';
import { createTestMerchant, startService, uniqueWord } from '#test/support/processes.js';

const service = await startService(t, { gateways: 2 });
const api = openApi(service.baseUrl, service.merchant.testKey);

async function makePaid(amount = '100000', of: Api = api): Promise<string> {
  const { body } = await of.create({ amount });
  await of.simulate(body['id'], 'paid');
  return String(body['id']);
}

const refund = (body: object, key?: string, of: Api = api): Promise<ApiAnswer> =>
  of.call('/v1/refunds', {
    method: 'POST',
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

const rowsOf = (answer: ApiAnswer) => answer.body['data'] as Readonly<Record<string, unknown>>[];

t.test('the whole amount', async (t) => {
  const id = await makePaid();
  const made = await refund({ payment_id: id, reason: 'rusak', reference_id: 'r1' }, uniqueWord());
  t.equal(made.status, 201, made.text);
  t.match(made.body, {
    id: /^ref_[0-9a-z]{26}$/,
    object: 'refund',
    payment_id: id,
    status: 'SUCCEEDED',
    amount: '100000',
    currency: 'IDR',
    reason: 'rusak',
    reference_id: 'r1',
    created_at: String,
    completed_at: String,
  });
  const payment = await api.get(id);
  t.match(payment.body, { status: 'refunded', refunded_amount: '100000', refundable_amount: '0' });
  const shown = await api.call(`/v1/refunds/${String(made.body['id'])}`);
  t.strictSame([shown.status, shown.text], [200, made.text], 'shown as it was answered');
  const again = await refund({ payment_id: id });
  t.strictSame([again.status, again.code], [409, 'state_conflict']);
});

t.test('in parts, never more than was paid, however many arrive at once', async (t) => {
  const id = await makePaid('100');
  const made = await Promise.all(
    Array.from({ length: 12 }, () => refund({ payment_id: id, amount: '30' })),
  );
  const statuses = made.map((answer) => answer.status).sort();
  t.strictSame(statuses, [201, 201, 201, ...Array.from({ length: 9 }, () => 409)]);
  for (const { status, code } of made) {
    if (status === 409) t.equal(code, 'refund_exceeds_payment');
  }
  t.match((await api.get(id)).body, { status: 'paid', refunded_amount: '90' });
  const rest = await refund({ payment_id: id });
  t.match(rest.body, { amount: '10', status: 'SUCCEEDED' });
  t.match((await api.get(id)).body, { status: 'refunded', refunded_amount: '100' });

  const listed = await api.call(`/v1/refunds?payment_id=${id}&limit=3`);
  t.equal(rowsOf(listed).length, 3);
  t.strictSame(rowsOf(listed)[0], rest.body, 'newest first');
  const cursor = String(listed.body['next_cursor']);
  const last = await api.call(`/v1/refunds?payment_id=${id}&limit=3&cursor=${cursor}`);
  t.equal(rowsOf(last).length, 1);
  t.equal(last.body['next_cursor'], null);
});

t.test('one key is one refund', async (t) => {
  const id = await makePaid();
  const key = uniqueWord();
  const other = openApi(service.gateways[1]?.baseUrl ?? '', service.merchant.testKey);
  const body = { payment_id: id, amount: '400' };
  const made = await Promise.all([
    ...Array.from({ length: 6 }, () => refund(body, key)),
    ...Array.from({ length: 6 }, () => refund({ amount: '0400', payment_id: id }, key, other)),
  ]);
  t.equal(made.filter(({ status }) => status === 201).length, 1);
  t.equal(made.filter(({ status }) => status === 200).length, 11);
  t.equal(new Set(made.map(({ text }) => text)).size, 1);
  for (const { status, headers } of made) {
    t.equal(headers['idempotent-replayed'], status === 200 ? 'true' : undefined);
  }
  t.match((await api.get(id)).body, { refunded_amount: '400' });

  const otherId = await makePaid();
  for (const changed of [
    { payment_id: id, amount: '401' },
    { payment_id: id },
    { ...body, reason: 'x' },
    { ...body, payment_id: otherId },
  ]) {
    const answer = await refund(changed, key);
    t.strictSame([answer.status, answer.code], [409, 'idempotency_conflict']);
  }
  t.match((await api.get(otherId)).body, { refunded_amount: '0' });
});

t.test('a key is used by a refusal of the payment, not by a refusal of the request', async (t) => {
  const { body: payment } = await api.create({ amount: '500' });
  const id = String(payment['id']);
  const key = uniqueWord();
  t.equal((await refund({ payment_id: id, amount: 'x' }, key)).code, 'amount_invalid');
  const early = await refund({ payment_id: id }, key);
  t.strictSame([early.status, early.code], [409, 'state_conflict']);
  t.match(early.text, /pending/, 'the message names the status');
  t.equal((await refund({ payment_id: id, amount: '1' }, key)).code, 'idempotency_conflict');
  await api.simulate(id, 'paid');
  t.equal((await refund({ payment_id: id }, key)).status, 201, 'the same request, once it can be');
});

t.test('an invalid refund is rejected with its code', async (t) => {
  const id = await makePaid();
  const otherMerchant = await createTestMerchant(service.databaseUrl);
  const theirs = await makePaid('1000', openApi(service.baseUrl, otherMerchant.testKey));
  const cases: readonly [body: object, status: number, code: string][] = [
    [{}, 400, 'field_invalid'],
    [{ payment_id: 1 }, 400, 'field_invalid'],
    [{ payment_id: 'pay_1' }, 404, 'payment_not_found'],
    [{ payment_id: theirs }, 404, 'payment_not_found'],
    [{ payment_id: id, amount: '0' }, 400, 'amount_out_of_range'],
    [{ payment_id: id, amount: 5 }, 400, 'amount_invalid'],
    [{ payment_id: id, amount: '100001' }, 409, 'refund_exceeds_payment'],
    [{ payment_id: id, reason: '4111 1111 1111 1111' }, 400, 'card_data_refused'],
    [{ payment_id: id, reference_id: '4111-1111-1111-1111' }, 400, 'card_data_refused'],
    [{ payment_id: id, reason: 'a\0' }, 400, 'field_invalid'],
    [{ payment_id: id, reason: 'x'.repeat(501) }, 400, 'field_invalid'],
    [{ payment_id: id, card_number: '1' }, 400, 'body_invalid'],
  ];
  for (const [body, status, code] of cases) {
    const answer = await refund(body, uniqueWord());
    t.strictSame([answer.status, answer.code], [status, code], JSON.stringify(body).slice(0, 80));
  }
  for (const missing of ['ref_1', 'ref_00000000000000000000000000']) {
    const shown = await api.call(`/v1/refunds/${missing}`);
    t.strictSame([shown.status, shown.code], [404, 'refund_not_found']);
  }
  const made = await refund({ payment_id: id, amount: '1' });
  const theirView = openApi(service.baseUrl, otherMerchant.testKey);
  t.equal((await theirView.call(`/v1/refunds/${String(made.body['id'])}`)).status, 404);
  t.strictSame(rowsOf(await theirView.call(`/v1/refunds?payment_id=${id}`)), []);
});

t.test('a refund that an administrator must pay', async (t) => {
  const { body } = await api.create({ amount: '10094' });
  await api.simulate(body['id'], 'paid');
  const made = await refund({ payment_id: body['id'] });
  t.strictSame([made.status, made.body['status']], [201, 'MANUAL_REQUIRED']);
  t.equal(made.body['completed_at'], null);
  const listed = await api.call('/v1/refunds?status=MANUAL_REQUIRED');
  t.strictSame(rowsOf(listed), [made.body]);
  t.strictSame(rowsOf(await api.call('/v1/refunds?status=PENDING')), []);
});

t.test('events', async (t) => {
  const merchant = await createTestMerchant(service.databaseUrl);
  const own = openApi(service.baseUrl, merchant.testKey);
  const id = await makePaid('900', own);
  await refund({ payment_id: id, amount: '100' }, undefined, own);
  await refund({ payment_id: id }, undefined, own);
  const { body: other } = await own.create({ amount: '5' });
  await own.cancel(other['id']);

  const told = rowsOf(await own.call(`/v1/payments/${id}/events`));
  t.strictSame(
    told.map((event) => event['type']),
    ['payment.paid', 'payment.refunded', 'payment.refunded'],
    'oldest first',
  );
  t.match(told[1], { data: { id, status: 'paid', refund_amount: '100', refunded_amount: '100' } });
  t.match(told[2], { data: { status: 'refunded', refund_amount: '800' } });

  const all = await own.call('/v1/events');
  t.equal(rowsOf(all).length, 4);
  t.match(rowsOf(all)[0], { type: 'payment.cancelled', data: { id: other['id'] } });
  t.strictSame(rowsOf(all).slice(1).reverse(), told, 'newest first');
  const paged = await own.call('/v1/events?limit=3&type=payment.refunded');
  t.strictSame(rowsOf(paged), [told[2], told[1]]);
  const first = await own.call('/v1/events?limit=2');
  const rest = await own.call(`/v1/events?limit=2&cursor=${String(first.body['next_cursor'])}`);
  t.strictSame([...rowsOf(first), ...rowsOf(rest)], rowsOf(all));

  const event = await own.call(`/v1/events/${String(told[1]?.['id'])}`);
  t.strictSame([event.status, event.body], [200, told[1]]);
  t.equal((await api.call(`/v1/events/${String(told[1]?.['id'])}`)).code, 'event_not_found');
  t.equal((await own.call('/v1/events/evt_1')).code, 'event_not_found');
  t.equal((await api.call(`/v1/payments/${id}/events`)).code, 'payment_not_found');
  t.strictSame(rowsOf(await api.call(`/v1/payments/${await makePaid()}/events`)).length, 1);
});

t.test('a live key needs an idempotency key', async (t) => {
  const approved = await createTestMerchant(service.databaseUrl, { isLiveEnabled: true });
  const live = openApi(service.baseUrl, approved.liveKey);
  const { body } = await live.create({ amount: '20000' }, uniqueWord());
  t.equal(
    (await refund({ payment_id: body['id'] }, undefined, live)).code,
    'idempotency_key_required',
  );
  t.equal((await refund({ payment_id: body['id'] }, uniqueWord(), live)).code, 'state_conflict');
});

t.test('a 503 does not use a key up', async (t) => {
  const id = await makePaid();
  const key = uniqueWord();
  await service.redis.stop();
  const refused = await refund({ payment_id: id, amount: '7' }, key);
  t.strictSame([refused.status, refused.code], [503, 'dependency_unavailable']);
  t.type(refused.headers['retry-after'], 'string');
  await service.redis.start();
  await waitUntil('refunds are taken again', async () => {
    const { status } = await refund({ payment_id: id, amount: '8' }, key);
    if (![201, 200, 503].includes(status)) t.fail(`answered ${status}`);
    return status === 201 || status === 200;
  });
  const first = await refund({ payment_id: id, amount: '7' }, key);
  t.equal(first.code, 'idempotency_conflict', 'the body that was taken has the key');
  t.match((await api.get(id)).body, { refunded_amount: '8' });
});
