import fc from 'fast-check';
import t from 'tap';
import {
  hasCardData,
  hasCardDataInUrl,
  isCardAsPhone,
  mayHoldCardData,
  mayHoldCardDataInUrl,
} from '#actors/core/card-data.js';
import { findCardInPhone, findCardInUrl } from '#actors/core/requests/validation.js';
import { createRandom } from '#test/support/load/random.js';

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
    t.ok(hasCardData(number), network);
    t.ok(hasCardData(`paid with ${number}, thanks`), `${network} in a sentence`);
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
    '4111.1111.1111.1111',
    '4111/1111/1111/1111',
    '4111_1111_1111_1111',
    '4111, 1111, 1111, 1111',
    '4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1',
    '3782.822463.10005',
    '2026/08/02 4111 1111 1111 1111',
    '４１１１．１１１１．１１１１．１１１１',
    'Visa 4111111111111111 Budi',
    'order 12, 4111 1111 1111 1111',
    '12 4111111111111111 34',
    '2026-08-02 4111111111111111',
    '5500-0055-5555-5559 or 4111-1111-1111-1111',
    'VISA-4111 1111 1111 1111',
    'VISA4111 1111 1111 1111',
    'INV-2026/4111 1111 1111 1111',
    'ＶＩＳＡ-４１１１ １１１１ １１１１ １１１１',
    'visa/4111.1111.1111.1111',
    'AMEX-3782 822463 10005',
    'x-4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    '4111 1111 1111 1111-VISA',
    '4111-1111 1111 1111abc',
  ];
  for (const text of texts) t.ok(hasCardData(text), JSON.stringify(text));
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
    '41.11.11.11.11.11.11.11',
    '4.000.000, 45.000.001',
    '4,111,111,111,111,111',
    'é'.repeat(40),
    '१२३',
    '34 3434 3434 3434 34',
    'INV-2026-4111111111111111 1',
    'INV-2026-0001 4111 1111',
    '4111 1111 VISA-1111 1111',
    '9b7b4111 1111 1111 1111',
    'b9d7bee7-ce12-46d4-8584-411111111111 1111',
  ];
  for (const text of texts) t.notOk(hasCardData(text), JSON.stringify(text));
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
      return hasCardData(number);
    }),
  );
  fc.assert(
    fc.property(digits(14), fc.nat({ max: 15 }), fc.integer({ min: 1, max: 9 }), (rest, at, by) => {
      const number = withCheckDigit(`4${rest.join('')}`);
      const wrong = (Number(number.charAt(at)) + by) % 10;
      return !hasCardData(number.slice(0, at) + String(wrong) + number.slice(at + 1));
    }),
  );
  t.end();
});

t.test('any text is checked without an exception', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      return typeof hasCardData(text) === 'boolean';
    }),
  );
  t.notOk(hasCardData('\ud835'.repeat(20)));
  t.end();
});

t.test('a log masks a card number inside an identifier too', (t) => {
  for (const text of ['x4111111111111111x', 'INV-2026-4111111111111111', 'CVV 123']) {
    t.ok(mayHoldCardData(text), text);
  }
  t.notOk(hasCardData('x4111111111111111x'));
  t.ok(mayHoldCardDataInUrl('/v1/payments/x4111111111111111'));
  t.ok(mayHoldCardData('CVV １２３'));
  t.notOk(mayHoldCardData('INV-2026-0001'));
  t.end();
});

t.test('the security code of a card is found beside its name', (t) => {
  const texts = [
    'CVV 123',
    'cvv2:1234',
    'my cvc is on the back, CVC=123',
    'Kode keamanan kartu: 321',
    'CVV １２３',
    'ＣＶＶ: 123',
    'CVC ١٢٣',
    'cvv_123',
  ];
  for (const text of texts) t.ok(hasCardData(text), text);
  for (const text of ['CVV', 'CVV 12', 'CVV 12345', 'mcvv 123', 'order 123', 'CID 1234']) {
    t.notOk(hasCardData(text), text);
  }
  t.end();
});

