import fc from 'fast-check';
import t from 'tap';
import { hasCardNumber } from '#actors/core/card-data.js';

/** Test numbers that networks and processors publish. */
const CARDS = {
  visa: '4111111111111111',
  'visa of 13': '4222222222222',
  mastercard: '5555555555554444',
  'mastercard of the 2 series': '2223003122003222',
  amex: '378282246310005',
  'amex 34': '343434343434343',
  diners: '30569309025904',
  'diners 36': '36227206271667',
  'diners 38': '38520000023237',
  discover: '6011111111111117',
  'discover 65': '6510000000000034',
  jcb: '3530111333300000',
  unionpay: '6200000000000005',
  'unionpay of 19': '6205500000000000004',
  maestro: '6759649826438453',
  'maestro 50': '5018000000000009',
  mir: '2200000000000004',
} as const;

t.test('a card number of each network is found', (t) => {
  for (const [network, number] of Object.entries(CARDS)) {
    t.ok(hasCardNumber(number), network);
    t.ok(hasCardNumber(`paid with ${number}, thanks`), `${network} in a sentence`);
  }
  t.end();
});

t.test('a card number is found in other scripts and with separators', (t) => {
  const texts = [
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111  1111 \t 1111\n1111',
    '4111\u00a01111\u20091111\u30001111',
    '4111\u20131111\u20141111\u22121111',
    '4111\u200b1111\u20601111\ufeff1111',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    '４１１１１１１１１１１１１１１１',
    '٤١١١ ١١١١ ١١١١ ١١١١',
    '४१११११११११११११११',
    '𝟒𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏𝟏',
    '④①①①①①①①①①①①①①①①',
    '411١1１111111111１',
    'card:4111111111111111.',
    'x4111111111111111x',
    'order 12, 4111 1111 1111 1111',
    '12 4111111111111111 34',
    '2026-08-02 4111111111111111',
    '5500-0055-5555-5559 or 4111-1111-1111-1111',
  ];
  for (const text of texts) t.ok(hasCardNumber(text), JSON.stringify(text));
  t.end();
});

t.test('other numbers are not found', (t) => {
  const texts = [
    '',
    'Two shirts',
    '+62 812-3456-7890',
    '4111111111111112',
    '41111111111111111',
    '411111111111111',
    '04111111111111111',
    '0000000000000000',
    '9999999999999995',
    '7992739871300000',
    '1111111111111117',
    '20260802101530123',
    '1785665730123',
    '550e8400-e29b-41d4-a716-446655440000',
    '4111 1111 a 1111 1111',
    '4111.1111.1111.1111',
    'é'.repeat(40),
    '१२३',
    '34 3434 3434 3434 34',
  ];
  for (const text of texts) t.notOk(hasCardNumber(text), JSON.stringify(text));
  t.end();
});

function withCheckDigit(start: string): string {
  const luhn = (digits: string) =>
    [...digits].reverse().reduce((sum, digit, index) => {
      const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
      return sum + (value > 9 ? value - 9 : value);
    }, 0);
  return start + String((10 - (luhn(`${start}0`) % 10)) % 10);
}

t.test('every valid Visa or Mastercard number is found, and none with a wrong digit', (t) => {
  const digits = (length: number) =>
    fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length });
  fc.assert(
    fc.property(fc.constantFrom('4', '51', '55', '2221', '2720'), digits(15), (prefix, rest) => {
      const number = withCheckDigit((prefix + rest.join('')).slice(0, 15));
      return hasCardNumber(number);
    }),
  );
  fc.assert(
    fc.property(digits(14), fc.nat({ max: 15 }), fc.integer({ min: 1, max: 9 }), (rest, at, by) => {
      const number = withCheckDigit(`4${rest.join('')}`);
      const wrong = (Number(number.charAt(at)) + by) % 10;
      return !hasCardNumber(number.slice(0, at) + String(wrong) + number.slice(at + 1));
    }),
  );
  t.end();
});

t.test('any text is checked without an exception', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      return typeof hasCardNumber(text) === 'boolean';
    }),
  );
  t.notOk(hasCardNumber('\ud835'.repeat(20)));
  t.end();
});
