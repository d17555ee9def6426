import t from 'tap';
import { fingerprintRequest, isSameRequest } from '#actors/core/payment/create.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import { isRejectedAsFirst } from '#actors/core/payment/create.js';
import { NO_EFFECTS } from '#actors/core/payment/slice.js';
import { makeMinor } from '#actors/core/money.js';
import { given, paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import { create, MERCHANT_ID, ORDER_1, PAYMENT_ID, REQUEST } from './samples.js';

const CREATED_MS = START_MS + 1000;

t.test('a TEST create makes a pending payment with an order at the sandbox', (t) => {
  const command = create('TEST', { paymentMethod: 'QRIS' });
  const { state, effects } = given([]).when(command).then('created', 'payment_created');
  t.strictSame(state, {
    id: PAYMENT_ID,
    version: 1,
    merchantId: MERCHANT_ID,
    environment: 'TEST',
    status: 'pending',
    request: { ...REQUEST, paymentMethod: 'QRIS' },
    fingerprint: null,
    attempts: [
      {
        number: 1,
        orderId: ORDER_1,
        rail: 'sandbox',
        method: 'QRIS',
        status: 'open',
        isUnconfirmed: false,
        railReference: null,
        instructions: null,
      },
    ],
    nextRails: [],
    railTransactions: [],
    refunds: [],
    cancelRequest: null,
    expiryRequestedAtMs: null,
    methodChange: null,
    capture: null,
    failureCode: null,
    isLate: false,
    createdAtMs: CREATED_MS,
    expiresAtMs: CREATED_MS + 3600 * 1000,
    paidAtMs: null,
    failedAtMs: null,
    cancelledAtMs: null,
    refundedAtMs: null,
    erasedAtMs: null,
  });
  t.equal(effects[0], NO_EFFECTS, 'the shared value');
  t.end();
});

t.test('a TEST create without a method has an order too', (t) => {
  for (const paymentMethod of [null, 'VA'] as const) {
    const state = paymentAfter(tell(create('TEST', { paymentMethod })));
    t.equal(state.attempts[0]?.method, null, String(paymentMethod));
    t.equal(state.attempts[0]?.orderId, ORDER_1);
  }
  t.end();
});

t.test('a LIVE create with a method is creating and calls the first rail', (t) => {
  const command = create('LIVE', { paymentMethod: 'QRIS' }, ['xendit', 'midtrans']);
  const { state, effects } = given([]).when(command).then('waiting', 'payment_created');
  t.equal(state?.status, 'creating');
  t.equal(state?.attempts[0]?.status, 'charging');
  t.same(state?.nextRails, ['midtrans'], 'kept for a refusal');
  t.strictSame(effects, [
    {
      ...NO_EFFECTS,
      railCalls: [
        {
          id: `call_${PAYMENT_ID.slice(4)}000100`,
          paymentId: PAYMENT_ID,
          rail: 'xendit',
          orderId: ORDER_1,
          operation: 'charge',
          method: 'QRIS',
          amountMinor: 150_000n,
          currency: 'IDR',
          expiresAtMs: CREATED_MS + 3600 * 1000,
        },
      ],
    },
  ]);
  t.end();
});

t.test('a LIVE create without a chargeable method is pending and calls no rail', (t) => {
  for (const paymentMethod of [null, 'VA'] as const) {
    const command = create('LIVE', { paymentMethod });
    const { state, effects } = given([]).when(command).then('created', 'payment_created');
    t.equal(state?.status, 'pending');
    t.same(state?.attempts, []);
    t.equal(effects[0], NO_EFFECTS);
  }
  t.end();
});

t.test('a LIVE create for a method without a LIVE rail is payment_method_unavailable', (t) => {
  for (const rails of [[], ['sandbox'], ['midtrans', 'sandbox']] as const) {
    given([])
      .when(create('LIVE', { paymentMethod: 'QRIS' }, rails))
      .then('payment_method_unavailable');
  }
  t.end();
});

t.test('a create without a rail is rejected as the first, not as a repeat', (t) => {
  const live = create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans']);
  const repeat = create('LIVE', { paymentMethod: 'QRIS' }, []);
  t.ok(isRejectedAsFirst(repeat));
  t.notOk(isRejectedAsFirst(live));
  t.notOk(isRejectedAsFirst(create('LIVE', { paymentMethod: null }, [])));
  t.notOk(isRejectedAsFirst(create('TEST', { paymentMethod: 'QRIS' }, [])));
  given(tell(live)).when(repeat).then('waiting');
  t.end();
});

t.test('the expiry is the request’s, else the method’s default', (t) => {
  const expiresInS = (changes: Partial<PaymentRequest>) =>
    (paymentAfter(tell(create('TEST', changes))).expiresAtMs - CREATED_MS) / 1000;
  t.equal(expiresInS({ expiresInS: 60 }), 60);
  t.equal(expiresInS({ expiresInS: null, paymentMethod: 'QRIS' }), 900);
  t.equal(expiresInS({ expiresInS: null, paymentMethod: 'VA_BNI' }), 86_400);
  t.equal(expiresInS({ expiresInS: null, paymentMethod: null }), 86_400);
  t.end();
});

t.test('a fingerprint is equal for equal fields and differs with each field', (t) => {
  const bare: PaymentRequest = { ...REQUEST, expiresInS: null, metadata: {} };
  const print = fingerprintRequest(bare);
  t.match(print, /^1:[A-Za-z0-9_-]{22}$/);
  t.equal(fingerprintRequest({ ...bare }), print);
  const differing: readonly Partial<PaymentRequest>[] = [
    { amountMinor: makeMinor(150_001n) },
    { description: null },
    { description: '' },
    { referenceId: 'ord_2' },
    { referenceId: null },
    { currency: 'USD' as never },
    { paymentMethod: 'VA' },
    { customerName: null },
    { customerEmail: null },
    { customerPhone: null },
    { successUrl: null },
    { cancelUrl: null },
    { metadata: { a: '1' } },
    { expiresInS: 3600 },
    { description: REQUEST.referenceId, referenceId: REQUEST.description },
  ];
  const prints = differing.map((changes) => fingerprintRequest({ ...bare, ...changes }));
  t.equal(new Set([print, ...prints]).size, differing.length + 1, 'each field changes it');
  t.equal(
    fingerprintRequest({ ...bare, metadata: { a: '1', b: '2' } }),
    fingerprintRequest({ ...bare, metadata: { b: '2', a: '1' } }),
    'the order of metadata does not',
  );
  t.end();
});

t.test('a URL is stored in its normal form, and a repeat may have another form', (t) => {
  const sent = { successUrl: 'https:Shop.example', cancelUrl: null } as const;
  const normal = { ...REQUEST, ...sent, successUrl: 'https://shop.example/' };
  const asSent: PaymentRequest = { ...REQUEST, ...sent };
  const { request } = paymentAfter(tell(create('TEST', sent)));
  t.strictSame(request, normal);
  // An older payment has its URL as it was sent, and so has the fingerprint of one that was erased.
  for (const stored of [normal, asSent]) {
    const erased = { request: REQUEST, fingerprint: fingerprintRequest(stored) };
    t.ok(isSameRequest({ request: stored, fingerprint: null }, asSent));
    t.ok(isSameRequest({ request: stored, fingerprint: null }, normal));
    t.ok(isSameRequest(erased, asSent));
    const other = { ...normal, successUrl: 'https://shop.example/x' };
    t.notOk(isSameRequest({ request: stored, fingerprint: null }, other));
    t.notOk(isSameRequest(erased, other));
  }
  const odd = { successUrl: 'shop', cancelUrl: 'https:shop.example' };
  const { request: kept } = paymentAfter(tell(create('TEST', odd)));
  t.match(kept, { successUrl: 'shop', cancelUrl: 'https://shop.example/' });
  t.end();
});

t.test('a field at its default has the fingerprint of an absent field', (t) => {
  const same = (paymentMethod: PaymentRequest['paymentMethod'], expiresInS: number) =>
    fingerprintRequest({ ...REQUEST, paymentMethod, expiresInS }) ===
    fingerprintRequest({ ...REQUEST, paymentMethod, expiresInS: null });
  t.ok(same('QRIS', 900));
  t.ok(same('VA_BCA', 86_400));
  t.ok(same(null, 86_400));
  t.notOk(same('QRIS', 86_400));
  t.notOk(same('VA_BCA', 900));
  t.end();
});

t.test('a repeat is compared with the request, and after its erasure with the fingerprint', (t) => {
  const { request } = create('TEST');
  const other = create('TEST', { description: 'Three shirts' }).request;
  const written = { ...request, expiresInS: null };
  for (const fingerprint of [null, fingerprintRequest(request)]) {
    t.ok(isSameRequest({ request, fingerprint }, { ...request }));
    t.notOk(isSameRequest({ request, fingerprint }, other));
    t.notOk(isSameRequest({ request, fingerprint }, written));
  }
  t.notOk(isSameRequest({ request, fingerprint: '9:of-a-format-that-is-not-known' }, request));
  t.end();
});

t.test('the fingerprint of format 1 never changes', (t) => {
  t.equal(fingerprintRequest({ ...REQUEST, expiresInS: null }), '1:CiuM_wFJS9968V2ctvnpzS');
  t.end();
});
