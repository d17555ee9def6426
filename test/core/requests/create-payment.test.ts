import fc from 'fast-check';
import t from 'tap';
import {
  isValidationError,
  parseCreateRequest,
  type PaymentRequestError,
} from '#actors/core/requests/create-payment.js';
import { REQUEST } from '../payment/samples.js';

const BODY = {
  amount: '150000',
  currency: 'IDR',
  description: 'Two shirts',
  reference_id: 'ord_1',
  customer_name: 'Siti',
  customer_email: 'siti@example.com',
  customer_phone: '+62 812 3456 7890',
  success_url: 'https://shop.example/done',
  cancel_url: 'https://shop.example/cancel',
  metadata: { cart: '17' },
  expires_in: 3600,
};
const CARD = '4111 1111 1111 1111';

function findError(body: unknown): PaymentRequestError | null {
  const parsed = parseCreateRequest(body);
  return isValidationError(parsed) ? parsed : null;
}

t.test('a body with all fields is parsed', (t) => {
  t.strictSame(parseCreateRequest(BODY), REQUEST);
  t.end();
});

t.test('a body with an amount only is parsed, without leading zeros', (t) => {
  t.strictSame(parseCreateRequest({ amount: '00150000' }), {
    amountMinor: 150_000n,
    currency: 'IDR',
    description: null,
    referenceId: null,
    paymentMethod: null,
    customerName: null,
    customerEmail: null,
    customerPhone: null,
    successUrl: null,
    cancelUrl: null,
    metadata: {},
    expiresInS: null,
  });
  t.end();
});

