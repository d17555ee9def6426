import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/answers.js';
import { isOfferedLive, type RailOffer, selectRails } from '#actors/core/rails/live-rails.js';

const offer = (rail: RailName, method: ChargeableMethod, max = 1_000n): RailOffer => ({
  rail,
  method,
  minAmountMinor: makeMinor(10n),
  maxAmountMinor: makeMinor(max),
});

t.test('a method is on offer where a rail has it', (t) => {
  const offers = [offer('midtrans', 'VA_BNI')];
  t.ok(isOfferedLive('VA_BNI', offers));
  t.ok(isOfferedLive('VA', offers), 'through one of its banks');
  t.notOk(isOfferedLive('QRIS', offers));
  t.notOk(isOfferedLive('VA_BCA', offers));
  t.notOk(isOfferedLive('VA', [offer('midtrans', 'QRIS')]), 'QRIS is no bank');
  t.notOk(isOfferedLive('VA', []));
  t.end();
});

t.test('rails are tried in the order of the offers, or of the merchant', (t) => {
  const offers = [
    offer('midtrans', 'QRIS'),
    offer('xendit', 'QRIS', 100n),
    offer('xendit', 'VA_BCA'),
  ];
  const rails = (amount: bigint, route?: readonly string[]) =>
    selectRails(offers, 'QRIS', makeMinor(amount), route);
  t.strictSame(rails(100n), ['midtrans', 'xendit']);
  t.strictSame(rails(101n), ['midtrans'], 'each takes its own amounts');
  t.strictSame(rails(9n), []);
  t.strictSame(rails(1_001n), []);
  t.strictSame(rails(100n, ['xendit', 'midtrans']), ['xendit', 'midtrans']);
  t.strictSame(rails(100n, ['xendit']), ['xendit']);
  t.strictSame(rails(100n, ['elsewhere']), []);
  t.end();
});
