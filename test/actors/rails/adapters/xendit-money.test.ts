// The Xendit adapter: refunds, payouts, callbacks.
import t from 'tap';
import { REFUND_1, REFUND_2 } from '#test/core/payment/samples.js';
import { orderOf, payoutOf, refundOf } from '#test/support/rails/orders.js';
import { doubts, scriptRails } from '#test/support/rails/scripted.js';
import {
  chargeFor,
  error,
  fixture,
  open,
  ORDER,
  PAID,
  REFERENCE,
  UNKNOWN,
} from '#test/support/rails/xendit.js';

const ABSENT = { ...UNKNOWN, isAbsent: true };
const { signal } = new AbortController();
const { xendit, asked, say } = await scriptRails(t);

t.test('a refund is searched first and requested once', async (t) => {
  const of = { railReference: REFERENCE, railTransactionId: PAID };
  const call = refundOf(chargeFor('QRIS'), of);
  const LIST = `GET /refunds?payment_request_id=${REFERENCE}&limit=100`;
  const ours = { id: 'rfd-1', reference_id: REFUND_1, status: 'PENDING', amount: 50_000 };
  const list = (...data: object[]) => ({ body: { data, has_more: false } });
  const none = list({ ...ours, reference_id: REFUND_2 });
  say({ [LIST]: none, 'POST /refunds': { body: ours } });
  t.same(await xendit.refund(call, signal), { result: 'pending', railReference: 'rfd-1' });
  t.match(asked[1], {
    headers: { 'idempotency-key': REFUND_1 },
    body: {
      payment_request_id: REFERENCE,
      reference_id: REFUND_1,
      amount: 50_000,
      currency: 'IDR',
    },
  });
  for (const isBegun of [true, false]) {
    say({ [LIST]: none, 'POST /refunds': { body: ours } });
    const begin = () => {
      t.equal(asked.length, 1, 'the request begins after the search');
      return Promise.resolve(isBegun);
    };
    const { result } = await xendit.refund(call, signal, begin);
    t.same([result, asked.length], isBegun ? ['pending', 2] : ['not_sent', 1]);
  }
  const known = {
    ...{ SUCCEEDED: 'succeeded', PENDING: 'pending' },
    ...{ FAILED: 'failed', CANCELLED: 'failed', NEW: 'unknown' },
  };
  for (const [status, result] of Object.entries(known)) {
    say({ [LIST]: list({ ...ours, status }) });
    t.match(await xendit.refund(call, signal), { result }, `it was ${status}`);
    t.match(await xendit.inquireRefund(call, signal), { result });
  }
  for (const [name, reply] of Object.entries({
    ...doubts(list()),
    more: { body: { data: [], has_more: true } },
  })) {
    say({ [LIST]: reply, 'POST /refunds': { body: ours } });
    const result = name === 'more' ? 'unknown' : 'not_sent';
    t.same(await xendit.refund(call, signal), { result }, name);
    t.equal(asked.length, 1, 'no refund is requested while the earlier ones are not known');
  }
  const endings = {
    REFUND_NOT_SUPPORTED: 'manual_required',
    PARTIAL_REFUND_NOT_SUPPORTED: 'manual_required',
    INELIGIBLE_TRANSACTION_STATUS: 'manual_required',
    REFUND_AMOUNT_EXCEEDED: 'failed',
    INSUFFICIENT_BALANCE: 'failed',
    TEMPORARILY_UNAVAILABLE: 'failed',
    REFUND_IN_PROGRESS: 'unknown',
  };
  for (const [code, result] of Object.entries(endings)) {
    say({ [LIST]: none, 'POST /refunds': error(400, code) });
    t.same(await xendit.refund(call, signal), { result }, code);
  }
  const lost = refundOf(chargeFor('QRIS'), { ...of, railReference: null });
  t.same(await xendit.refund(lost, signal), { result: 'manual_required' }, 'nothing to refund at');
});

