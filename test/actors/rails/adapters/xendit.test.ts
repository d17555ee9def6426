// The Xendit adapter against the replies of its documentation (fixtures) and against replies that say nothing: charges and
// order states.
import t from 'tap';
import { PAYLOAD } from '#test/support/rails/midtrans.js';
import { closeOf, NOBODY, orderOf } from '#test/support/rails/orders.js';
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

const { signal } = new AbortController();
const { xendit, asked, say } = await scriptRails(t);
const standing = (changes: object) => ({ body: { ...open, ...changes } });
const CREATE = 'POST /v3/payment_requests';
const GET = `GET /v3/payment_requests/${REFERENCE}`;
const GET_PAYMENT = `GET /v3/payments/${PAID}`;

t.test('a charge has the documented body', async (t) => {
  say({ [CREATE]: { status: 201, body: open } });
  const payer = { ...NOBODY, name: 'Toko "Contoh"', email: 'siti@example.com' };
  t.same(await xendit.charge(chargeFor(), payer, signal), {
    result: 'accepted',
    railReference: REFERENCE,
    instructions: { kind: 'virtual_account', number: '87909123456789', billerCode: null },
  });
  const [request] = asked;
  t.match(request?.headers, {
    authorization: `Basic ${Buffer.from('x-key:').toString('base64')}`,
    'api-version': '2024-11-11',
  });
  const documented: Record<string, unknown> = { ...fixture('create.va') };
  delete documented['metadata'];
  t.same(request?.body, {
    ...documented,
    reference_id: ORDER,
    request_amount: 150_000,
    channel_properties: { display_name: 'TOKO CONTOH', expires_at: '2030-12-31T23:59:59Z' },
  });
  const action = { type: 'PRESENT_TO_CUSTOMER', descriptor: 'QR_STRING', value: PAYLOAD };
  say({
    [CREATE]: { status: 201, body: { ...open, request_amount: '150000', actions: [action] } },
  });
  t.match(await xendit.charge(chargeFor('QRIS'), payer, signal), {
    instructions: { kind: 'qr', payload: PAYLOAD },
  });
  t.match(asked[0]?.body, { channel_code: 'QRIS' });
  t.match(JSON.stringify(asked[0]?.body), /"channel_properties":\{\}/);
  const others = [{ type: 'API_POST_REQUEST', descriptor: 'CAPTURE_PAYMENT', value: null }, null];
  say({ [CREATE]: { status: 201, body: { ...open, actions: [...others, action] } } });
  t.match(
    await xendit.charge(chargeFor('QRIS'), payer, signal),
    { instructions: { kind: 'qr', payload: PAYLOAD } },
    'actions of other kinds hide none',
  );
});

t.test('a charge is refused only by the documented codes', async (t) => {
  const refusals = {
    API_VALIDATION_ERROR: 400,
    INVALID_VALUE_ERROR: 400,
    INVALID_API_KEY: 401,
    INVALID_MERCHANT_SETTINGS: 403,
    ACCOUNT_ACCESS_BLOCKED: 403,
  };
  for (const [code, status] of Object.entries(refusals)) {
    say({ [CREATE]: error(status, code) });
    t.same(await xendit.charge(chargeFor(), NOBODY, signal), { result: 'refused' }, code);
  }
  say({ [CREATE]: { status: 201, body: { ...open, status: 'FAILED' } } });
  t.same(await xendit.charge(chargeFor(), NOBODY, signal), { result: 'refused' });
  const unsure = {
    'a duplicate': error(409, 'DUPLICATE_ERROR'),
    'a channel that is away': error(503, 'CHANNEL_UNAVAILABLE'),
    'a refusal under 500': error(500, 'API_VALIDATION_ERROR'),
    'another order': standing({ reference_id: 'other' }),
    'another amount': standing({ request_amount: 150_001 }),
    'nothing to pay by': standing({ actions: [] }),
    'paid at once': standing({ status: 'SUCCEEDED', latest_payment_id: PAID }),
    ...doubts(open),
  };
  for (const [name, reply] of Object.entries(unsure)) {
    say({ [CREATE]: reply });
    t.same(await xendit.charge(chargeFor(), NOBODY, signal), UNKNOWN, name);
    t.equal(asked.length, 1, 'and nothing is repeated');
  }
});

const QR = (value: string) => ({ actions: [{ descriptor: 'QR_STRING', value }] });

