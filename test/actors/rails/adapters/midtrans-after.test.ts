// The Midtrans adapter after the charge: closing, refunds, callbacks.
import t from 'tap';
import { computeSignature, type SignedFields } from '#actors/rails/adapters/midtrans/callback.js';
import { REFUND_1, REFUND_2 } from '#test/core/payment/samples.js';
import {
  BY_ID,
  BY_ORDER,
  chargeFor,
  fixture,
  ORDER,
  pending,
  signedCallback,
  standing,
  TRANSACTION,
} from '#test/support/rails/midtrans.js';
import { closeOf, orderOf, refundOf } from '#test/support/rails/orders.js';
import { doubts, scriptRails } from '#test/support/rails/scripted.js';

const { signal } = new AbortController();
const { midtrans, asked, say } = await scriptRails(t);

t.test('a close answers by the status of the order', async (t) => {
  const call = closeOf(chargeFor());
  const refusal = { body: (fixture('err') as object[])[1] ?? null };
  const cases: [name: string, closing: object, found: object | undefined, answer: object][] = [
    [
      'closed',
      standing({ transaction_status: 'cancel' }),
      standing({ transaction_status: 'cancel' }),
      { result: 'closed' },
    ],
    [
      'expired before',
      refusal,
      standing({ transaction_status: 'expire' }, '407'),
      { result: 'closed' },
    ],
    [
      'paid before',
      refusal,
      standing({ transaction_status: 'settlement' }),
      { result: 'settled', settlement: { amountMinor: 275_000n } },
    ],
    ['refused', refusal, standing({}, '201'), { result: 'refused' }],
    [
      'only the reply says closed',
      standing({ transaction_status: 'cancel' }),
      standing({}, '201'),
      { result: 'unknown' },
    ],
    ['and nobody knows', refusal, undefined, { result: 'unknown' }],
    [
      'the rail knows no such order',
      { body: { status_code: '404' } },
      { body: { status_code: '404' } },
      { result: 'unknown', isAbsent: true },
    ],
  ];
  for (const [name, closing, found, answer] of cases) {
    say({
      [`POST /v2/${ORDER}/cancel`]: closing as never,
      ...(found ? { [BY_ORDER]: found as never } : {}),
    });
    t.match(await midtrans.close(call, signal), answer, name);
  }
  for (const [name, reply] of Object.entries(doubts({ status_code: '200' }))) {
    say({ [`POST /v2/${ORDER}/cancel`]: reply, [BY_ORDER]: standing({}, '201') });
    t.same(await midtrans.close(call, signal), { result: 'unknown' }, name);
  }
});

t.test('a refused refund is searched among the refunds of its transaction', async (t) => {
  const of = { railReference: TRANSACTION, railTransactionId: TRANSACTION };
  const call = refundOf(chargeFor(), of, { refundId: REFUND_1 });
  const ours = { refund_key: REFUND_1, refund_amount: '50000.00', refund_chargeback_id: 7 };
  const theirs = { ...ours, refund_key: REFUND_2 };
  const path = `POST /v2/${TRANSACTION}/refund`;
  const succeeded = { result: 'succeeded', railReference: '7' };
  const refunds = (...entries: object[]) =>
    standing({ transaction_status: 'refund', refunds: entries });
  say({ [path]: { body: { ...pending, status_code: '200', ...ours } } });
  t.same(await midtrans.refund(call, signal), succeeded);
  t.same(asked[0]?.body, { refund_key: REFUND_1, amount: 50_000 });
  say({ [path]: { body: { ...pending, status_code: '200', ...ours } } });
  const refused = await midtrans.refund(call, signal, () => Promise.resolve(false));
  t.same([refused, asked.length], [{ result: 'not_sent' }, 0], 'another process has the call');
  // 406, 412 and 414, and what they are when ours is not among the transaction's refunds.
  const absent = ['unknown', 'manual_required', 'failed'];
  for (const [index, body] of (fixture('err') as object[]).entries()) {
    say({ [path]: { body }, [BY_ID]: refunds(theirs, ours) });
    t.same(await midtrans.refund(call, signal), succeeded);
    say({ [path]: { body }, [BY_ID]: refunds(theirs) });
    t.same(await midtrans.refund(call, signal), { result: absent[index] }, 'it is not ours');
    say({ [path]: { body } });
    t.same(await midtrans.refund(call, signal), { result: 'unknown' }, 'nobody knows');
  }
  const endings = { '400': 'failed', '402': 'manual_required', '404': 'unknown' };
  for (const [code, result] of Object.entries(endings)) {
    say({ [path]: { body: { status_code: code, status_message: 'no' } } });
    t.same(await midtrans.refund(call, signal), { result }, code);
  }
  for (const [name, reply] of Object.entries(doubts({ ...pending, status_code: '200', ...ours }))) {
    say({ [path]: reply });
    t.same(await midtrans.refund(call, signal), { result: 'unknown' }, name);
  }
  say({ [BY_ID]: refunds({ ...ours, refund_amount: '50001.00' }) });
  t.same(await midtrans.inquireRefund(call, signal), { result: 'unknown' }, 'another amount');
});

