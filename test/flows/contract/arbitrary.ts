// Generates values from JSON schemas: valid ones, and ones that are invalid in some way.
import fc from 'fast-check';

export type Json = Readonly<Record<string, unknown>>;

const MAX_TEXT = 40;
const MAX_NUMBER = 1_000_000;

/** `resolve` returns the schema that a reference names. */
export function generateValid(schema: Json, resolve: (ref: string) => Json): fc.Arbitrary<unknown> {
  if (typeof schema['$ref'] === 'string') return generateValid(resolve(schema['$ref']), resolve);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (Array.isArray(schema['anyOf'])) {
    return fc.oneof(...(schema['anyOf'] as Json[]).map((member) => generateValid(member, resolve)));
  }
  const examples = schema['examples'];
  const made = generateType(schema, resolve);
  return Array.isArray(examples)
    ? fc.oneof(made, fc.constantFrom(...(examples as unknown[])))
    : made;
}

function generateType(schema: Json, resolve: (ref: string) => Json): fc.Arbitrary<unknown> {
  switch (schema['type']) {
    case 'object':
      return generateObject(schema, resolve);
    case 'array':
      return fc.array(generateValid(schema['items'] as Json, resolve), { maxLength: 3 });
    case 'integer':
      return fc.integer({
        min: Number(schema['minimum'] ?? 0),
        max: Number(schema['maximum'] ?? MAX_NUMBER),
      });
    case 'boolean':
      return fc.boolean();
    case 'string':
      return generateText(schema);
    default:
      return fc.constant(null);
  }
}

function generateText(schema: Json): fc.Arbitrary<string> {
  if (typeof schema['pattern'] === 'string')
    return fc.stringMatching(new RegExp(schema['pattern']));
  const maxLength = Math.min(Number(schema['maxLength'] ?? MAX_TEXT), MAX_TEXT);
  return fc.string({ minLength: Number(schema['minLength'] ?? 0), maxLength });
}

function generateObject(schema: Json, resolve: (ref: string) => Json): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const requiredKeys = (schema['required'] ?? []) as string[];
  const entries = Object.entries(properties).map(
    ([name, property]) => [name, generateValid(property, resolve)] as const,
  );
  const additional = schema['additionalProperties'];
  if (entries.length === 0 && typeof additional === 'object' && additional !== null) {
    const value = generateValid(additional as Json, resolve);
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), value, { maxKeys: 3 });
  }
  return fc.record(Object.fromEntries(entries), { requiredKeys, noNullPrototype: true });
}

/** A value with a missing, additional or mistyped field, or no object at all. */
export function generateInvalid(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc
    .tuple(valid, fc.nat(), fc.jsonValue({ maxDepth: 2 }))
    .map(([value, at, other]) => {
      if (typeof value !== 'object' || value === null) return other;
      const names = Object.keys(value);
      const name = names[at % Math.max(names.length, 1)] ?? 'more';
      return { ...value, [name]: other };
    });
  const drop = fc.tuple(valid, fc.nat()).map(([value, at]) => {
    const entries = Object.entries(value as object);
    return Object.fromEntries(
      entries.filter((_, index) => index !== at % Math.max(entries.length, 1)),
    );
  });
  const add = fc
    .tuple(valid, fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 1 }))
    .map(([value, name, other]) => ({ ...(value as object), [name]: other }));
  return fc.oneof(change, drop, add, fc.jsonValue({ maxDepth: 3 }));
}
