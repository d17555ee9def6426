// Some serialisers cannot say "empty" as JSON Schema does: PHP's json_encode writes an empty associative array as `[]`
// and a missing value as `null`. So an empty array is an empty object where only an object is allowed, and `null` means
// that the field is absent, unless its schema allows null (`null` then clears the field), or refuses it (`refusesNull`): a
// variable without a value must not refund the whole payment.
//
// A body that already fits its schema is never walked: a check asks for the normalised body only after it has failed.
import type { TSchema } from '@sinclair/typebox';

type Fields = Readonly<Record<string, unknown>>;

/** The keywords that say which values a schema allows. */
export interface Keywords {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly additionalProperties?: boolean | TSchema;
  readonly items?: TSchema;
  /** Absent, the field would allow or move more. */
  readonly refusesNull?: boolean;
  /** How its text is read (typed-texts.ts). */
  readonly typedAs?: 'identifier' | 'code' | 'phone' | 'sought' | 'lines' | 'anything';
  readonly errorCode?: string;
}

/** `value` itself when there is nothing to change, so that a check is not repeated for nothing. */
export function normalizeBody(schema: TSchema, value: unknown): unknown {
  const choices = listChoices(schema);
  const objects = choices.find(({ type }) => type === 'object');
  const arrays = choices.find(({ type }) => type === 'array');
  if (Array.isArray(value)) {
    if (arrays !== undefined) return normalizeItems(arrays, value);
    return value.length === 0 && objects !== undefined ? {} : value;
  }
  if (typeof value !== 'object' || value === null || objects === undefined) return value;
  return normalizeFields(objects, value as Fields);
}

export function listChoices(schema: TSchema): readonly Keywords[] {
  const keywords = schema as Keywords;
  return keywords.anyOf === undefined ? [keywords] : keywords.anyOf.flatMap(listChoices);
}

function normalizeItems({ items }: Keywords, values: readonly unknown[]): readonly unknown[] {
  if (items === undefined) return values;
  const normalized = values.map((value) => normalizeBody(items, value));
  return normalized.every((value, index) => value === values[index]) ? values : normalized;
}

/** Unknown fields stay, also with null, so that the check names them. */
function normalizeFields(object: Keywords, fields: Fields): Fields {
  let isChanged = false;
  const kept: [name: string, value: unknown][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const schema = findFieldSchema(object, name);
    if (value === null && schema !== undefined && !isNullKept(schema)) {
      isChanged = true;
      continue;
    }
    const normalized = schema === undefined ? value : normalizeBody(schema, value);
    isChanged ||= normalized !== value;
    kept.push([name, normalized]);
  }
  return isChanged ? Object.fromEntries(kept) : fields;
}

export function findFieldSchema(object: Keywords, name: string): TSchema | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties } = object;
  if (Object.hasOwn(properties, name)) return properties[name];
  const pattern = Object.keys(patternProperties).find((each) => new RegExp(each).test(name));
  if (pattern !== undefined) return patternProperties[pattern];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

const isNullKept = (schema: TSchema): boolean =>
  (schema as Keywords).refusesNull === true ||
  listChoices(schema).some(({ type }) => type === undefined || type === 'null');