t.test('a card number in a part of an address is found', (t) => {
  const found = [
    'https://shop.example/done?pan=4111111111111111',
    'https://shop.example/pay/4111111111111111/done',
    'https://shop.example/?c=4111+1111+1111+1111',
    'https://shop.example/?c=4111%201111%201111%201111&x=1',
    'https://shop.example/#4111-1111-1111-1111',
    'https://shop.example/?cvv%20123',
    'https://shop.example/?order=1&cvv=123',
    'https://shop.example/?card=VISA-4111+1111+1111+1111',
    '/v1/payments?reference_id=%34111111111111111',
    '%zz?a=4111111111111111',
  ];
  for (const url of found) t.ok(hasCardDataInUrl(url), url);
  const others = [
    'https://shop.example/done?order=b9d7bee7-ce12-46d4-8584-53302694f151',
    'https://shop.example/INV-2026-4111111111111111',
    'https://shop.example/4111/1111/1111/1111',
    '%zz',
  ];
  for (const url of others) t.notOk(hasCardDataInUrl(url), url);
  t.end();
});

t.test('a card number is told from a telephone number', (t) => {
  for (const card of [
    '378282246310005',
    '3782 822463 10005',
    '+378282246310005',
    '4222222222222',
  ]) {
    t.ok(isCardAsPhone(card), card);
  }
  // Valid as Visa numbers of 13 digits, and German telephone numbers.
  for (const phone of ['+4915123456787', '+62 812 3456 7890', '0812-3456-7890', '112']) {
    t.notOk(isCardAsPhone(phone), phone);
  }
  t.end();
});

/** Identifiers that merchants send as references; 10,000,000 of them were checked by hand. */
const IDENTIFIERS: Readonly<Record<string, (random: () => number) => string>> = {
  uuid: (random) => {
    const hex = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  },
  ulid: (random) =>
    Array.from(
      { length: 26 },
      () => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[Math.floor(random() * 32)] ?? '',
    ).join(''),
  'epoch ms': (random) => String(1_600_000_000_000 + Math.floor(random() * 400_000_000_000)),
  'epoch µs': (random) => String(1_600_000_000_000_000 + Math.floor(random() * 4e14)),
  snowflake: (random) => String(10n ** 18n + BigInt(Math.floor(random() * 2 ** 52)) * 195n),
  invoice: (random) => `INV-2026-${digitsOf(random, 16)}`,
  'invoice with slashes': (random) => `INV/20260802/MPL/${digitsOf(random, 10)}`,
  'invoice of a day': (random) => `2026-08-02-${digitsOf(random, 8)}`,
  'numbered order': (random) => `ORDER_${digitsOf(random, 16)}`,
  'uuid and a number': (random) => `${IDENTIFIERS['uuid']?.(random) ?? ''} ${digitsOf(random, 6)}`,
  'invoice and a date': (random) => `INV-${digitsOf(random, 8)} 2026-08-02`,
  'tax invoice': (random) => `010.0${digitsOf(random, 2)}-26.${digitsOf(random, 8)}`,
};

function digitsOf(random: () => number, count: number): string {
  return Array.from({ length: count }, () => Math.floor(random() * 10)).join('');
}

t.test('no identifier of the usual forms is taken for a card number', (t) => {
  t.notOk(hasCardData('b9d7bee7-ce12-46d4-8584-53302694f151'));
  const random = createRandom(20261122);
  const perKind = Number(process.env['KASIR_IDENTIFIERS'] ?? 100_000) / 10;
  for (const [kind, make] of Object.entries(IDENTIFIERS)) {
    const found: string[] = [];
    for (let count = 0; count < perKind; count += 1) {
      const identifier = make(random);
      if (hasCardData(identifier)) found.push(identifier);
    }
    t.strictSame(found, [], kind);
  }
  t.end();
});

t.test('the card checks of URLs and telephone numbers refuse what cannot be stored', (t) => {
  t.equal(findCardInUrl('https://shop.example/?pan=4111111111111111'), 'card_data_refused');
  t.equal(findCardInUrl('http://10.0.0.1/hook'), null);
  t.equal(findCardInUrl('https://shop.example/\0'), 'field_invalid');
  t.equal(findCardInPhone('3782 822463 10005'), 'card_data_refused');
  t.equal(findCardInPhone('+62 812 3456 7890'), null);
  t.equal(findCardInPhone('0812\ud835'), 'field_invalid');
  t.end();
});
