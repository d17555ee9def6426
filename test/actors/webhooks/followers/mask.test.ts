// Masking of API-log bodies. Harmless bodies skip the masking of each string; both ways must give the same result.
import fc from 'fast-check';
import t from 'tap';
import { maskBody } from '#actors/webhooks/followers/api-log-mask.js';

const words = fc.oneof(
  fc.constantFrom(
    '4111 1111 1111 1111',
    'card 4111-1111-1111-1111',
    'sk_test_abc',
    'key sk_live_x1',
    'whsec_abc=',
    'cs_1',
    'plain',
    'a\nb',
    '"',
    '١',
    '',
  ),
  fc.string(),
  fc.integer().map((number) => String(number)),
);
const names = fc.oneof(
  fc.constantFrom('customer_name', 'token', 'data', 'amount', '__proto__', '4111111111111111'),
  fc.string(),
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('body'), { maxLength: 3 }),
    fc
      .array(fc.tuple(names, tie('body')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries) as unknown),
  ),
}));

function maskedWith(beside: string, of: unknown): string {
  const { text } = maskBody(JSON.stringify({ of, beside }));
  const masked = JSON.parse(text ?? '') as { readonly of: unknown };
  return JSON.stringify(masked.of);
}

t.test('a body is masked alike with and without the check of each string', (t) => {
  fc.assert(
    fc.property(body, (of) => {
      // A letter beyond ASCII makes maskBody check every string.
      return maskedWith('e', of) === maskedWith('é', of);
    }),
    { numRuns: 2_000 },
  );
  t.end();
});

t.test('a harmless body is masked as text wherever a masked field has a text or null', (t) => {
  const cases = [
    ['{"token":"x","a":"token"}', '{"token":"[masked]","a":"token"}'],
    ['{ "token" : "x" , "n" : 1 }', '{ "token" : "[masked]" , "n" : 1 }'],
    [
      '{"of":[{"secret":"a"},{"secret":""}]}',
      '{"of":[{"secret":"[masked]"},{"secret":"[masked]"}]}',
    ],
    ['{"token":"a","token":"b"}', '{"token":"[masked]","token":"[masked]"}'],
    ['{"token":null,"tokens":"y","x token":"z"}', '{"token":null,"tokens":"y","x token":"z"}'],
    ['{"data":{"id":"x"}}', '{"data":{"id":"x"}}'],
    ['"token"', '"token"'],
    ['["token","secret: x"]', '["token","secret: x"]'],
  ] as const;
  for (const [text, expected] of cases) {
    t.equal(maskBody(text).text, expected);
    t.strictSame(maskBody(text).value, JSON.parse(text), 'the subject is searched in the fields');
  }
  t.end();
});

t.test(
  'a harmless body with another value in a masked field, or a page of a list, is rebuilt',
  (t) => {
    const cases = [
      ['{"token": 1}', '{"token":"[masked]"}'],
      ['{"token" :  false}', '{"token":"[masked]"}'],
      ['{"token": {"of":"x"}}', '{"token":"[masked]"}'],
      ['{"token":[["x"]],"secret":"y"}', '{"token":"[masked]","secret":"[masked]"}'],
      ['{"data" : ["x"],"next_cursor":null}', '{"data":"[1 objects]","next_cursor":null}'],
      ['{"of":{"data":[]}}', '{"of":{"data":"[0 objects]"}}'],
    ] as const;
    for (const [text, expected] of cases) t.equal(maskBody(text).text, expected);
    t.end();
  },
);

t.test(
  'credentials, card numbers and customer fields are masked, and text that is not JSON is replaced',
  (t) => {
    const stored = maskBody(
      JSON.stringify({
        description: 'paid with 4111 1111 1111 1111',
        note: 'sk_test_abc and whsec_def',
        token: { of: ['x'] },
        customer_name: 'Budi',
        deep: [{ account_number: '12', sk_live_key: 'a' }],
      }),
    ).text;
    t.strictSame(JSON.parse(stored ?? ''), {
      description: '[masked]',
      note: 'sk_test_[masked] and whsec_[masked]',
      token: '[masked]',
      customer_name: '[masked]',
      deep: [{ account_number: '[masked]', 'sk_live_[masked]': 'a' }],
    });
    t.equal(maskBody('{"token":').text, '"[no JSON]"');
    t.equal(maskBody('').text, null);
    t.end();
  },
);
