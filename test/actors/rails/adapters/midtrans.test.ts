// The Midtrans adapter against the replies of its documentation (fixtures) and against replies that say nothing: charges
// and order states.
import QRCode from 'qrcode';
import t from 'tap';
import { deriveOrderId } from '#actors/core/ids.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { Payer } from '#actors/rails/adapters/rail.js';
import { PAYMENT_ID } from '#test/core/payment/samples.js';
import {
  BY_ID,
  BY_ORDER,
  chargeFor,
  fixture,
  ORDER,
  PAYLOAD,
  pending,
  standing,
  TRANSACTION,
} from '#test/support/rails/midtrans.js';
import { NOBODY, orderOf } from '#test/support/rails/orders.js';
import { doubts, scriptRails } from '#test/support/rails/scripted.js';

const { signal } = new AbortController();
const { midtrans, asked, say, url } = await scriptRails(t);

t.test('a charge has the documented body and no more of the payer than required', async (t) => {
  say({ 'POST /v2/charge': { body: pending } });
  const payer: Payer = {
    name: 'Siti',
    email: 'siti@example.com',
    phone: '+628',
    description: 'Two shirts',
  };
  t.same(await midtrans.charge(chargeFor(), payer, signal), {
    result: 'accepted',
    railReference: TRANSACTION,
    instructions: { kind: 'qr', payload: PAYLOAD },
  });
  const [request] = asked;
  t.equal(request?.headers.authorization, `Basic ${Buffer.from('m-key:').toString('base64')}`);
  const { payment_type, qris } = fixture('charge.qris') as Record<string, unknown>;
  t.match(request?.body, {
    payment_type,
    qris,
    transaction_details: { order_id: ORDER, gross_amount: 275_000 },
    custom_expiry: { order_time: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0700$/, unit: 'second' },
  });
  t.notMatch(JSON.stringify(request?.body), /siti|shirts|\+628/i);
});

t.test('a charge at a bank has its channel, and its number is shown', async (t) => {
  const banks: Partial<Record<ChargeableMethod, [asks: object, replies: object, number: string]>> =
    {
      VA_BCA: [{ bank_transfer: { bank: 'bca' } }, fixture('201.bca'), '812785002530231'],
      VA_BNI: [
        { bank_transfer: { bank: 'bni' } },
        { va_numbers: [{ bank: 'bni', va_number: '9881' }] },
        '9881',
      ],
      VA_BRI: [
        { bank_transfer: { bank: 'bri' } },
        { va_numbers: [{ bank: 'bri', va_number: '1234' }] },
        '1234',
      ],
      VA_PERMATA: [{ bank_transfer: { bank: 'permata' } }, { permata_va_number: '8562' }, '8562'],
      VA_MANDIRI: [
        {
          payment_type: 'echannel',
          echannel: { bill_info1: 'Pembayaran', bill_info2: 'SITI AMINAH' },
        },
        fixture('201.echannel'),
        '778347787706',
      ],
    };
  for (const [method, [asks, replies, number]] of Object.entries(banks)) {
    const body = { ...pending, qr_string: undefined, ...replies, gross_amount: '275000.00' };
    say({ 'POST /v2/charge': { body } });
    const payer = { ...NOBODY, name: 'Siti "Amínah"' };
    const answer = await midtrans.charge(chargeFor(method as ChargeableMethod), payer, signal);
    const billerCode = method === 'VA_MANDIRI' ? '70012' : null;
    t.match(answer, { result: 'accepted', instructions: { number, billerCode } }, method);
    t.match(asked[0]?.body, asks);
  }
});

