// Checks a parsed body or query against its TypeBox schema, which is compiled once at start, and names the first field
// that is wrong and what it must be (actors/core/requests/explain.ts). A property's schema may name the error code
// (`errorCode`, field_invalid by default).
import type { Static, TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { mayHoldCardData } from '#actors/core/card-data.js';
import { explainError, formatPath } from '#actors/core/requests/explain.js';
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
  if (error === undefined) return buildApiError('body_invalid');
  const param = formatParam(formatPath(error));
  if (param === undefined) return buildApiError('body_invalid');
  const message = explainError(error, param);
  if (param === '') return buildApiError('body_invalid', { message });
  const isUnknown = error.type === ValueErrorType.ObjectAdditionalProperties;
  const code = isUnknown ? 'body_invalid' : findSchemaCode(error.schema);
  return buildApiError(code, { message, param });
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
