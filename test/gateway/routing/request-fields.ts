// The fields of request schemas, and bodies that fit them, for tests that put a value into each field.
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { generateValid, type Json } from '#test/flows/contract/arbitrary.js';

const SEED = 20_260_802;
const RUNS = 40;

export interface Field {
  readonly path: readonly (string | number)[];
  readonly schema: Json;
  readonly isRequired: boolean;
}

export const listChoices = (schema: Json): readonly Json[] =>
  Array.isArray(schema['anyOf']) ? (schema['anyOf'] as Json[]).flatMap(listChoices) : [schema];

/** The fields of an object, nested ones and those in lists too. */
export function listFields(schema: Json, path: Field['path'] = []): Field[] {
  const required = new Set((schema['required'] ?? []) as string[]);
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Json>);
  return properties.flatMap(([name, property]): Field[] => {
    const inner = [...path, name];
    const field = { path: inner, schema: property, isRequired: required.has(name) };
    return [field, ...listInner(property, inner)];
  });
}

function listInner(property: Json, path: Field['path']): Field[] {
  if (property['type'] === 'object') {
    const { additionalProperties: values } = property;
    const isMap = typeof values === 'object' && values !== null;
    const entry = { path: [...path, 'entry'], schema: values as Json, isRequired: false };
    return isMap ? [entry] : listFields(property, path);
  }
  if (property['type'] !== 'array') return [];
  const items = property['items'] as Json;
  const item = { path: [...path, 0], schema: items, isRequired: false };
  return [item, ...listFields(items, item.path)];
}

const resolve = (): never => {
  throw new Error('a request schema has no references');
};

/** Values that fit the schema; the generator does not know `uniqueItems`. */
export function sample(schema: Json): readonly unknown[] {
  const values = fc.sample(generateValid(schema, resolve), { numRuns: RUNS, seed: SEED });
  return values.filter((value) => Value.Check(schema as unknown as TSchema, value));
}

export function setAt(value: unknown, [name, ...rest]: Field['path'], field: unknown): unknown {
  if (name === undefined) return field;
  if (typeof name === 'number') return [setAt((value as unknown[] | undefined)?.[0], rest, field)];
  const { [name]: old, ...others } = (value ?? {}) as Json;
  if (rest.length === 0 && field === undefined) return others;
  return { ...others, [name]: setAt(old, rest, field) };
}

/** A valid value whose lists have an item and whose optional parts are there. */
export function fillBase(schema: Json): unknown {
  const [base] = sample(schema);
  return listFields(schema).reduce<unknown>((value, { path, schema: inner }) => {
    const isPart = inner['type'] === 'object' || inner['type'] === 'array';
    return isPart ? setAt(value, path, sample(inner)[0]) : value;
  }, base);
}