t.test('a payout is requested as documented and answered by its status', async (t) => {
  const order = payoutOf();
  const { payoutId } = order;
  const CREATE_PAYOUT = 'POST /v2/payouts';
  const LIST = `GET /v2/payouts?reference_id=${payoutId}`;
  const body = { id: 'disb-1', reference_id: payoutId, status: 'ACCEPTED', amount: 75_000 };
  const pending = { result: 'pending', railReference: 'disb-1' };
  say({ [CREATE_PAYOUT]: { body } });
  t.same(await xendit.payOut(order, signal), pending);
  t.match(asked[0], {
    headers: { 'idempotency-key': payoutId },
    body: {
      reference_id: payoutId,
      channel_code: 'ID_BCA',
      channel_properties: { account_number: '1234567890', account_holder_name: 'BUDI UTOMO' },
      amount: 75_000,
    },
  });
  say({ [CREATE_PAYOUT]: error(409, 'DUPLICATE_ERROR'), [LIST]: { body: { data: [body] } } });
  t.same(await xendit.payOut(order, signal), pending, 'it is there already');
  for (const code of ['API_VALIDATION_ERROR', 'INSUFFICIENT_BALANCE', 'ACCOUNT_ACCESS_BLOCKED']) {
    say({ [CREATE_PAYOUT]: error(400, code) });
    t.same(await xendit.payOut(order, signal), {
      result: 'failed',
      failureCode: 'processing_failed',
    });
  }
  for (const [name, reply] of Object.entries(doubts(body))) {
    say({ [CREATE_PAYOUT]: reply, [LIST]: reply });
    t.same(await xendit.payOut(order, signal), UNKNOWN, name);
    t.same(
      await xendit.inquirePayout(order, signal),
      name === 'not found' ? ABSENT : UNKNOWN,
      name,
    );
  }
  say({ [LIST]: { body: { data: [] } } });
  t.same(await xendit.inquirePayout(order, signal), ABSENT, 'none is no proof');
  const unsure = [[body, body], [{ ...body, amount: 1 }], [{ ...body, reference_id: 'other' }]];
  for (const data of unsure) {
    say({ [LIST]: { body: { data } } });
    t.same(await xendit.inquirePayout(order, signal), UNKNOWN, 'no proof of anything');
  }
  const known = { ...order, railReference: 'disb-1' };
  const failed = { result: 'failed', failureCode: 'rejected_by_bank' };
  const ends = {
    SUCCEEDED: { result: 'completed', railReference: 'disb-1' },
    ...{ ACCEPTED: pending, REQUESTED: pending, PENDING_COMPLIANCE_ASSESSMENT: pending },
    REVERSED: { result: 'reversed', railReference: 'disb-1' },
    ...{ FAILED: failed, CANCELLED: failed, COMPLIANCE_REJECTED: failed },
    NEW: UNKNOWN,
  };
  for (const [status, answer] of Object.entries(ends)) {
    const told = { ...body, status, failure_code: 'REJECTED_BY_CHANNEL' };
    say({ 'GET /v2/payouts/disb-1': { body: told } });
    t.same(await xendit.inquirePayout(known, signal), answer, status);
  }
});

t.test('the tests of the dashboard are recognised by their samples, with the token only', (t) => {
  const read = (body: object, token = 'x-token') =>
    xendit.readCallback({
      headers: { 'x-callback-token': token },
      body: Buffer.from(JSON.stringify(body)),
    });
  const sample = (reference_id: unknown) => ({ event: 'payment.capture', data: { reference_id } });
  const { data } = sample('b2756a1e-e6cd-4352-9a68-0483aa2b6a2');
  const refund = { event: 'refund.succeeded', data };
  const tests = [
    ...[sample('90392f42-d98a-49ef-a7f3-90392f42d98a'), sample('example_reference_id')],
    ...[sample('myref-1482928194'), refund, { event: 'refund.succeeded', data: refund }],
    { event: 'payment.succeeded', business_id: 'sample_business_id', data: { id: 'pymt-1' } },
  ];
  for (const body of tests) {
    t.same(read(body), { result: 'test' });
    t.same(read(body, 'another'), { result: 'forged' });
  }
  t.match(read(sample(ORDER)), { result: 'genuine', subject: { orderId: ORDER } });
  t.match(read(sample('myref-1482928195')), { result: 'genuine' });
  t.end();
});

t.test('a refund without a key of ours is listed beside ours', async (t) => {
  const order = { ...orderOf(chargeFor('QRIS'), REFERENCE), wantsGivenBack: true };
  const { data } = fixture('webhook') as { data: object };
  const paid = { ...data, payment_id: PAID, reference_id: ORDER };
  const made = { status: 'SUCCEEDED', amount: 5_000 };
  const entries = [
    { ...made, id: 'rfd-1', reference_id: REFUND_1 },
    { ...made, id: 'rfd-2', reference_id: null, failure_code: null, metadata: null },
    { ...made, id: 'rfd-3' },
    { ...made, id: 'rfd-4', reference_id: '' },
    { ...made, id: 'rfd-5', reference_id: 'dashboard-1' },
  ];
  say({
    [`GET /v3/payment_requests/${REFERENCE}`]: {
      body: { ...open, status: 'SUCCEEDED', latest_payment_id: PAID },
    },
    [`GET /v3/payments/${PAID}`]: { body: paid },
    [`GET /refunds?payment_request_id=${REFERENCE}&limit=100`]: {
      body: { data: entries, has_more: null },
    },
  });
  const listed = [REFUND_1, null, null, null, 'dashboard-1'].map((refundKey, index) => {
    return { railRefundId: `rfd-${index + 1}`, refundKey, kind: 'refund', amountMinor: 5_000n };
  });
  const answer = await xendit.inquirePayment(order, signal);
  t.same(answer.result === 'settled' && answer.givenBack, listed);
});

