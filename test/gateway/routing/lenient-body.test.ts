// Bodies as PHP's json_encode writes them: `[]` for an empty object, null for an absent field. Checked on each request
// schema of the route table, and on schemas that have every form of a field.
import { Type } from '@sinclair/typebox';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { normalizeBody } from '#gateway/routing/lenient-body.js';
import { buildBodySpec, buildParsedBodySpec, type Route } from '#gateway/routing/route.js';
import { generateValid, type Json } from '#test/flows/contract/arbitrary.js';
import { listRoutes } from '#test/support/routes.js';

const RUNS = 50;
const SEED = 20_260_802;

const Body = Type.Object(
  {
    name: Type.Optional(Type.String()),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    texts: Type.Optional(Type.Object({}, { additionalProperties: Type.String() })),
    reasons: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z]+$' }), Type.String())),
    place: Type.Optional(Type.Object({ tags: Type.Optional(Type.Object({})) })),
    list: Type.Optional(Type.Array(Type.Object({ data: Type.Optional(Type.Object({})) }))),
    either: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
    any: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

t.test('an empty array is an empty object where an object is allowed', (t) => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    [[], {}],
    [{ texts: [] }, { texts: {} }],
    [{ reasons: [] }, { reasons: {} }],
    [{ place: { tags: [] } }, { place: { tags: {} } }],
    [{ list: [{ data: [] }, {}] }, { list: [{ data: {} }, {}] }],
    [{ either: [] }, { either: {} }],
  ];
  for (const [sent, meant] of cases) t.same(normalizeBody(Body, sent), meant, JSON.stringify(sent));
  t.end();
});

t.test('null is an absent field, unless the schema allows null', (t) => {
  const cases: readonly (readonly [unknown, unknown])[] = [
    [{ name: null }, {}],
    [{ texts: { a: null, b: 'b' } }, { texts: { b: 'b' } }],
    [{ reasons: { a: null } }, { reasons: {} }],
    [{ place: { tags: null } }, { place: {} }],
    [{ list: [{ data: null }] }, { list: [{}] }],
  ];
  for (const [sent, meant] of cases) t.same(normalizeBody(Body, sent), meant, JSON.stringify(sent));
  t.end();
});

t.test('a body without such values stays the same value', (t) => {
  const same: readonly unknown[] = [
    {},
    { note: null, either: null, any: null },
    { list: [] },
    { list: [null] },
    { name: [] },
    { texts: [1] },
    { unknown: null },
    null,
    [1],
    'text',
  ];
  for (const value of same) t.equal(normalizeBody(Body, value), value, JSON.stringify(value));
  t.end();
});

t.test('a body that fits its schema is checked once, and is not walked', (t) => {
  let parses = 0;
  const spec = buildParsedBodySpec(Body, (value) => {
    parses += 1;
    return value as object;
  });
  const isWalked = (): never => t.fail('the body was walked') as never;
  const body = new Proxy({ name: 'a' }, { ownKeys: isWalked });
  spec.check(body);
  t.equal(parses, 1);
  t.end();
});

t.test('an error of a changed body is the error of the body without the field', (t) => {
  const spec = buildBodySpec(
    Type.Object({ name: Type.String(), at: Type.Optional(Type.String()) }),
  );
  t.same(spec.check({ at: null }), spec.check({}));
  t.same(spec.check({ name: null }), spec.check({}));
  t.same(spec.check({ name: 'a', at: null }), { value: { name: 'a' } });
  t.end();
});

interface Field {
  readonly path: readonly string[];
  readonly schema: Json;
}

/** The fields of objects, nested ones too; not those in lists, which the cases above show. */
function listFields(schema: Json, path: readonly string[] = []): Field[] {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return properties.flatMap(([name, property]) => {
    const inner = [...path, name];
    return [{ path: inner, schema: property }, ...listFields(property, inner)];
  });
}

/** `value` with `field` at the path; undefined: without the field. */
function withField(value: unknown, [name = '', ...rest]: readonly string[], field: unknown): Json {
  const { [name]: old, ...others } = (value ?? {}) as Json;
  if (rest.length > 0) return { ...others, [name]: withField(old, rest, field) };
  return field === undefined ? others : { ...others, [name]: field };
}

const isNullAllowed = ({ anyOf }: Json): boolean =>
  ((anyOf ?? []) as Json[]).some(({ type }) => type === 'null');
const resolve = (): never => {
  throw new Error('a request schema has no references');
};

function checkRoute(t: Test, { body }: Route): number {
  if (body === undefined) return 0;
  const schema = body.schema as unknown as Json;
  const samples = fc.sample(generateValid(schema, resolve), { numRuns: RUNS, seed: SEED });
  let cases = 0;
  for (const { path, schema: property } of listFields(schema)) {
    const isObject = property['type'] === 'object';
    for (const sample of samples) {
      if (property['refusesNull'] === true) {
        t.match(body.check(withField(sample, path, null)), { code: String }, path.join('.'));
        cases += 1;
      } else if (!isNullAllowed(property)) {
        const without = body.check(withField(sample, path, undefined));
        t.same(body.check(withField(sample, path, null)), without, path.join('.'));
        cases += 1;
      }
      if (isObject) {
        const empty = body.check(withField(sample, path, {}));
        t.same(body.check(withField(sample, path, [])), empty, path.join('.'));
        cases += 1;
      }
    }
  }
  t.same(body.check([]), body.check({}));
  return cases;
}

const routes = listRoutes().filter(({ body }) => body !== undefined);
t.ok(routes.length > 30, `${routes.length} routes have a body`);
for (const route of routes) {
  t.test(`${route.method} ${route.path} takes [] for {} and null for an absent field`, (t) => {
    t.ok(checkRoute(t, route) > 0);
    t.end();
  });
}
