import t from 'tap';
import { newId } from '#actors/core/ids.js';
import { merchantAccount, platformSuspense, railAccount } from '#actors/core/ledger/accounts.js';
import { transfer } from '#actors/core/ledger/postings.js';
import { toMinor } from '#actors/core/money.js';

const merchantId = newId('mer', new Uint8Array(16));

t.test('each account has a key of its own', (t) => {
  const keys = [
    merchantAccount('merchant_available', merchantId, 'TEST', 'IDR'),
    merchantAccount('merchant_available', merchantId, 'LIVE', 'IDR'),
    merchantAccount('merchant_pending', merchantId, 'LIVE', 'IDR'),
    merchantAccount('suspense', merchantId, 'LIVE', 'IDR'),
    merchantAccount('suspense', merchantId, 'LIVE', 'USD'),
    railAccount('rail_clearing', 'midtrans', 'LIVE', 'IDR'),
    railAccount('rail_clearing', 'xendit', 'LIVE', 'IDR'),
    railAccount('fees', 'xendit', 'LIVE', 'IDR'),
    platformSuspense('LIVE', 'IDR'),
    platformSuspense('TEST', 'IDR'),
  ];
  t.equal(new Set(keys).size, keys.length);
  t.equal(keys[0], `merchant_available:${merchantId}:TEST:IDR`);
  t.equal(keys[5], 'rail_clearing:midtrans:LIVE:IDR');
  t.equal(keys[8], 'platform_suspense:LIVE:IDR');
  t.end();
});

t.test('a transfer is one posting, and nothing is none', (t) => {
  const of = (amount: bigint) =>
    transfer('a', 'b', { amountMinor: toMinor(amount), currency: 'IDR' }, 'payment_paid');
  t.strictSame(of(5n), [
    { debit: 'a', credit: 'b', amountMinor: 5n, currency: 'IDR', reason: 'payment_paid' },
  ]);
  t.same(of(0n), []);
  t.same(of(-5n), []);
  t.end();
});
