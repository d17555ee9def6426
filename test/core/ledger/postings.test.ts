import t from 'tap';
import { transfer } from '#actors/core/ledger/postings.js';
import { makeMinor } from '#actors/core/money.js';

t.test('a transfer is one posting, and none without an amount', (t) => {
  const of = (amount: bigint) =>
    transfer('a', 'b', { amountMinor: makeMinor(amount), currency: 'IDR' }, 'payment_paid');
  t.strictSame(of(5n), [
    { debit: 'a', credit: 'b', amountMinor: 5n, currency: 'IDR', reason: 'payment_paid' },
  ]);
  t.same(of(0n), []);
  t.same(of(-5n), []);
  t.end();
});
