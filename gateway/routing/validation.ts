// Checks a parsed body or query against its TypeBox schema, which is compiled once at start, and names the first field
// that is wrong and what it must be. A property's schema may name the error code (`errorCode`, field_invalid by
// default) and complete the sentence "<param> …" (`errorMessage`); else the sentence is built from the schema.
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { mayHoldCardData } from '#actors/core/card-data.js';
import { ERRORS, type ErrorCode } from './errors.js';
import { type ApiError, buildApiError } from './response.js';

const MAX_PARAM_CHARACTERS = 64;

export type Checked<Value> = { readonly value: Value } | ApiError;
export type Check<Value> = (value: unknown) => Checked<Value>;

export function compileCheck<Schema extends TSchema>(schema: Schema): Check<Static<Schema>> {
  const compiled = TypeCompiler.Compile(schema);
  return (value) => {
    if (compiled.Check(value)) return { value };
    return mapValueError(compiled.Errors(value).First());
  };
}

function mapValueError(error: ValueError | undefined): ApiError {
  if (error === undefined || error.path === '') return buildApiError('body_invalid');
  const param = formatParam(
    error.path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~'),
  );
  if (param === undefined) return buildApiError('body_invalid');
  if (error.type === ValueErrorType.ObjectAdditionalProperties)
    return buildUnknownFieldError(param);
  const code = findSchemaCode(error.schema);
  return buildApiError(code, { message: formatMessage(error, param, code), param });
}

export function buildUnknownFieldError(param: string): ApiError {
  return buildApiError('body_invalid', { message: `There is no field ${param} here.`, param });
}

/**
 * A field's name as an answer may show it: shortened, printable ASCII. undefined: it contains a card number, which no
 * answer repeats.
 */
export function formatParam(name: string): string | undefined {
  if (mayHoldCardData(name)) return undefined;
  return name.replace(/[^\u0020-\u007e]/g, '?').slice(0, MAX_PARAM_CHARACTERS);
}

function findSchemaCode(schema: TSchema): ErrorCode {
  const code: unknown = schema['errorCode'];
  return typeof code === 'string' && isErrorCode(code) ? code : 'field_invalid';
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function formatMessage(error: ValueError, param: string, code: ErrorCode): string {
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${param} is required.`;
  const requirement: unknown = error.schema['errorMessage'];
  if (typeof requirement === 'string') return `${param} ${requirement}.`;
  if (code !== 'field_invalid') return ERRORS[code].message;
  return `${param} must be ${describeAllowed(error.schema)}.`;
}

/** The keywords of a schema that limit its values. */
interface Keywords {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly type?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** The allowed values, to follow "must be": `"paid" or "failed"`, `a string of at most 500 characters`. */
function describeAllowed(schema: TSchema): string {
  const keywords = schema as Keywords;
  const { minLength, maxLength, minItems, maxItems, minimum, maximum } = keywords;
  if (keywords.const !== undefined) return JSON.stringify(keywords.const);
  if (keywords.enum !== undefined)
    return joinChoices(keywords.enum.map((one) => JSON.stringify(one)));
  if (keywords.anyOf !== undefined) return joinChoices(keywords.anyOf.map(describeAllowed));
  switch (keywords.type) {
    case 'string':
      return `a string${describeRange(' characters', minLength, maxLength)}${describePattern(keywords)}`;
    case 'integer':
      return `a whole number${describeRange('', minimum, maximum)}`;
    case 'number':
      return `a number${describeRange('', minimum, maximum)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${describeRange(' items', minItems, maxItems)}`;
    case 'null':
      return 'null';
    default:
      return 'an object';
  }
}

function joinChoices(choices: readonly string[]): string {
  const last = choices.at(-1) ?? '';
  return choices.length < 2 ? last : `${choices.slice(0, -1).join(', ')} or ${last}`;
}

function describePattern({ pattern }: Keywords): string {
  return pattern === undefined ? '' : ` that matches ${pattern}`;
}

/** ` from 1 to 100`, ` of at most 500 characters`; empty: no limit. */
function describeRange(unit: string, min?: number, max?: number): string {
  if (min !== undefined && max !== undefined) {
    return unit === '' ? ` from ${min} to ${max}` : ` of ${min} to ${max}${unit}`;
  }
  if (max !== undefined) return ` of at most ${max}${unit}`;
  return min === undefined ? '' : ` of at least ${min}${unit}`;
}
