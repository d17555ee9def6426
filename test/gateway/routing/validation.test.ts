import { Type } from '@sinclair/typebox';
import t from 'tap';
import { compileCheck } from '#gateway/routing/validation.js';
import { buildParsedBodySpec, buildQuerySpec } from '#gateway/routing/route.js';

const Body = Type.Object(
  {
    amount: Type.String({
      pattern: '^[0-9]+$',
      errorCode: 'amount_invalid',
      errorMessage: 'must be a string of digits',
    }),
    name: Type.Optional(Type.String({ maxLength: 3 })),
    mood: Type.Optional(
      Type.Union([Type.Literal('good'), Type.Literal('bad')], {
        errorMessage: 'must be good or bad',
      }),
    ),
    odd: Type.Optional(Type.Integer({ errorCode: 'no_such_code' })),
    metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { additionalProperties: false },
);
const check = compileCheck(Body);

t.test('a value that fits the schema is returned unchanged', (test) => {
  const value = { amount: '1', mood: 'good', metadata: { a: 'b' } };
  test.same(check(value), { value });
  test.end();
});

t.test('a value that does not fit gives the code, the field and what is allowed', (test) => {
  const cases: [value: unknown, code: string, param: string | undefined, message: RegExp][] = [
    [[], 'body_invalid', undefined, /^The body must be an object with the fields amount, name/],
    [null, 'body_invalid', undefined, /^The body must be an object/],
    [{}, 'amount_invalid', 'amount', /amount is required/],
    [{ amount: 5 }, 'amount_invalid', 'amount', /string of digits/],
    [{ amount: '5', pan: '4' }, 'body_invalid', 'pan', /no field pan/],
    [
      { amount: '5', name: 'long' },
      'field_invalid',
      'name',
      /^name must be a string of at most 3 characters\.$/,
    ],
    [{ amount: '5', mood: 'odd' }, 'field_invalid', 'mood', /^mood must be good or bad/],
    [{ amount: '5', odd: 'a' }, 'field_invalid', 'odd', /^odd must be a whole number\.$/],
    [{ amount: '5', metadata: { 'a/b~c': 1 } }, 'field_invalid', 'metadata.a/b~c', /./],
    [{ amount: '5', '4111 1111 1111 1111': 1 }, 'body_invalid', undefined, /^$/],
    [
      { amount: '5', ['\u001b[31m'.repeat(50)]: 1 },
      'body_invalid',
      '?[31m'.repeat(20).slice(0, 64),
      /./,
    ],
  ];
  for (const [value, code, param, message] of cases) {
    const checked = check(value);
    if (!('code' in checked)) return void test.fail(`${JSON.stringify(value)} was accepted`);
    test.equal(checked.code, code);
    test.equal(checked.details.param, param);
    test.match(checked.details.message ?? '', message);
  }
  test.end();
});

t.test('a body parser of the core replaces the schema check', (test) => {
  const spec = buildParsedBodySpec(Body, (value) =>
    value === 1 ? { parsed: true } : { code: 'url_invalid' as const, param: 'success_url' },
  );
  test.same(spec.check(1), { value: { parsed: true } });
  test.match(spec.check(2), { code: 'url_invalid', details: { param: 'success_url' } });
  const message = /^success_url must be an https:/;
  test.match(spec.check(2), { details: { message } }, 'the error table completes the message');
  test.end();
});

t.test('a query is checked against its schema', (test) => {
  const spec = buildQuerySpec(
    Type.Object(
      {
        limit: Type.Optional(Type.Integer({ maximum: 100 })),
        active: Type.Optional(Type.Boolean()),
      },
      { additionalProperties: false },
    ),
  );
  test.same(spec.check('limit=5&active=true'), { value: { limit: 5, active: true } });
  for (const text of ['a', '', '05', '5.0', '5e0', ' 5', '+5', '101', '1'.repeat(17)]) {
    const query = `limit=${encodeURIComponent(text)}`;
    test.match(spec.check(query), { code: 'field_invalid', details: { param: 'limit' } }, query);
  }
  test.match(spec.check('active=1'), { code: 'field_invalid', details: { param: 'active' } });
  test.match(spec.check('cursor=a'), { code: 'body_invalid', details: { param: 'cursor' } });
  test.match(spec.check('limit=1&limit=2'), { code: 'field_invalid' });
  test.end();
});
