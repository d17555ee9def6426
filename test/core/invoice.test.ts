import fc from 'fast-check';
import t from 'tap';
import { computeTotal } from '#actors/core/invoice.js';

const item = (quantity: number, unitAmountMinor: bigint) => ({
  description: 'Kopi',
  quantity,
  unitAmountMinor,
});

t.test('the total of an invoice', (t) => {
  t.equal(computeTotal([item(3, 15_000n), item(1, 0n), item(2, 1n)]), 45_002n);
  t.equal(computeTotal([item(1, 50_000_000_000n)]), 50_000_000_000n);
  t.equal(computeTotal([item(1, 50_000_000_001n)]), 'amount_out_of_range');
  t.equal(computeTotal([item(1_000_000, 999_999_999_999_999n)]), 'amount_out_of_range');
  t.equal(computeTotal([item(5, 0n)]), 'amount_out_of_range', 'nothing cannot be paid');
  t.equal(computeTotal([]), 'amount_out_of_range');
  t.end();
});

t.test('no order of the items changes it', (t) => {
  const items = fc.array(fc.tuple(fc.integer({ min: 1, max: 1_000 }), fc.bigInt(0n, 10_000n)), {
    maxLength: 20,
  });
  fc.assert(
    fc.property(items, (pairs) => {
      const rows = pairs.map(([quantity, unit]) => item(quantity, unit));
      return computeTotal(rows) === computeTotal(rows.toReversed());
    }),
  );
  t.end();
});