/** Each body has the amount 150000 unless it sets another. */
const FAULTS: readonly (readonly [object, string, string | null])[] = [
  [{ amount: undefined }, 'amount_invalid', 'amount'],
  [{ amount: 150_000 }, 'amount_invalid', 'amount'],
  [{ amount: '12.5' }, 'amount_invalid', 'amount'],
  [{ amount: '1'.repeat(16) }, 'amount_invalid', 'amount'],
  [{ amount: null }, 'amount_invalid', 'amount'],
  [{ amount: '0' }, 'amount_out_of_range', 'amount'],
  [{ amount: '10000001', payment_method: 'QRIS' }, 'amount_out_of_range', 'amount'],
  [{ amount: '9999', payment_method: 'VA_BCA' }, 'amount_out_of_range', 'amount'],
  [{ amount: '50000000001' }, 'amount_out_of_range', 'amount'],
  [{ currency: 'USD' }, 'currency_unsupported', 'currency'],
  [{ currency: 'idr' }, 'currency_unsupported', 'currency'],
  [{ currency: 360 }, 'field_invalid', 'currency'],
  [{ payment_method: 'CASH' }, 'payment_method_unavailable', 'payment_method'],
  [{ payment_method: 'toString' }, 'payment_method_unavailable', 'payment_method'],
  [{ payment_method: 1 }, 'field_invalid', 'payment_method'],
  [{ descriptio: 'x' }, 'body_invalid', 'descriptio'],
  [{ pan: '4111' }, 'body_invalid', 'pan'],
  [{ cvv: '123' }, 'body_invalid', 'cvv'],
  [{ [CARD]: 'x' }, 'body_invalid', null],
  [{ ['x'.repeat(201)]: 'x' }, 'body_invalid', null],
  [{ 'a/b~c': 'x' }, 'body_invalid', 'a/b~c'],
  [{ description: null }, 'field_invalid', 'description'],
  [{ description: 'x'.repeat(501) }, 'field_invalid', 'description'],
  [{ description: '😀'.repeat(501) }, 'field_invalid', 'description'],
  [{ description: 'a\u0000b' }, 'field_invalid', 'description'],
  [{ description: 'a\ud800b' }, 'field_invalid', 'description'],
  [{ description: `card ${CARD}` }, 'card_data_refused', 'description'],
  [{ reference_id: 'x'.repeat(129) }, 'field_invalid', 'reference_id'],
  [{ reference_id: CARD }, 'card_data_refused', 'reference_id'],
  [{ customer_name: 'x'.repeat(129) }, 'field_invalid', 'customer_name'],
  [{ customer_name: CARD }, 'card_data_refused', 'customer_name'],
  [{ customer_email: `${'x'.repeat(245)}@a.example` }, 'field_invalid', 'customer_email'],
  [{ customer_email: 'siti' }, 'field_invalid', 'customer_email'],
  [{ customer_email: 'a b@c' }, 'field_invalid', 'customer_email'],
  [{ customer_email: 'a@b@c' }, 'field_invalid', 'customer_email'],
  ...[
    'a@b',
    'a@1.2.3.4',
    'v1,victim@x.example',
    'a@x.example,victim@x.example',
    'a@x.example;b@x.example',
    'Siti <siti@x.example>',
    'siti(a comment)@x.example',
    '"a b"@x.example',
    'victim%x.example@y.example',
    'x.example!victim@y.example',
    '.siti@x.example',
    'siti..s@x.example',
    'siti@x..example',
    'siti@-x.example',
    'siti@x.example\r\nBcc: b@x.example',
    'sitı@x.example',
  ].map((email) => [{ customer_email: email }, 'field_invalid', 'customer_email'] as const),
  [{ customer_email: 'a\u0000@b' }, 'field_invalid', 'customer_email'],
  [{ customer_email: '4111111111111111@b.example' }, 'card_data_refused', 'customer_email'],
  [{ customer_phone: '1'.repeat(33) }, 'field_invalid', 'customer_phone'],
  [{ customer_phone: '4111111111111111' }, 'field_invalid', 'customer_phone'],
  [{ customer_phone: '378282246310005' }, 'card_data_refused', 'customer_phone'],
  [{ success_url: 'https://shop.example/?c=4111111111111111' }, 'card_data_refused', 'success_url'],
  [{ metadata: { cvv: '123' } }, 'card_data_refused', 'metadata.cvv'],
  [{ customer_phone: '12' }, 'field_invalid', 'customer_phone'],
  [{ customer_phone: 'home' }, 'field_invalid', 'customer_phone'],
  [{ customer_phone: '+62+812' }, 'field_invalid', 'customer_phone'],
  [{ success_url: 'http://shop.example/' }, 'url_invalid', 'success_url'],
  [{ success_url: 'http://localhost.shop.example/' }, 'url_invalid', 'success_url'],
  [{ success_url: 'http://10.0.0.7/' }, 'url_invalid', 'success_url'],
  [{ success_url: 'http://user@localhost:3000/' }, 'url_invalid', 'success_url'],
  [{ success_url: 7 }, 'url_invalid', 'success_url'],
  [{ success_url: '' }, 'url_invalid', 'success_url'],
  [{ success_url: '/done' }, 'url_invalid', 'success_url'],
  [{ success_url: 'https://' }, 'url_invalid', 'success_url'],
  [{ success_url: 'javascript:alert(1)' }, 'url_invalid', 'success_url'],
  [{ success_url: 'https://user@shop.example/' }, 'url_invalid', 'success_url'],
  [{ success_url: 'https://:secret@shop.example/' }, 'url_invalid', 'success_url'],
  [{ success_url: 'https://shop.example/a b' }, 'url_invalid', 'success_url'],
  [{ success_url: 'https:\\\\shop.example/' }, 'url_invalid', 'success_url'],
  [{ success_url: 'https://shop.example/\ud800' }, 'url_invalid', 'success_url'],
  [{ cancel_url: `https://shop.example/${'x'.repeat(2030)}` }, 'url_invalid', 'cancel_url'],
  [{ cancel_url: `https://shop.example/${'é'.repeat(400)}` }, 'url_invalid', 'cancel_url'],
  [{ cancel_url: 'ftp://shop.example/' }, 'url_invalid', 'cancel_url'],
  [{ metadata: 'x' }, 'field_invalid', 'metadata'],
  [{ metadata: ['x'] }, 'field_invalid', 'metadata'],
  [{ metadata: { a: 1 } }, 'field_invalid', 'metadata.a'],
  [{ metadata: { a: 'x'.repeat(501) } }, 'field_invalid', 'metadata.a'],
  [{ metadata: { a: '\u0000' } }, 'field_invalid', 'metadata.a'],
  [{ metadata: { a: CARD } }, 'card_data_refused', 'metadata.a'],
  [{ metadata: { [CARD]: 'a' } }, 'card_data_refused', 'metadata'],
  [{ metadata: { '': 'a' } }, 'field_invalid', 'metadata'],
  [{ metadata: { ['x'.repeat(129)]: 'a' } }, 'field_invalid', 'metadata'],
  [{ metadata: { 'a\u0000': 'a' } }, 'field_invalid', 'metadata'],
  [{ metadata: { 'a\nb': 1 } }, 'field_invalid', 'metadata.a b'],
  [{ expires_in: 59 }, 'field_invalid', 'expires_in'],
  [{ expires_in: 604_801 }, 'field_invalid', 'expires_in'],
  [{ expires_in: 60.5 }, 'field_invalid', 'expires_in'],
  [{ expires_in: '60' }, 'field_invalid', 'expires_in'],
];

