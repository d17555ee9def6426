// Checks a parsed body or query against its TypeBox schema, compiled once at start, and says which field is at
// fault. A property's schema names its error code (`errorCode`, else field_invalid) and may complete the
// sentence "<param> …" (`errorMessage`).
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { hasCardNumber } from '#actors/core/card-data.js';
import { ERRORS, type ErrorCode } from './errors.js';
import { type ApiError, buildApiError } from './response.js';

const MAX_PARAM_CHARACTERS = 64;

export type Checked<Value> = { readonly value: Value } | ApiError;
export type Check<Value> = (value: unknown) => Checked<Value>;

/** The check of one schema. */
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
 * A field's name as an answer may show it: cut, with nothing in it that is not printable. undefined: it holds a
 * card number, which is not repeated.
 */
export function formatParam(name: string): string | undefined {
  if (hasCardNumber(name)) return undefined;
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
  const told: unknown = error.schema['errorMessage'];
  if (typeof told === 'string') return `${param} ${told}.`;
  if (code !== 'field_invalid') return ERRORS[code].message;
  return `${param}: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}.`;
}
