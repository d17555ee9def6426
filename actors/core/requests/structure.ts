// What the schema of a body says of a body that it refuses: the first field at fault, in a form that can be
// told. Nothing of the value at fault is repeated.
import type { TSchema } from '@sinclair/typebox';
import type { TypeCheck } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { findFreeTextFault, isWithinLength } from './text.js';

export interface StructureFault<Code extends string> {
  readonly code: Code | 'body_invalid';
  /** The field, dotted where it is nested; null: the body as a whole. */
  readonly param: string | null;
  /** What the field must be, where its code does not say it. */
  readonly message?: string;
}

const MAX_NAME_LENGTH = 200;

/** TypeBox counts UTF-16 units: a text that is too long only by that count is none the less right. */
export function findStructureFault<Code extends string>(
  schema: TypeCheck<TSchema>,
  body: unknown,
  codeOf: (param: string) => Code,
): StructureFault<Code> | null {
  if (schema.Check(body)) return null;
  for (const error of schema.Errors(body)) {
    if (!isLengthWithin(error)) return toFault(error, codeOf);
  }
  return null;
}

function isLengthWithin({ type, value, schema }: ValueError): boolean {
  if (type !== ValueErrorType.StringMaxLength || typeof value !== 'string') return false;
  return isWithinLength(value, Number(schema.maxLength));
}

function toFault<Code extends string>(
  { type, path, message: expected }: ValueError,
  codeOf: (param: string) => Code,
): StructureFault<Code> {
  const param = path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
  if (!isNameShown(param)) return { code: 'body_invalid', param: null };
  if (type === ValueErrorType.ObjectAdditionalProperties) return { code: 'body_invalid', param };
  const code = codeOf(param);
  if (code !== 'field_invalid') return { code, param };
  const isMissing = type === ValueErrorType.ObjectRequiredProperty;
  return { code, param, message: isMissing ? `${param} is required.` : describe(param, expected) };
}

/** The schema's own words: "Expected integer to be greater or equal to 60". */
function describe(param: string, expected: string): string {
  return `${param}: ${expected.charAt(0).toLowerCase()}${expected.slice(1)}.`;
}

/** A name that is a card number, or endless, is not repeated. */
function isNameShown(param: string): boolean {
  return param !== '' && param.length <= MAX_NAME_LENGTH && findFreeTextFault(param) === null;
}