/** Texts as people copy them from a chat, a PDF or a list of contacts, and as they are kept; null: the field is absent. */
const COPIED: readonly (readonly [field: string, sent: string, kept: string | null])[] = [
  ['customer_phone', '+62 812\u20113456\u20117890', '+62 812-3456-7890'],
  ['customer_phone', '+62\u00a0812\u00a03456', '+62 812 3456'],
  ['customer_phone', '\u202a+62 812 3456\u202c', '+62 812 3456'],
  ['customer_phone', '0812\u200b3456', '08123456'],
  ['customer_phone', ' 0812\t3456\n', '08123456'],
  ['customer_phone', '\uff0b\uff16\uff12 812', '+62 812'],
  ['customer_phone', `${'\u200b'.repeat(33)}0812`, '0812'],
  ['customer_phone', ' ', null],
  ['customer_phone', '', null],
  ['customer_email', 'siti@example.com ', 'siti@example.com'],
  ['customer_email', '\u00a0siti@example.com\r\n', 'siti@example.com'],
  ['customer_email', 'siti\u200b@example.com', 'siti@example.com'],
  ['customer_email', '', null],
  ['customer_name', 'Si\u200bti\u202e', 'Siti'],
  ['customer_name', '\u200b', null],
  ['customer_name', '', ''],
  ['description', 'Two\u0007 shirts\nand a hat', 'Two shirts and a hat'],
  ['description', `${'\u200b'.repeat(501)}Two shirts`, 'Two shirts'],
  ['reference_id', '\ufefford_1\n', 'ord_1'],
  ['success_url', ' https://shop.example/do\u200bne\n', 'https://shop.example/done'],
  ['cancel_url', '\u200b', null],
];

t.test('hidden characters of a text are removed, and never the reason to refuse a payment', (t) => {
  for (const [field, sent, kept] of COPIED) {
    const copied = { amount: '150000', [field]: sent };
    const clean = { amount: '150000', ...(kept === null ? {} : { [field]: kept }) };
    const title = `${field} ${JSON.stringify(sent).slice(0, 60)}`;
    t.notOk(isValidationError(parseCreateRequest(clean)), title);
    t.strictSame(parseCreateRequest(copied), parseCreateRequest(clean), title);
  }
  const metadata = { 'ca\u200brt': '1\u202e7', '\u200b': 'of no name', note: 'a\nb' };
  t.match(parseCreateRequest({ amount: '1', metadata }), { metadata: { cart: '17', note: 'a b' } });
  t.match(findError({ amount: '1', description: '4111 1111\u200b 1111 1111' }), {
    code: 'card_data_refused',
    param: 'description',
  });
  t.end();
});

t.test('an invalid body has the code and the field of its first error', (t) => {
  for (const [fields, code, param] of FAULTS) {
    const body: unknown = { amount: '150000', ...fields };
    t.match(findError(body), { code, param }, JSON.stringify(fields).slice(0, 80));
  }
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  t.match(findError({ amount: '1', metadata: entries(21) }), {
    code: 'field_invalid',
    param: 'metadata',
  });
  t.equal(findError({ amount: '1', metadata: entries(20) }), null);
  for (const body of [null, [], 'x', 5, true, undefined]) {
    const error = { code: 'body_invalid', param: null, message: /^The body must be an object/ };
    t.match(findError(body), error, JSON.stringify(body));
  }
  t.end();
});

