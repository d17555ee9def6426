import t from 'tap';
import { makeId } from '#actors/core/ids.js';
import {
  formatMerchantAccount,
  formatPlatformSuspense,
  formatRailAccount,
  isMerchantAccount,
} from '#actors/core/ledger/accounts.js';

const merchantId = makeId('mer', new Uint8Array(16));

t.test('each account has a name of its own', (t) => {
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

t.test('the accounts of merchants are told from those of the platform', (t) => {
  t.ok(isMerchantAccount(formatMerchantAccount('suspense', merchantId, 'LIVE', 'IDR')));
  t.notOk(isMerchantAccount(formatPlatformSuspense('LIVE', 'IDR')));
  t.notOk(isMerchantAccount(formatRailAccount('rail_clearing', 'midtrans', 'LIVE', 'IDR')));
  t.end();
});
