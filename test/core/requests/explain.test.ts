// The sentences about fields: built from each keyword of a schema.
import { type TSchema, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import t from 'tap';
import { explainError, formatPath } from '#actors/core/requests/explain.js';

function explain(schema: TSchema, value: unknown): string {
  const error = TypeCompiler.Compile(schema).Errors(value).First();
  if (error === undefined) throw new Error(`${JSON.stringify(value)} fits the schema`);
  return explainError(error, formatPath(error));
}

const explainField = (schema: TSchema, value: unknown): string =>
  explain(Type.Object({ field: schema }), { field: value });

t.test('a sentence names the field and the allowed values', (t) => {
  const cases: readonly (readonly [schema: TSchema, value: unknown, allowed: string])[] = [
    [Type.String(), 1, 'a string'],
    [Type.String({ maxLength: 5 }), '123456', 'a string of at most 5 characters'],
    [Type.String({ minLength: 1 }), '', 'a string of at least 1 character'],
    [Type.String({ minLength: 2 }), '', 'a string of at least 2 characters'],
    [Type.String({ minLength: 1, maxLength: 5 }), '', 'a string of 1 to 5 characters'],
    [Type.String({ minLength: 5, maxLength: 5 }), '', 'a string of 5 characters'],
    [Type.String({ pattern: '^a$', examples: ['a'] }), 'b', 'a string such as "a"'],
    [Type.String({ enum: ['a', 'b'] }), 1, '"a" or "b"'],
    [Type.Literal('a'), 'b', '"a"'],
    [Type.Integer(), 'a', 'a whole number'],
    [Type.Integer({ minimum: 1, maximum: 9 }), 0, 'a whole number from 1 to 9'],
    [Type.Integer({ maximum: 9 }), 10, 'a whole number of at most 9'],
    [Type.Boolean(), 'a', 'true or false'],
    [Type.Null(), 'a', 'null'],
    [Type.Union([Type.Literal('a'), Type.Literal('b'), Type.Null()]), 1, '"a", "b" or null'],
    [Type.Array(Type.String()), 1, 'a list, each a string'],
    [
      Type.Array(Type.String(), { minItems: 1, maxItems: 3, uniqueItems: true }),
      ['a', 'a'],
      'a list of 1 to 3 different items, each a string',
    ],
    [Type.Record(Type.String({ pattern: '^a$' }), Type.Null()), 1, 'an object'],
    [Type.Object({}), 1, 'an object'],
    [Type.Object({ a: Type.Null() }), 1, 'an object with the field a'],
    [Type.Object({ a: Type.Null(), b: Type.Null() }), 1, 'an object with the fields a, b'],
    [
      Type.Object({}, { additionalProperties: Type.String(), maxProperties: 2 }),
      1,
      'an object of at most 2 fields, each a string',
    ],
    [Type.Object({}, { additionalProperties: Type.Boolean() }), 1, 'an object, each true or false'],
  ];
  for (const [schema, value, allowed] of cases) {
    t.equal(explainField(schema, value), `field must be ${allowed}.`);
  }
  t.end();
});

t.test('a schema may complete the sentence itself', (t) => {
  const schema = Type.String({ errorMessage: 'must be the name of a rail' });
  t.equal(explainField(schema, 1), 'field must be the name of a rail.');
  t.end();
});

t.test('a missing field, and a body that is no object', (t) => {
  const schema = Type.Object({ at: Type.Object({ amount: Type.String() }) });
  t.equal(explain(schema, { at: {} }), 'at.amount is required and must be a string.');
  t.equal(explain(schema, 1), 'The body must be an object with the field at.');
  t.end();
});

t.test('an unknown field: the known ones are named', (t) => {
  const closed = { additionalProperties: false };
  const at = Type.Object({ a: Type.Optional(Type.Null()), b: Type.Optional(Type.Null()) }, closed);
  const cases: readonly (readonly [TSchema, unknown, string])[] = [
    [at, { c: 1 }, 'There is no field c here. The fields are a, b.'],
    [
      Type.Object({ at }),
      { at: { c: 1 } },
      'There is no field at.c here. The fields of at are a, b.',
    ],
    [
      Type.Object({ a: Type.Optional(Type.Null()) }, closed),
      { c: 1 },
      'There is no field c here. The only field is a.',
    ],
    [Type.Object({}, closed), { c: 1 }, 'There is no field c here.'],
    [
      Type.Object({
        at: Type.Record(Type.String({ pattern: '^a$' }), Type.Null(), {
          ...closed,
          errorMessage: 'must have the name a',
        }),
      }),
      { at: { 'b/c': null } },
      'There is no field at.b/c here. at must have the name a.',
    ],
  ];
  for (const [schema, value, sentence] of cases) t.equal(explain(schema, value), sentence);
  t.end();
});
