import t from 'tap';
import { fingerprintRequest, isSameRequest } from '#actors/core/payment/create.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import { isRejectedAsFirst } from '#actors/core/payment/create.js';
import { NO_EFFECTS } from '#actors/core/payment/slice.js';
import { makeMinor } from '#actors/core/money.js';
import { given, paymentAfter, START_MS, tell } from '#test/support/given-when-then.js';
import { create, MERCHANT_ID, ORDER_1, PAYMENT_ID, REQUEST } from './samples.js';

const CREATED_MS = START_MS + 1000;

t.test('TEST: pending at once, with an order at the sandbox', (t) => {
  const command = create('TEST', { paymentMethod: 'QRIS' });
  const { state, effects } = given([]).when(command).then('created', 'payment_created');
  t.strictSame(state, {
    id: PAYMENT_ID,
    version: 1,
    merchantId: MERCHANT_ID,
    environment: 'TEST',
    status: 'pending',
    request: { ...REQUEST, paymentMethod: 'QRIS' },
    fingerprint: command.fingerprint,
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
  t.equal(effects[0], NO_EFFECTS, 'nothing else to write');
  t.end();
});

t.test('TEST: an order also while the customer has not chosen', (t) => {
  for (const paymentMethod of [null, 'VA'] as const) {
    const state = paymentAfter(tell(create('TEST', { paymentMethod })));
    t.equal(state.attempts[0]?.method, null, String(paymentMethod));
    t.equal(state.attempts[0]?.orderId, ORDER_1);
  }
  t.end();
});

t.test('LIVE with a method: creating, and the first rail is asked', (t) => {
  const command = create('LIVE', { paymentMethod: 'QRIS' }, ['xendit', 'midtrans']);
  const { state, effects } = given([]).when(command).then('waiting', 'payment_created');
  t.equal(state?.status, 'creating');
  t.equal(state?.attempts[0]?.status, 'charging');
  t.same(state?.nextRails, ['midtrans'], 'the other is kept for a refusal');
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

t.test('LIVE without a method to charge: pending, no rail is asked', (t) => {
  for (const paymentMethod of [null, 'VA'] as const) {
    const command = create('LIVE', { paymentMethod });
    const { state, effects } = given([]).when(command).then('created', 'payment_created');
    t.equal(state?.status, 'pending');
    t.same(state?.attempts, []);
    t.equal(effects[0], NO_EFFECTS);
  }
  t.end();
});

t.test('LIVE: a method that no rail has, or only the sandbox, leaves no payment', (t) => {
  for (const rails of [[], ['sandbox'], ['midtrans', 'sandbox']] as const) {
    given([])
      .when(create('LIVE', { paymentMethod: 'QRIS' }, rails))
      .then('payment_method_unavailable');
  }
  t.end();
});

t.test(
  'which creates are refused as the first of their payment, and as its repeat are not',
  (t) => {
    const live = create('LIVE', { paymentMethod: 'QRIS' }, ['midtrans']);
    const repeat = create('LIVE', { paymentMethod: 'QRIS' }, []);
    t.ok(isRejectedAsFirst(repeat));
    t.notOk(isRejectedAsFirst(live));
    t.notOk(isRejectedAsFirst(create('LIVE', { paymentMethod: null }, [])));
    t.notOk(isRejectedAsFirst(create('TEST', { paymentMethod: 'QRIS' }, [])));
    given(tell(live)).when(repeat).then('waiting');
    t.end();
  },
);

t.test('it expires when the merchant says, else when its method does', (t) => {
  const expiresInS = (changes: Partial<PaymentRequest>) =>
    (paymentAfter(tell(create('TEST', changes))).expiresAtMs - CREATED_MS) / 1000;
  t.equal(expiresInS({ expiresInS: 60 }), 60);
  t.equal(expiresInS({ expiresInS: null, paymentMethod: 'QRIS' }), 900);
  t.equal(expiresInS({ expiresInS: null, paymentMethod: 'VA_BNI' }), 86_400);
  t.equal(expiresInS({ expiresInS: null, paymentMethod: null }), 86_400);
  t.end();
});

t.test('the fingerprint', (t) => {
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
  t.equal(new Set([print, ...prints]).size, differing.length + 1, 'each field counts');
  t.equal(
    fingerprintRequest({ ...bare, metadata: { a: '1', b: '2' } }),
    fingerprintRequest({ ...bare, metadata: { b: '2', a: '1' } }),
    'the order of metadata does not',
  );
  t.end();
});

t.test('a field at its default is as good as absent', (t) => {
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

t.test('fingerprints are compared in the format of the stored one', (t) => {
  const command = create('TEST');
  t.ok(isSameRequest(command.fingerprint, command));
  t.ok(isSameRequest(command.fingerprint, { ...command, fingerprint: '2:of-a-later-gateway' }));
  const other = create('TEST', { description: 'Three shirts' });
  t.notOk(isSameRequest(command.fingerprint, other));
  t.notOk(isSameRequest(command.fingerprint, { ...other, fingerprint: '2:of-a-later-gateway' }));
  t.notOk(isSameRequest('9:of-a-format-that-is-not-known', command));
  t.end();
});

t.test('the fingerprint of format 1 is fixed for ever', (t) => {
  t.equal(fingerprintRequest({ ...REQUEST, expiresInS: null }), '1:CiuM_wFJS9968V2ctvnpzS');
  t.end();
});