t.test('a code that comes as a picture is fetched from Midtrans only', async (t) => {
  const picture = {
    headers: { 'content-type': 'image/png' },
    body: await QRCode.toBuffer(PAYLOAD),
  };
  const bare = { ...pending, qr_string: undefined };
  const accepted = { result: 'accepted', instructions: { kind: 'qr', payload: PAYLOAD } };
  const action = (to: string) => ({
    actions: [{ name: 'generate-qr-code', method: 'GET', url: to }],
  });
  say({
    'POST /v2/charge': { body: { ...bare, ...action(`${url}/v2/qris/shopee/x/qr-code`) } },
    'GET /v2/qris/shopee/x/qr-code': picture,
  });
  t.match(await midtrans.charge(chargeFor(), NOBODY, signal), accepted, 'where its action says');
  for (const other of [
    'http://other.example/code.png',
    `${url}.evil.example/x`,
    fixture('201.qris'),
  ]) {
    const actions = typeof other === 'string' ? action(other) : {};
    say({
      'POST /v2/charge': { body: { ...bare, ...actions } },
      [`GET /v2/qris/${TRANSACTION}/qr-code`]: picture,
    });
    t.match(await midtrans.charge(chargeFor(), NOBODY, signal), accepted, 'an action elsewhere');
  }
  const huge = Buffer.from(picture.body);
  huge.writeUInt32BE(60_000, 16);
  for (const body of [huge, Buffer.from('no picture')]) {
    say({
      'POST /v2/charge': { body: bare },
      [`GET /v2/qris/${TRANSACTION}/qr-code`]: { body },
      [BY_ORDER]: { body: bare },
    });
    t.same(await midtrans.charge(chargeFor(), NOBODY, signal), { result: 'unknown' });
    t.same(await midtrans.inquirePayment(orderOf(chargeFor()), signal), { result: 'unknown' });
  }
  say({ [BY_ORDER]: { body: bare }, [`GET /v2/qris/${TRANSACTION}/qr-code`]: picture });
  t.match(await midtrans.inquirePayment(orderOf(chargeFor()), signal), {
    result: 'open',
    charge: accepted,
  });
  say({ [BY_ID]: { body: bare } });
  t.match(await midtrans.inquirePayment(orderOf(chargeFor(), TRANSACTION), signal), {
    result: 'open',
    charge: { instructions: null },
  });
  t.equal(asked.length, 1, 'who knows the reference knows the code');
});

t.test('a charge is refused only by the documented codes', async (t) => {
  for (const code of ['400', '401', '402', '408', '410', '411', '413']) {
    for (const status of [200, Number(code)]) {
      say({ 'POST /v2/charge': { status, body: { status_code: code, status_message: 'no' } } });
      t.same(await midtrans.charge(chargeFor(), NOBODY, signal), { result: 'refused' }, code);
    }
  }
  const unsure: Record<string, object> = {
    'another order': { ...pending, order_id: deriveOrderId(PAYMENT_ID, 998) },
    'another amount': { ...pending, gross_amount: '275001.00' },
    'a fraction': { ...pending, gross_amount: '275000.50' },
    'settled at once': { ...pending, transaction_status: 'settlement', status_code: '200' },
    denied: { ...pending, transaction_status: 'deny', status_code: '202' },
  };
  for (const [name, body] of Object.entries(unsure)) {
    say({ 'POST /v2/charge': { body } });
    t.same(await midtrans.charge(chargeFor(), NOBODY, signal), { result: 'unknown' }, name);
  }
  for (const [name, reply] of Object.entries(doubts(pending))) {
    say({ 'POST /v2/charge': reply });
    t.same(await midtrans.charge(chargeFor(), NOBODY, signal), { result: 'unknown' }, name);
    t.equal(asked.length, 1, 'and nothing is repeated');
  }
});

t.test('a charge of a duplicate order is inquired', async (t) => {
  const duplicate = { body: { status_code: '406', status_message: 'duplicate' } };
  say({ 'POST /v2/charge': duplicate, [BY_ORDER]: { body: pending } });
  t.match(await midtrans.charge(chargeFor(), NOBODY, signal), { result: 'accepted' });
  for (const found of [
    standing({ transaction_status: 'settlement' }),
    doubts(pending)['not found'],
  ]) {
    say({ 'POST /v2/charge': duplicate, ...(found ? { [BY_ORDER]: found } : {}) });
    t.same(await midtrans.charge(chargeFor(), NOBODY, signal), { result: 'unknown' });
  }
});

