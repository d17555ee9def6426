import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { parseJson } from '#gateway/routing/json.js';

const parse = (text: string): ReturnType<typeof parseJson> => parseJson(Buffer.from(text));
const findCode = (text: string): string | undefined => {
  const parsed = parse(text);
  return 'code' in parsed ? parsed.code : undefined;
};

t.test('JSON with one meaning is parsed as by JSON.parse', (test) => {
  const isUsual = (value: unknown): boolean =>
    !/__proto__|\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value));
  const measureDepth = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map(measureDepth))
      : 0;
  fc.assert(
    fc.property(fc.json({ maxDepth: 8, stringUnit: 'binary' }), (text) => {
      const value: unknown = JSON.parse(text);
      if (!isUsual(value) || measureDepth(value) > 16) return;
      deepEqual(parse(text), { value });
    }),
    { numRuns: 500 },
  );
  test.end();
});

t.test('text that JSON.parse rejects is body_invalid', (test) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0a1 tn-') }), (text) => {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      if (!isJson) equal(findCode(text), 'body_invalid', text);
    }),
    { numRuns: 2000 },
  );
  test.end();
});

t.test('a duplicate field name is body_invalid at any depth', (test) => {
  const once = [
    '{"a":{"b":"1"},"c":[{"b":1},{"b":2}]}',
    '{"a":":","b":"\\":\\\\"}',
    '{"\\\\":1,"\\"":2}',
  ];
  for (const text of once) test.equal(findCode(text), undefined, text);
  const twice = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":1}',
    '{"x":[0,{"a":1,"b":2,"a":3}]}',
    '{"a":{"b":":"},"a":2}',
    '{"":1,"":2}',
  ];
  for (const text of twice) test.equal(findCode(text), 'body_invalid', text);
  test.end();
});

t.test('nesting beyond 16 levels is body_invalid', (test) => {
  const nest = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  test.equal(findCode(nest(16)), undefined);
  test.equal(findCode(nest(17)), 'body_invalid');
  test.equal(findCode('{"a":'.repeat(17) + '1' + '}'.repeat(17)), 'body_invalid');
  test.equal(findCode(`"${'['.repeat(100)}"`), undefined, 'brackets in strings do not count');
  test.end();
});

t.test('__proto__ is body_invalid; U+0000 and lone surrogates are field_invalid', (test) => {
  test.equal(findCode('{"__proto__":1}'), 'body_invalid');
  test.equal(findCode('[{"a":{"\\u005f_proto__":1}}]'), 'body_invalid');
  test.equal(findCode('"\\u0000"'), 'field_invalid');
  test.equal(findCode('["\\ud83d"]'), 'field_invalid');
  test.equal(findCode('{"\\udc00":1}'), 'field_invalid');
  test.equal(findCode('"\\ud83d\\ude00 😀 é"'), undefined);
  test.match(parse('{"a":{"b":["\\u0000"]}}'), { details: { param: 'a.b' } });
  test.end();
});

t.test('bytes that are not UTF-8 are body_invalid', (test) => {
  for (const bytes of [
    [0xff],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xe2, 0x82],
  ]) {
    const parsed = parseJson(
      Buffer.concat([Buffer.from('"'), Buffer.from(bytes), Buffer.from('"')]),
    );
    test.match(parsed, { code: 'body_invalid' });
  }
  test.end();
});
