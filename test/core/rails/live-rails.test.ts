import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import {
  findMaxExpiresInS,
  isOfferedLive,
  type RailOffer,
  selectRails,
} from '#actors/core/rails/live-rails.js';

const offer = (rail: RailName, method: ChargeableMethod, max = 1_000n): RailOffer => ({
  rail,
  method,
  minAmountMinor: makeMinor(10n),
  maxAmountMinor: makeMinor(max),
  maxExpiresInS: rail === 'xendit' ? 100 : 200,
});

t.test('a method is offered when a rail offers it', (t) => {
  const offers = [offer('midtrans', 'VA_BNI')];
  t.ok(isOfferedLive('VA_BNI', offers));
  t.ok(isOfferedLive('VA', offers), 'through one of its banks');
  t.notOk(isOfferedLive('QRIS', offers));
  t.notOk(isOfferedLive('VA_BCA', offers));
  t.notOk(isOfferedLive('VA', [offer('midtrans', 'QRIS')]), 'QRIS is not a bank');
  t.notOk(isOfferedLive('VA', []));
  t.end();
});

t.test('rails are selected in the order of the offers, or of the merchant’s route', (t) => {
  const offers = [
    offer('midtrans', 'QRIS'),
    offer('xendit', 'QRIS', 100n),
    offer('xendit', 'VA_BCA'),
  ];
  const rails = (amount: bigint, route?: readonly string[]) =>
    selectRails(
      offers,
      { method: 'QRIS', amountMinor: makeMinor(amount), expiresInS: null },
      route,
    );
  t.strictSame(rails(100n), ['midtrans', 'xendit']);
  t.strictSame(rails(101n), ['midtrans'], 'each rail has its own limits');
  t.strictSame(rails(9n), []);
  t.strictSame(rails(1_001n), []);
  t.strictSame(rails(100n, ['xendit', 'midtrans']), ['xendit', 'midtrans']);
  t.strictSame(rails(100n, ['xendit']), ['xendit']);
  t.strictSame(rails(100n, ['elsewhere']), []);
  t.end();
});

t.test('a rail that cannot keep an order open for long enough is not selected', (t) => {
  const offers = [offer('xendit', 'QRIS'), offer('midtrans', 'QRIS')];
  const rails = (expiresInS: number) =>
    selectRails(offers, { method: 'QRIS', amountMinor: makeMinor(10n), expiresInS });
  t.strictSame(rails(100), ['xendit', 'midtrans']);
  t.strictSame(rails(101), ['midtrans']);
  t.strictSame(rails(201), []);
  t.end();
});

t.test('the longest expiry is that of the rails that are configured for the method', (t) => {
  const offers = [
    offer('xendit', 'QRIS'),
    offer('midtrans', 'VA_BNI'),
    offer('xendit', 'VA_BNI'),
    offer('xendit', 'VA_BCA'),
  ];
  const none = new Map<string, readonly string[]>();
  const longest = ['QRIS', 'VA_BNI', 'VA_BCA', 'VA', null, 'VA_BRI'] as const;
  t.strictSame(
    longest.map((method) => findMaxExpiresInS(offers, method, none)),
    [100, 200, 100, 200, 200, null],
  );
  const own = new Map([['VA_BNI', ['xendit']]]);
  t.equal(findMaxExpiresInS(offers, 'VA', own), 100, 'a merchant’s own route counts');
  t.end();
});
