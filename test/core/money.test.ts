import fc from 'fast-check';
import t from 'tap';
import {
  addMinor,
  formatAmount,
  formatMoney,
  isCurrency,
  parseAmount,
  subtractMinor,
  makeMinor,
  ZERO_MINOR,
} from '#actors/core/money.js';

t.test('an amount of 1 to 15 digits above zero is parsed, others are rejected', (t) => {
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

t.test('amounts are written in one style, with a space that does not break', (t) => {
  const cases = [
    ['0', 'Rp\u00a00'],
    ['999', 'Rp\u00a0999'],
    ['2275000', 'Rp\u00a02.275.000'],
    ['9999999999999', 'Rp\u00a09.999.999.999.999'],
    ['-2275000', '−Rp\u00a02.275.000'],
    ['1,5', 'Rp\u00a01,5'],
  ] as const;
  for (const [minor, expected] of cases) t.equal(formatMoney(minor, 'IDR'), expected, minor);
  t.equal(formatMoney('500', 'USD'), 'USD\u00a0500', 'a currency of a later version');
  t.end();
});

t.test('every amount is formatted and parsed without loss', (t) => {
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

t.test('only listed codes are currencies', (t) => {
  t.ok(isCurrency('IDR'));
  for (const text of ['USD', 'idr', '', 'toString', '__proto__']) t.notOk(isCurrency(text), text);
  t.end();
});
