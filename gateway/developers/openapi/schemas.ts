// TypeBox schemas as OpenAPI 3.1 schemas, which are JSON Schema, without the keywords of our own checks. A schema with a
// title becomes a component of that name.
import type { TSchema } from '@sinclair/typebox';

export type Json = Readonly<Record<string, unknown>>;

export interface SchemaWriter {
  /** @throws when two different schemas have the same title */
  describe(schema: TSchema): Json;
  /** The described schemas that have a title, by title. */
  readonly components: Json;
}

const OWN_KEYWORDS = new Set(['title', 'errorCode', 'errorMessage', 'refusesNull', 'typedAs']);
/** Beside `enum` they say nothing more, and some generators make clients of them that do not compile. */
const TEXT_KEYWORDS = new Set(['pattern', 'format', 'minLength', 'maxLength']);

export function createSchemaWriter(): SchemaWriter {
  const components: Record<string, Json> = {};

  function describe(schema: TSchema): Json {
    const { title } = schema;
    const described = describeKeywords(schema);
    if (title === undefined) return described;
    const known = (components[title] ??= described);
    if (JSON.stringify(known) !== JSON.stringify(described))
      throw new Error(`two schemas have the title ${title}: change the title of one`);
    return buildRef('schemas', title);
  }

  function describeKeywords(schema: TSchema): Json {
    const entries = Object.entries(schema)
      .filter(([keyword]) => !OWN_KEYWORDS.has(keyword))
      .filter(([keyword]) => !('enum' in schema && TEXT_KEYWORDS.has(keyword)))
      .map(([keyword, value]) => [
        keyword,
        keyword === 'properties' ? mapProperties(value as TProperties) : describeValue(value),
      ]);
    return Object.fromEntries(entries) as Json;
  }

  /** A property may be named like a keyword: `title`. */
  function mapProperties(properties: TProperties): Json {
    const entries = Object.entries(properties).map(([name, each]) => [name, describe(each)]);
    return Object.fromEntries(entries) as Json;
  }

  function describeValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(describeValue);
    if (typeof value !== 'object' || value === null) return value;
    return describe(value as TSchema);
  }

  return { describe, components };
}

type TProperties = Readonly<Record<string, TSchema>>;

export function buildRef(kind: 'headers' | 'parameters' | 'responses' | 'schemas', name: string) {
  return { $ref: `#/components/${kind}/${name}` } as const;
}
