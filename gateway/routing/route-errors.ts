// The error codes that a route can answer: its own, and those of its kind (key, session, idempotent, …), which
// http/handle-request.ts and auth/admission.ts return.
import type { TSchema } from '@sinclair/typebox';
import { ERRORS, type ErrorCode } from './errors.js';
import type { Route } from './route.js';

const EVERYWHERE = ['field_invalid', 'internal_error'] as const;
const WITH_VERSION = ['version_unknown', 'live_not_enabled'] as const;
const WITH_KEY = [
  'credential_missing',
  'credential_invalid',
  'credential_wrong_kind',
  'credential_mixed',
  'scope_insufficient',
  'address_not_allowed',
  'overloaded',
  'dependency_unavailable',
] as const;
const WITH_SESSION = [
  'credential_missing',
  'credential_invalid',
  'credential_wrong_kind',
  'credential_mixed',
  'session_expired',
  'role_insufficient',
  'dependency_unavailable',
] as const;
const WITH_ACCOUNT = ['dependency_unavailable', 'overloaded'] as const;
const WITH_IDEMPOTENCY = [
  'idempotency_key_required',
  'idempotency_key_invalid',
  'idempotency_conflict',
] as const;
const WITH_BODY = ['body_invalid', 'body_too_large', 'media_type_unsupported'] as const;
const WITH_COMMAND = ['overloaded', 'dependency_unavailable'] as const;

/** In the order of the error table. */
export function listErrorCodes(route: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>([...EVERYWHERE, ...(route.errors ?? [])]);
  const add = (applies: boolean, some: readonly ErrorCode[]): void => {
    if (applies) for (const code of some) codes.add(code);
  };
  add(route.path.startsWith('/v1/'), WITH_VERSION);
  add(route.auth === 'key', WITH_KEY);
  add(route.auth === 'session', WITH_SESSION);
  add(route.auth === 'session' && route.method !== 'GET', ['origin_not_allowed']);
  add(route.path.startsWith('/v1/auth/'), WITH_ACCOUNT);
  add(route.isIdempotent, WITH_IDEMPOTENCY);
  add(route.body !== undefined, WITH_BODY);
  add(route.query !== undefined, ['body_invalid']);
  add(route.method !== 'GET', WITH_COMMAND);
  add(route.limit !== undefined, ['rate_limited']);
  for (const param of Object.values(route.params)) codes.add(param.code);
  for (const input of [route.body, route.query]) {
    if (input !== undefined) add(true, listSchemaCodes(input.schema));
  }
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.has(code));
}

/** The `errorCode` of each field's schema. */
function listSchemaCodes(schema: TSchema): readonly ErrorCode[] {
  const properties = (schema['properties'] ?? {}) as Record<string, TSchema>;
  return Object.values(properties)
    .map((property): unknown => property['errorCode'])
    .filter(isErrorCode);
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}
