import fc from 'fast-check';
import t from 'tap';
import {
  addMinor,
  formatAmount,
  isCurrency,
  parseAmount,
  subtractMinor,
  makeMinor,
  ZERO_MINOR,
} from '#actors/core/money.js';

t.test('amounts of requests', (t) => {
  const cases: readonly (readonly [string, bigint | string])[] = [
    ['1', 1n],
    ['150000', 150_000n],
    ['000150000', 150_000n],
    ['999999999999999', 999_999_999_999_999n],
    ['9007199254740993', 'amount_invalid'],
    ['0', 'amount_out_of_range'],
    ['000000000000000', 'amount_out_of_range'],
    ['0000000000000000', 'amount_invalid'],
    ['', 'amount_invalid'],
    ['-1', 'amount_invalid'],
    ['+1', 'amount_invalid'],
    ['1.0', 'amount_invalid'],
    ['1e3', 'amount_invalid'],
    [' 1', 'amount_invalid'],
    ['1\n', 'amount_invalid'],
    ['0x10', 'amount_invalid'],
    ['１２', 'amount_invalid'],
    ['1_000', 'amount_invalid'],
  ];
  for (const [text, expected] of cases) t.equal(parseAmount(text), expected, JSON.stringify(text));
  t.end();
});

t.test('no amount loses a digit', (t) => {
  fc.assert(
    fc.property(fc.bigInt(1n, 999_999_999_999_999n), (amount) => {
      return parseAmount(formatAmount(amount)) === amount;
    }),
  );
  t.equal(formatAmount(-5n), '-5');
  t.equal(formatAmount(ZERO_MINOR), '0');
  t.equal(addMinor(makeMinor(5n), makeMinor(7n)), 12n);
  t.equal(subtractMinor(makeMinor(5n), makeMinor(7n)), -2n);
  t.end();
});

t.test('currencies', (t) => {
  t.ok(isCurrency('IDR'));
  for (const text of ['USD', 'idr', '', 'toString', '__proto__']) t.notOk(isCurrency(text), text);
  t.end();
});
