// Values from JSON schemas, for requests: sound ones, and ones that are broken in some way.
import fc from 'fast-check';

export type Json = Readonly<Record<string, unknown>>;

const MAX_TEXT = 40;
const MAX_NUMBER = 1_000_000;

/** `resolve` answers the schema that a reference names. */
export function soundOf(schema: Json, resolve: (ref: string) => Json): fc.Arbitrary<unknown> {
  if (typeof schema['$ref'] === 'string') return soundOf(resolve(schema['$ref']), resolve);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (Array.isArray(schema['anyOf'])) {
    return fc.oneof(...(schema['anyOf'] as Json[]).map((member) => soundOf(member, resolve)));
  }
  const examples = schema['examples'];
  const made = ofType(schema, resolve);
  return Array.isArray(examples)
    ? fc.oneof(made, fc.constantFrom(...(examples as unknown[])))
    : made;
}

function ofType(schema: Json, resolve: (ref: string) => Json): fc.Arbitrary<unknown> {
  switch (schema['type']) {
    case 'object':
      return ofObject(schema, resolve);
    case 'array':
      return fc.array(soundOf(schema['items'] as Json, resolve), { maxLength: 3 });
    case 'integer':
      return fc.integer({
        min: Number(schema['minimum'] ?? 0),
        max: Number(schema['maximum'] ?? MAX_NUMBER),
      });
    case 'boolean':
      return fc.boolean();
    case 'string':
      return ofText(schema);
    default:
      return fc.constant(null);
  }
}

function ofText(schema: Json): fc.Arbitrary<string> {
  if (typeof schema['pattern'] === 'string')
    return fc.stringMatching(new RegExp(schema['pattern']));
  const maxLength = Math.min(Number(schema['maxLength'] ?? MAX_TEXT), MAX_TEXT);
  return fc.string({ minLength: Number(schema['minLength'] ?? 0), maxLength });
}

function ofObject(schema: Json, resolve: (ref: string) => Json): fc.Arbitrary<unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Json>;
  const requiredKeys = (schema['required'] ?? []) as string[];
  const entries = Object.entries(properties).map(
    ([name, property]) => [name, soundOf(property, resolve)] as const,
  );
  const further = schema['additionalProperties'];
  if (entries.length === 0 && typeof further === 'object' && further !== null) {
    const value = soundOf(further as Json, resolve);
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), value, { maxKeys: 3 });
  }
  return fc.record(Object.fromEntries(entries), { requiredKeys, noNullPrototype: true });
}

/** One that is not as it should be: a field missing, too much, or of another kind, or no object at all. */
export function brokenOf(sound: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc
    .tuple(sound, fc.nat(), fc.jsonValue({ maxDepth: 2 }))
    .map(([value, at, other]) => {
      if (typeof value !== 'object' || value === null) return other;
      const names = Object.keys(value);
      const name = names[at % Math.max(names.length, 1)] ?? 'more';
      return { ...value, [name]: other };
    });
  const drop = fc.tuple(sound, fc.nat()).map(([value, at]) => {
    const entries = Object.entries(value as object);
    return Object.fromEntries(
      entries.filter((_, index) => index !== at % Math.max(entries.length, 1)),
    );
  });
  const add = fc
    .tuple(sound, fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 1 }))
    .map(([value, name, other]) => ({ ...(value as object), [name]: other }));
  return fc.oneof(change, drop, add, fc.jsonValue({ maxDepth: 3 }));
}
