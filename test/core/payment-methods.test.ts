import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import {
  findChargeableMethod,
  findDefaultExpiresInS,
  isAmountWithinRange,
  isChoiceOpen,
  isPaymentMethodId,
  isRefundable,
  PAYMENT_METHOD_IDS,
  PAYMENT_METHODS,
  type PaymentMethodId,
} from '#actors/core/payment-methods.js';
import { viewPaymentMethod } from '#actors/core/schemas/payment-method.js';

t.test('the listing of QRIS is the contract’s example', (t) => {
  t.strictSame(viewPaymentMethod('QRIS', 'LIVE'), {
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
  t.end();
});

t.test('ids', (t) => {
  t.same([...PAYMENT_METHOD_IDS].sort(), Object.keys(PAYMENT_METHODS).sort());
  for (const id of PAYMENT_METHOD_IDS) t.ok(isPaymentMethodId(id));
  for (const id of ['qris', 'VA_CIMB', '', 'toString']) t.notOk(isPaymentMethodId(id), id);
  t.equal(findChargeableMethod('VA'), null, 'the bank is still to be picked');
  t.equal(findChargeableMethod(null), null);
  t.equal(findChargeableMethod('VA_BCA'), 'VA_BCA');
  t.end();
});

t.test('limits', (t) => {
  const limits: readonly (readonly [PaymentMethodId | null, bigint, bigint])[] = [
    ['QRIS', 1n, 10_000_000n],
    ['VA_BCA', 10_000n, 50_000_000n],
    ['VA_BNI', 1n, 50_000_000_000n],
    ['VA_BRI', 1n, 20_000_000_000n],
    ['VA_MANDIRI', 1n, 50_000_000_000n],
    ['VA_PERMATA', 1n, 9_999_999_999n],
    ['VA', 1n, 50_000_000_000n],
    [null, 1n, 50_000_000_000n],
  ];
  for (const [method, min, max] of limits) {
    const isWithin = (amount: bigint) => isAmountWithinRange(makeMinor(amount), method);
    t.same(
      [isWithin(min - 1n), isWithin(min), isWithin(max), isWithin(max + 1n)],
      [false, true, true, false],
      String(method),
    );
  }
  t.end();
});

t.test('what a customer may choose', (t) => {
  t.ok(isChoiceOpen(null, 'QRIS'));
  t.ok(isChoiceOpen(null, 'VA_BNI'));
  t.ok(isChoiceOpen('VA', 'VA_BNI'));
  t.notOk(isChoiceOpen('VA', 'QRIS'));
  t.notOk(isChoiceOpen('VA_BCA', 'VA_BNI'));
  t.notOk(isChoiceOpen('QRIS', 'QRIS'), 'the merchant has chosen');
  t.end();
});

t.test('expiry and refunds', (t) => {
  t.equal(findDefaultExpiresInS('QRIS'), 900);
  t.equal(findDefaultExpiresInS('VA_BCA'), 86_400);
  t.equal(findDefaultExpiresInS(null), 86_400);
  t.ok(isRefundable('QRIS', 'LIVE'));
  t.notOk(isRefundable('VA_BCA', 'LIVE'), 'no virtual account has refunds');
  t.ok(isRefundable('VA_BCA', 'TEST'));
  t.end();
});