t.test('an inquiry reads each documented status', async (t) => {
  const settled = {
    result: 'settled',
    settlement: {
      ...{ rail: 'midtrans', railTransactionId: TRANSACTION, orderId: ORDER },
      ...{
        amountMinor: 275_000n,
        currency: 'IDR',
        settledAtMs: Date.parse('2021-06-23T07:06:48Z'),
      },
    },
  };
  const time = { settlement_time: '2021-06-23 14:06:48' };
  const cases: [name: string, reply: object, answer: object][] = [
    ['settlement', standing({ transaction_status: 'settlement', ...time }), settled],
    ['upper case', standing({ transaction_status: 'SETTLEMENT', ...time }), settled],
    ['capture', standing({ transaction_status: 'capture', ...time }), settled],
    ...['refund', 'partial_refund', 'chargeback', 'partial_chargeback'].map(
      (transaction_status): [string, object, object] => [
        `${transaction_status}: the money came before`,
        standing({ transaction_status, ...time }),
        settled,
      ],
    ),
    [
      'another amount',
      standing({ transaction_status: 'settlement', gross_amount: '9.00' }),
      {
        settlement: { amountMinor: 9n, settledAtMs: null },
      },
    ],
    [
      'another currency',
      standing({ transaction_status: 'settlement', currency: 'USD' }),
      {
        settlement: { currency: 'USD' },
      },
    ],
    [
      'fraud check not accepted',
      standing({ transaction_status: 'settlement', fraud_status: 'challenge' }),
      { result: 'unknown' },
    ],
    [
      'settled without success',
      standing({ transaction_status: 'settlement' }, '201'),
      { result: 'unknown' },
    ],
    [
      'expired',
      standing({ transaction_status: 'expire' }, '407'),
      { result: 'failed', failureCode: 'expired' },
    ],
    ['cancelled', standing({ transaction_status: 'cancel' }), { result: 'closed' }],
    [
      'an error of its servers',
      standing({ transaction_status: 'expire' }, '503'),
      { result: 'unknown' },
    ],
    [
      'denied',
      standing({ transaction_status: 'deny' }, '202'),
      { result: 'failed', failureCode: 'declined' },
    ],
    [
      'failure',
      standing({ transaction_status: 'failure' }, '202'),
      { failureCode: 'processing_failed' },
    ],
    ['a new status', standing({ transaction_status: 'paused' }), { result: 'unknown' }],
    [
      'another order',
      standing({ order_id: 'other', transaction_status: 'settlement' }),
      { result: 'unknown' },
    ],
    ['open with another amount', standing({ gross_amount: '1.00' }, '201'), { result: 'unknown' }],
    [
      'no order',
      { body: { status_code: '404', status_message: 'not found' } },
      { result: 'unknown' },
    ],
  ];
  for (const [name, reply, answer] of cases) {
    say({ [BY_ORDER]: reply as never });
    t.match(await midtrans.inquirePayment(orderOf(chargeFor()), signal), answer, name);
  }
  for (const [name, reply] of Object.entries(
    doubts(standing({ transaction_status: 'settlement' }).body),
  )) {
    say({ [BY_ORDER]: reply });
    const answer = { result: 'unknown', ...(name === 'not found' ? { isAbsent: true } : {}) };
    t.same(await midtrans.inquirePayment(orderOf(chargeFor()), signal), answer, name);
  }
});

t.test(
  'an inquiry by transaction id accepts that id in order_id, and no other transaction',
  async (t) => {
    const order = orderOf(chargeFor(), TRANSACTION);
    const settled = { transaction_status: 'settlement' };
    say({ [BY_ID]: standing({ ...settled, order_id: TRANSACTION }) });
    t.match(await midtrans.inquirePayment(order, signal), { settlement: { orderId: ORDER } });
    say({ [BY_ID]: standing({ ...settled, order_id: deriveOrderId(PAYMENT_ID, 3) }) });
    t.same(await midtrans.inquirePayment(order, signal), { result: 'unknown' });
    say({ [BY_ID]: standing({ ...settled, transaction_id: 'another' }) });
    t.same(await midtrans.inquirePayment(order, signal), { result: 'unknown' });
  },
);

t.test(
  'a denial is a reversal when the transaction is booked or has a settlement time',
  async (t) => {
    const denied = { transaction_status: 'deny' };
    const reversed = { result: 'reversed', railTransactionId: TRANSACTION };
    say({ [BY_ID]: standing(denied, '202') });
    t.same(
      await midtrans.inquirePayment(orderOf(chargeFor(), TRANSACTION, TRANSACTION), signal),
      reversed,
    );
    t.match(await midtrans.inquirePayment(orderOf(chargeFor(), TRANSACTION, 'other'), signal), {
      result: 'failed',
    });
    say({ [BY_ID]: standing({ ...denied, settlement_time: '2021-06-23 14:06:48' }, '202') });
    t.same(await midtrans.inquirePayment(orderOf(chargeFor(), TRANSACTION), signal), reversed);
  },
);