t.test('an order with instructions that must not be shown is unusable', async (t) => {
  const unusable = { result: 'unusable', railReference: REFERENCE };
  const number = { descriptor: 'VIRTUAL_ACCOUNT_NUMBER', value: '<b>' };
  const wanted = { ...orderOf(chargeFor('QRIS'), REFERENCE), wantsInstructions: true };
  for (const changes of [QR(PAYLOAD.replace('15000', '15001')), { actions: [number] }]) {
    say({ [CREATE]: { status: 201, body: { ...open, ...changes } }, [GET]: standing(changes) });
    t.same(await xendit.charge(chargeFor('QRIS'), NOBODY, signal), unusable);
    t.same(await xendit.inquirePayment(wanted, signal), unusable);
    t.match(
      await xendit.inquirePayment({ ...wanted, wantsInstructions: false }, signal),
      { result: 'open', charge: { result: 'accepted', instructions: null } },
      'the customer has other ones',
    );
  }
  say({ [GET]: standing({ actions: [] }) });
  t.same(await xendit.inquirePayment(wanted, signal), UNKNOWN, 'they may come later');
  say({ [GET]: standing(QR(`${PAYLOAD} `)) });
  t.match(await xendit.inquirePayment(wanted, signal), {
    charge: { instructions: { kind: 'qr', payload: PAYLOAD } },
  });
});

t.test('an inquiry reads each documented status', async (t) => {
  const cases: [name: string, changes: object, answer: object][] = [
    ['paid, by nobody knows what', { status: 'SUCCEEDED' }, UNKNOWN],
    [
      'open',
      { status: 'ACCEPTING_PAYMENTS' },
      { result: 'open', charge: { railReference: REFERENCE } },
    ],
    ...['REQUIRES_ACTION', 'AUTHORIZED', 'PENDING'].map((status): [string, object, object] => [
      status,
      { status },
      { result: 'open' },
    ]),
    ['open with another amount', { request_amount: 1 }, UNKNOWN],
    ['cancelled', { status: 'CANCELED' }, { result: 'closed' }],
    ['expired', { status: 'EXPIRED' }, { result: 'failed', failureCode: 'expired' }],
    ...['USER_DECLINED_PAYMENT', 'INSUFFICIENT_BALANCE', 'PAYMENT_AMOUNT_LIMITS_EXCEEDED'].map(
      (failure_code): [string, object, object] => [
        failure_code,
        { status: 'FAILED', failure_code },
        { result: 'failed', failureCode: 'declined' },
      ],
    ),
    [
      'failed',
      { status: 'FAILED', failure_code: 'CHANNEL_UNAVAILABLE' },
      { failureCode: 'processing_failed' },
    ],
    [
      'too late',
      { status: 'FAILED', failure_code: 'PAYMENT_REQUEST_EXPIRED' },
      { failureCode: 'expired' },
    ],
    ['a new status', { status: 'PAUSED' }, UNKNOWN],
    [
      'another order',
      { reference_id: 'other', status: 'SUCCEEDED', latest_payment_id: PAID },
      UNKNOWN,
    ],
    [
      'another request',
      { payment_request_id: 'pr-other', status: 'SUCCEEDED', latest_payment_id: PAID },
      UNKNOWN,
    ],
  ];
  const order = orderOf(chargeFor(), REFERENCE);
  for (const [name, changes, answer] of cases) {
    say({ [GET]: standing(changes) });
    t.match(await xendit.inquirePayment(order, signal), answer, name);
  }
  for (const [name, reply] of Object.entries(
    doubts({ ...open, status: 'SUCCEEDED', latest_payment_id: PAID }),
  )) {
    say({ [GET]: reply });
    const answer = { ...UNKNOWN, ...(name === 'not found' ? { isAbsent: true } : {}) };
    t.same(await xendit.inquirePayment(order, signal), answer, name);
  }
  say({});
  t.same(await xendit.inquirePayment(orderOf(chargeFor()), signal), UNKNOWN);
  t.equal(asked.length, 0, 'without its reference an order cannot be found');
});

/** Payments store years of four digits. */
const FAR = '+012026-01-01T00:00:00.000Z';

