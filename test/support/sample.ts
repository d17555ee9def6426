// Builds a valid body from a schema. A string with a pattern needs an example in its schema. An optional field is set when
// it has an example.
import type { TSchema } from '@sinclair/typebox';

/** @throws for a schema that needs an example and has none */
export function buildSample(schema: TSchema): unknown {
  const { examples, const: only, enum: choices } = schema as Keywords;
  if (examples !== undefined) return examples[0];
  if (only !== undefined) return only;
  if (choices !== undefined) return choices[0];
  if (schema['anyOf'] !== undefined) return buildUnionSample(schema['anyOf'] as TSchema[]);
  return buildTypeSample(schema);
}

interface Keywords {
  readonly examples?: readonly unknown[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

/** null when the schema allows it and has no example. */
function buildUnionSample(members: readonly TSchema[]): unknown {
  const [first] = members;
  const canBeNull = members.some(({ type }: TSchema) => type === 'null');
  if (first === undefined || (canBeNull && !hasExample(first))) return null;
  return buildSample(first);
}

function hasExample(schema: TSchema): boolean {
  return 'examples' in schema;
}

function buildTypeSample(schema: TSchema): unknown {
  switch (schema['type']) {
    case 'object':
      return buildObjectSample(schema);
    case 'array':
      return [buildSample(schema['items'] as TSchema)];
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      if (schema['pattern'] === undefined) return 'text';
      throw new Error(`a schema needs an example: ${JSON.stringify(schema)}`);
    default:
      throw new Error(`an example cannot be built for the schema ${JSON.stringify(schema)}`);
  }
}

function buildObjectSample(schema: TSchema): unknown {
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>;
  const required = new Set((schema['required'] ?? []) as string[]);
  const shown = Object.entries(properties).filter(
    ([name, property]) => required.has(name) || hasExample(property),
  );
  return Object.fromEntries(shown.map(([name, property]) => [name, buildSample(property)]));
}