const read = (body: object | string, headers = {}) =>
  midtrans.readCallback({
    headers,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });

t.test('the paid amount is the sum of payment_amounts if there are any', async (t) => {
  const order = orderOf(chargeFor('VA_BNI'), TRANSACTION);
  const settled = (amountMinor: bigint) => ({ result: 'settled', settlement: { amountMinor } });
  for (const [amounts, answer] of [
    [['200000.00', '75000'], settled(275_000n)],
    [['9.00'], settled(9n)],
    [[], settled(275_000n)],
    [['1.50'], { result: 'unknown' }],
  ] as const) {
    const payment_amounts = amounts.map((amount) => ({ paid_at: '2021-06-23 14:06:48', amount }));
    say({ [BY_ID]: standing({ transaction_status: 'settlement', payment_amounts }) });
    t.match(await midtrans.inquirePayment(order, signal), answer, amounts.join());
  }
});

t.test('the signature of a callback is the documented one', (t) => {
  const vector = fixture('signature') as SignedFields & Record<string, string>;
  t.equal(computeSignature(vector, vector['server_key'] ?? ''), vector['signature_key']);
  t.end();
});

t.test('the test of the dashboard is recognised by its order, once it is signed', (t) => {
  const order_id = 'payment_notif_test_G000000001_f1fb9398-0f36-4cd4-ba95-71625d31a193';
  const fields = { order_id, status_code: '200', gross_amount: '105000.00', payment_type: 'gopay' };
  const read = (body: object) =>
    midtrans.readCallback({ headers: {}, body: Buffer.from(JSON.stringify(body)) });
  t.same(read(signedCallback(fields)), { result: 'test' });
  t.same(read(signedCallback(fields, 'not the key')), { result: 'forged' });
  for (const other of [`x${order_id}`, `${order_id}0`, 'payment_notif_test_', ORDER]) {
    const told = { ...fields, order_id: other, transaction_status: 'settlement' };
    t.match(read(signedCallback(told)), { result: 'genuine', subject: { orderId: other } });
  }
  t.end();
});

t.test('a genuine callback names the subject of an inquiry', (t) => {
  const settle = { ...fixture('notify.settle'), order_id: ORDER };
  t.match(read(signedCallback(settle)), {
    result: 'genuine',
    dedupeKey: /^[0-9a-f]{40}$/,
    subject: { kind: 'order', orderId: ORDER, railReference: null },
    money: { amountMinor: 5_539n, currency: 'IDR' },
  });
  t.match(read(signedCallback(fixture('notify.expire'))), {
    result: 'genuine',
    subject: { orderId: 'order03' },
    money: { amountMinor: 275_000n },
  });
  const inParts = { ...settle, payment_amounts: [{ paid_at: 'x', amount: '5538.00' }] };
  t.match(read(signedCallback(inParts)), { money: { amountMinor: 5_538n } }, 'what was paid');
  t.match(read(signedCallback({ ...settle, currency: 'USD' })), { money: { currency: 'USD' } });
  const refunded = { ...settle, transaction_status: 'partial_refund' };
  t.match(read(signedCallback({ ...refunded, refunds: [{ refund_key: REFUND_1 }] })), {
    subject: { kind: 'refund', refundId: REFUND_1 },
  });
  for (const [status, reports] of [
    ['pending', 'open'],
    ['settlement', 'settled'],
    ['CHARGEBACK', 'given_back'],
    ['deny', 'reversed'],
    ['expire', 'ended'],
    ['cancel', 'ended'],
  ] as const) {
    t.match(read(signedCallback({ ...settle, transaction_status: status })), { reports }, status);
  }
  const keys = [settle, settle, { ...settle, extra: 1 }, { ...settle, transaction_status: 'deny' }];
  const [first, ...others] = keys.map((body) => {
    const reading = read(signedCallback(body));
    return reading.result === 'genuine' ? reading.dedupeKey : null;
  });
  t.same(
    others.map((key) => key === first),
    [true, true, false],
    'a repeat has the same key',
  );
  t.end();
});

t.test(
  'a callback with a wrong signature is forged, a signed one without its fields malformed',
  (t) => {
    const settle = signedCallback({ ...fixture('notify.settle'), order_id: ORDER });
    const forged = [
      { ...settle, gross_amount: '1.00' },
      { ...settle, order_id: 'other' },
      { ...settle, status_code: '201' },
      { ...settle, signature_key: '' },
      { ...settle, signature_key: undefined },
      { ...settle, signature_key: [settle.signature_key] },
      { ...settle, gross_amount: 5539 },
      signedCallback({ ...fixture('notify.settle'), order_id: ORDER }, 'another key'),
      '',
      'null',
      '{',
    ];
    for (const body of forged) t.same(read(body), { result: 'forged' }, JSON.stringify(body));
    t.same(read({ ...settle, transaction_status: undefined }), { result: 'malformed' });
    t.end();
  },
);