t.test('a callback about a refund without a key of ours names the payment of its order', (t) => {
  const read = (event: string, data: object) =>
    xendit.readCallback({
      headers: { 'x-callback-token': 'x-token' },
      body: Buffer.from(JSON.stringify({ event, data })),
    });
  const refund = { id: 'rfd-1', payment_id: PAID, amount: 5, currency: 'IDR' };
  for (const reference of [{ reference_id: null }, {}, { reference_id: 'dashboard-1' }]) {
    const named = { ...refund, ...reference, payment_request_id: REFERENCE };
    t.match(read('refund.succeeded', named), {
      result: 'genuine',
      subject: {
        ...{ kind: 'order', orderId: null },
        ...{ railReference: REFERENCE, railTransactionId: PAID },
      },
      reports: 'given_back',
      money: null,
    });
    t.match(read('refund.failed', named), { reports: 'open' });
    t.match(
      read('refund.succeeded', { ...refund, ...reference }),
      { subject: { railReference: null, railTransactionId: PAID } },
      'the types of Xendit require the payment only',
    );
  }
  t.match(
    read('refund.succeeded', { ...refund, reference_id: REFUND_1, payment_request_id: null }),
    { subject: { kind: 'refund', refundId: REFUND_1, railReference: 'rfd-1' } },
    'ours is found by its key',
  );
  t.same(read('refund.succeeded', { id: 'rfd-1', reference_id: null }), { result: 'malformed' });
  t.same(read('payout.succeeded', { id: 'disb-1', reference_id: null }), { result: 'malformed' });
  t.match(
    read('payment.capture', {
      ...{ reference_id: ORDER, payment_request_id: null, id: null },
      ...{ amount: null, request_amount: 5, currency: null, captures: null },
    }),
    { subject: { kind: 'order', orderId: ORDER, railReference: null }, money: null },
    'fields without a value hide no callback',
  );
  t.end();
});

t.test('a callback with the token is genuine and names the subject of an inquiry', (t) => {
  const read = (
    body: object | string,
    headers: Record<string, string> = { 'x-callback-token': 'x-token' },
  ) =>
    xendit.readCallback({
      headers,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    });
  const { data, ...event } = fixture('webhook') as { data: object };
  const named = { reference_id: 'an order of ours', payment_request_id: REFERENCE };
  const captured = { ...event, data: { ...data, ...named } };
  t.match(read(captured), {
    result: 'genuine',
    subject: {
      kind: 'order',
      orderId: 'an order of ours',
      railReference: REFERENCE,
    },
    money: { amountMinor: 10_000n, currency: 'IDR' },
  });
  for (const [name, reports] of [
    ['payment.capture', 'settled'],
    ['payment.authorization', 'open'],
    ['payment.failure', 'ended'],
    ['payment_request.expiry', 'ended'],
  ] as const) {
    t.match(read({ ...captured, event: name }), { reports }, name);
  }
  const parts = [{ capture_amount: 9_000 }, { capture_amount: '999.00' }];
  t.match(
    read({ ...captured, data: { ...captured.data, captures: parts } }),
    { money: { amountMinor: 9_999n } },
    'the amount paid, not the amount requested',
  );
  t.match(read({ ...captured, data: { ...captured.data, captures: [], currency: 'USD' } }), {
    money: { amountMinor: 10_000n, currency: 'USD' },
  });
  const refund = { id: 'rfd-1', reference_id: REFUND_1, amount: 5, currency: 'IDR' };
  t.match(read({ event: 'refund.succeeded', data: refund }), {
    subject: { kind: 'refund', refundId: REFUND_1, railReference: 'rfd-1' },
    reports: 'ended',
  });
  t.match(read({ event: 'payout.reversed', data: { ...refund, reference_id: 'po_1' } }), {
    subject: { kind: 'payout', payoutId: 'po_1' },
    money: { amountMinor: 5n },
  });
  for (const headers of [
    {},
    { 'x-callback-token': '' },
    { 'x-callback-token': 'x-tokem' },
    { 'x-callback-token': 'x-token ' },
  ]) {
    t.same(read(captured, headers), { result: 'forged' });
  }
  for (const body of [
    '',
    '{',
    {},
    { event: 'payment_token.activation', data: refund },
    { event: 'payment.capture' },
  ]) {
    t.same(read(body), { result: 'malformed' });
  }
  const keyOf = (id: string, body: object = captured) => {
    const reading = read(body, { 'x-callback-token': 'x-token', 'webhook-id': id });
    return reading.result === 'genuine' ? reading.dedupeKey : null;
  };
  t.equal(keyOf('1'), keyOf('1'));
  t.not(keyOf('1'), keyOf('2'));
  t.end();
});