t.test('an error message names the allowed values and does not repeat the value', (t) => {
  const cases: readonly [fields: object, message: string | RegExp][] = [
    [{ expires_in: 59 }, 'expires_in must be a whole number from 60 to 604800.'],
    [{ description: 'x'.repeat(501) }, 'description must be a string of at most 500 characters.'],
    [{ metadata: { '': 'a' } }, 'metadata must have names of 1 to 128 characters.'],
    [{ metadata: { a: 1 } }, 'metadata.a must be a string of at most 500 characters.'],
    [{ amount: 1 }, 'amount must be a string of 1 to 15 digits, in minor units, such as "150000".'],
    [
      { amount: '9999', payment_method: 'VA_BCA' },
      'amount must be from 10000 to 50000000 for VA_BCA.',
    ],
    [
      { amount: '0' },
      'amount must be from 1 to 50000000000; GET /v1/payment-methods lists the range of each method.',
    ],
    [{ descriptio: 'x' }, /There is no field descriptio here\. The fields are amount, currency/],
    [{ success_url: 7 }, /success_url must be an https:\/\/ URL/],
    [
      { customer_email: 'siti' },
      'customer_email must be one e-mail address of at most 254 characters, such as budi@example.com.',
    ],
    [
      { customer_phone: 'home' },
      'customer_phone must have 3 to 15 digits and at most 32 characters, with spaces and any of + ( ) . - / among the digits.',
    ],
  ];
  for (const [fields, message] of cases) {
    t.match((findError({ amount: '1', ...fields }) as PaymentRequestError).message, message);
  }
  t.end();
});

t.test('a field named __proto__ is treated like any other', (t) => {
  const body: unknown = JSON.parse('{"amount":"1","__proto__":{"currency":"USD"}}');
  t.match(findError(body), { code: 'body_invalid', param: '__proto__' });
  const parsed = parseCreateRequest(JSON.parse('{"amount":"1","metadata":{"__proto__":"x"}}'));
  t.notOk(isValidationError(parsed));
  t.equal(JSON.stringify(isValidationError(parsed) ? null : parsed.metadata), '{"__proto__":"x"}');
  t.end();
});

t.test('values at the limits are accepted', (t) => {
  const fine = [
    { description: 'x'.repeat(500) },
    { description: '😀'.repeat(500) },
    { description: '' },
    { reference_id: 'x'.repeat(128) },
    { customer_phone: '(0812) 3456-7890' },
    { customer_phone: '+123456789012345' },
    { success_url: 'HTTPS://shop.example:8443/a?b=c#d' },
    { success_url: 'http://localhost:3000/thanks' },
    { success_url: 'http://127.0.0.1:3000/' },
    { cancel_url: 'http://[::1]:3000/cart' },
    { success_url: 'https://toko.example/terima-kasih/é' },
    { cancel_url: `https://shop.example/${'x'.repeat(2027)}` },
    { metadata: { ['x'.repeat(128)]: '😀'.repeat(500) } },
    { expires_in: 60 },
    { expires_in: 604_800 },
    { payment_method: 'VA', amount: '50000000000' },
    { payment_method: 'QRIS', amount: '10000000' },
    { currency: 'IDR' },
  ];
  for (const fields of fine) {
    t.equal(findError({ amount: '150000', ...fields }), null, JSON.stringify(fields).slice(0, 60));
  }
  t.end();
});

t.test('any JSON is parsed or rejected without an exception', (t) => {
  const field = fc.constantFrom(...Object.keys(BODY), 'payment_method', 'x');
  const body = fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constant('1500')));
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), body), (value) => {
      const parsed = parseCreateRequest(value);
      return isValidationError(parsed) ? parsed.code !== undefined : parsed.amountMinor > 0n;
    }),
    { numRuns: 2000 },
  );
  t.end();
});