t.test('an inquiry of an ended order reads its latest payment', async (t) => {
  const order = orderOf(chargeFor(), REFERENCE);
  const captured = {
    ...(fixture('webhook') as { data: object }).data,
    payment_id: PAID,
    reference_id: ORDER,
  };
  const answers: [name: string, payment: object, answer: object][] = [
    [
      'a payment with money',
      { body: captured },
      {
        result: 'settled',
        settlement: {
          railTransactionId: PAID,
          amountMinor: 10_000n,
          settledAtMs: Date.parse('2025-02-09T06:50:18.927Z'),
        },
      },
    ],
    [
      'a payment without money',
      { body: { ...captured, status: 'FAILED' } },
      { result: 'failed', failureCode: 'expired' },
    ],
    [
      'a payment of less than requested',
      { body: { ...captured, captures: [{ capture_amount: 7 }] } },
      { settlement: { amountMinor: 7n, settledAtMs: null } },
    ],
    [
      'a payment without a time',
      { body: { ...captured, captures: [{ capture_amount: 7, capture_timestamp: null }] } },
      { settlement: { amountMinor: 7n, settledAtMs: null } },
    ],
    [
      'a payment at a time that no payment has',
      { body: { ...captured, captures: [{ capture_amount: 7, capture_timestamp: FAR }] } },
      { settlement: { amountMinor: 7n, settledAtMs: null } },
    ],
    [
      'a payment in another currency',
      { body: { ...captured, currency: 'USD' } },
      { settlement: { currency: 'USD' } },
    ],
    ['it does not say how much', { body: { ...captured, captures: [] } }, UNKNOWN],
    [
      'an amount that is not understood',
      { body: { ...captured, captures: [{ capture_amount: 7.5 }] } },
      UNKNOWN,
    ],
    ['of another order', { body: { ...captured, reference_id: 'other' } }, UNKNOWN],
    ['nobody knows', error(404, 'DATA_NOT_FOUND'), UNKNOWN],
  ];
  for (const [name, payment, answer] of answers) {
    const unpaid = 'failureCode' in answer;
    const ends = {
      EXPIRED: answer,
      CANCELED: unpaid ? { result: 'closed' } : answer,
      FAILED: unpaid ? { result: 'failed', failureCode: 'processing_failed' } : answer,
    };
    for (const [status, due] of Object.entries(ends)) {
      const over = standing({ status, latest_payment_id: PAID });
      say({ [GET]: over, [GET_PAYMENT]: payment as never });
      t.match(await xendit.inquirePayment(order, signal), due, `${status}: ${name}`);
    }
    // Of a request that is paid only its payment says what was paid.
    const succeeded = standing({ status: 'SUCCEEDED', latest_payment_id: PAID });
    say({ [GET]: succeeded, [GET_PAYMENT]: payment as never });
    t.match(await xendit.inquirePayment(order, signal), unpaid ? UNKNOWN : answer, `paid: ${name}`);
    const known = orderOf(chargeFor(), PAID);
    say({ [GET_PAYMENT]: payment as never });
    t.match(
      await xendit.inquirePayment(known, signal),
      unpaid ? UNKNOWN : answer,
      `by itself: ${name}`,
    );
  }
});

t.test('a close answers by the status of the order', async (t) => {
  const CANCEL = `POST /v3/payment_requests/${REFERENCE}/cancel`;
  const inactive = error(400, 'INACTIVE_PAYMENT_REQUEST');
  const { data } = fixture('webhook') as { data: object };
  const paid = { body: { ...data, payment_id: PAID, reference_id: ORDER } };
  const cases: [closing: object, found: object, answer: object][] = [
    [standing({ status: 'CANCELED' }), { status: 'CANCELED' }, { result: 'closed' }],
    [inactive, { status: 'EXPIRED' }, { result: 'closed' }],
    [
      inactive,
      { status: 'SUCCEEDED', latest_payment_id: PAID },
      { result: 'settled', settlement: { railTransactionId: PAID } },
    ],
    [inactive, { status: 'REQUIRES_ACTION' }, { result: 'refused' }],
    [error(404, 'DATA_NOT_FOUND'), { status: 'REQUIRES_ACTION' }, UNKNOWN],
    [standing({ status: 'CANCELED' }), { status: 'REQUIRES_ACTION' }, UNKNOWN],
  ];
  for (const [closing, found, answer] of cases) {
    say({ [CANCEL]: closing as never, [GET]: standing(found), [GET_PAYMENT]: paid });
    t.match(await xendit.close(closeOf(chargeFor(), REFERENCE), signal), answer);
  }
  t.same(await xendit.close(closeOf(chargeFor()), signal), UNKNOWN, 'without a reference');
});
