import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import {
  formatMerchantAccount,
  formatPlatformSuspense,
  formatRailAccount,
} from '#actors/core/ledger/accounts.js';
import { transfer } from '#actors/core/ledger/postings.js';
import { makeMinor } from '#actors/core/money.js';

const merchantId = makeId('mer', new Uint8Array(16));

t.test('each account has a key of its own', (t) => {
  const keys = [
    formatMerchantAccount('merchant_available', merchantId, 'TEST', 'IDR'),
    formatMerchantAccount('merchant_available', merchantId, 'LIVE', 'IDR'),
    formatMerchantAccount('merchant_pending', merchantId, 'LIVE', 'IDR'),
    formatMerchantAccount('suspense', merchantId, 'LIVE', 'IDR'),
    formatMerchantAccount('suspense', merchantId, 'LIVE', 'USD'),
    formatRailAccount('rail_clearing', 'midtrans', 'LIVE', 'IDR'),
    formatRailAccount('rail_clearing', 'xendit', 'LIVE', 'IDR'),
    formatRailAccount('fees', 'xendit', 'LIVE', 'IDR'),
    formatPlatformSuspense('LIVE', 'IDR'),
    formatPlatformSuspense('TEST', 'IDR'),
  ];
  t.equal(new Set(keys).size, keys.length);
  t.equal(keys[0], `merchant_available:${merchantId}:TEST:IDR`);
  t.equal(keys[5], 'rail_clearing:midtrans:LIVE:IDR');
  t.equal(keys[8], 'platform_suspense:LIVE:IDR');
  t.end();
});

t.test('a transfer is one posting, and nothing is none', (t) => {
  const of = (amount: bigint) =>
    transfer('a', 'b', { amountMinor: makeMinor(amount), currency: 'IDR' }, 'payment_paid');
  t.strictSame(of(5n), [
    { debit: 'a', credit: 'b', amountMinor: 5n, currency: 'IDR', reason: 'payment_paid' },
  ]);
  t.same(of(0n), []);
  t.same(of(-5n), []);
  t.end();
});
