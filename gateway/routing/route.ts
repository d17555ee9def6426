// The row of a route table: everything that is known of one method and path. Requests are checked by it, and
// OpenAPI is printed from it.
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Scope } from '#actors/core/api-key.js';
import type { Permission } from './roles.js';
import type { ErrorCode } from './errors.js';
import { type Answer, type ApiError, buildApiError } from './response.js';
import { parseQuery } from './query.js';
import type {
  AnyRequest,
  KeyRequest,
  NoParams,
  OpenRequest,
  RawBody,
  Preferences,
} from './request.js';
import { type Checked, compileCheck, buildUnknownFieldError } from './validation.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A part of the path: `parse` answers undefined for what cannot name a resource, which is 404 `code`. */
export interface Param<Value> {
  parse(text: string): Value | undefined;
  readonly code: ErrorCode;
}
export type Params = Readonly<Record<string, Param<unknown>>>;
export type ParamsOf<Specs extends Params> = {
  readonly [Name in keyof Specs]: Exclude<ReturnType<Specs[Name]['parse']>, undefined>;
};

/** A body or a query: its schema, and the check that gives handlers a value of its type. */
export interface InputSpec<Value> {
  readonly schema: TSchema;
  check(input: unknown): Checked<Value>;
  /** Of a body that may also come from an HTML form: its fields are all strings. */
  readonly checkForm?: (input: unknown) => Checked<Value>;
}

/**
 * key: per merchant and environment. sandbox: per client address. checkout: per client address and payment, the
 * second segment of the path. auth: per client address, on paths of accounts that need no session. login: counted
 * by the handlers (login-throttle.ts), which know the account. Of IPv6 the network counts as the address.
 */
export type LimitKind = 'key' | 'sandbox' | 'checkout' | 'auth' | 'login';

export interface RouteInfo {
  readonly method: Method;
  /** `/v1/payments/{payment_id}`: each `{name}` is a whole segment. */
  readonly path: string;
  readonly summary: string;
  /** Schemas of the good answers, by status; null: no JSON body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** What it is for, in Markdown; for OpenAPI. */
  readonly description?: string;
  /** The media type of answers whose schema is null; text/html unless told. */
  readonly mediaType?: string;
  /** Also answers as CSV, to whom `Accept` says so. */
  readonly hasCsv?: boolean;
  /** Codes beyond those that every route of its kind can answer. */
  readonly errors?: readonly ErrorCode[];
  /** What its requests are counted by (limits/limits.ts); rows for keys are counted by key. */
  readonly limit?: LimitKind;
  /** How a refusal by its limit or its admission is told; as an error body unless told otherwise. */
  readonly showApiError?: (refusal: ApiError, wishes: Preferences) => Answer;
  /** Not for merchants: it stands in no description. */
  readonly isHidden?: boolean;
  /** Of its body, what the audit log may hold for ever; all of it unless told. (Rows of administrators.) */
  readonly auditedFields?: readonly string[];
  /** For this path only; 64 KiB by default. */
  readonly bodyLimitBytes?: number;
}

export interface Route extends RouteInfo {
  readonly auth: 'key' | 'session' | 'none';
  /** Any of these will do. */
  readonly scopes: readonly Scope[];
  /** What is done, of rows for sessions: auth/roles.ts says who may. */
  readonly permission?: Permission;
  readonly isIdempotent: boolean;
  /** The body is handed on as it came, whatever it is, with the headers that sign it. */
  readonly isRaw?: boolean;
  readonly params: Params;
  readonly query: InputSpec<unknown> | undefined;
  readonly body: InputSpec<unknown> | undefined;
  handle(request: AnyRequest): Answer | Promise<Answer>;
}

interface OpenRow<Specs extends Params, Body, Query> extends RouteInfo {
  readonly params?: Specs;
  readonly query?: InputSpec<Query>;
  readonly body?: InputSpec<Body>;
  handle(request: OpenRequest<ParamsOf<Specs>, Body, Query>): Answer | Promise<Answer>;
}

interface KeyRow<Specs extends Params, Body, Query> extends RouteInfo {
  readonly params?: Specs;
  readonly query?: InputSpec<Query>;
  readonly body?: InputSpec<Body>;
  /** Takes an Idempotency-Key, and requires one with a live key. */
  readonly idempotent?: boolean;
  /** What a restricted key needs: `read` for GET and `write` for the rest, unless told. */
  readonly scope?: Scope | readonly Scope[];
  handle(request: KeyRequest<ParamsOf<Specs>, Body, Query>): Answer | Promise<Answer>;
}

/** A path for everybody. */
export function defineOpenRoute<
  Specs extends Params = NoParams,
  Body = undefined,
  Query = undefined,
>(row: OpenRow<Specs, Body, Query>): Route {
  const { params = {}, query, body } = row;
  return {
    ...row,
    auth: 'none',
    scopes: ['read'],
    isIdempotent: false,
    params,
    query,
    body,
  };
}

/** A path for other machines, which sign the bytes that they send. */
export function defineRawRoute<Specs extends Params = NoParams>(
  row: Omit<OpenRow<Specs, RawBody, undefined>, 'body' | 'query'>,
): Route {
  const rest = { auth: 'none', scopes: ['read'], isIdempotent: false, body: undefined } as const;
  return { params: {}, ...row, ...rest, query: undefined, isRaw: true, isHidden: true };
}

/** A path for `sk_` keys. */
export function defineKeyRoute<
  Specs extends Params = NoParams,
  Body = undefined,
  Query = undefined,
>(row: KeyRow<Specs, Body, Query>): Route {
  const { params = {}, query, body, idempotent = false } = row;
  const scope = row.scope ?? (row.method === 'GET' ? 'read' : 'write');
  const scopes = typeof scope === 'string' ? [scope] : scope;
  const rest = { auth: 'key', scopes, isIdempotent: idempotent, params, query, body } as const;
  return { limit: 'key', ...row, ...rest };
}

/** A body that its schema checks. */
export function buildBodySpec<Schema extends TSchema>(schema: Schema): InputSpec<Static<Schema>> {
  return { schema, check: compileCheck(schema) };
}

/** A body that scripts send as JSON and pages as a form; `isForm` tells which. */
export function buildBodyOrFormSpec<Schema extends TObject>(
  schema: Schema,
): InputSpec<Static<Schema> & { readonly isForm: boolean }> {
  const check = compileCheck(schema);
  const mark = (input: unknown, isForm: boolean): Checked<Static<Schema> & { isForm: boolean }> => {
    const checked = check(input);
    return 'code' in checked ? checked : { value: Object.assign({ isForm }, checked.value) };
  };
  return {
    schema,
    check: (input) => mark(input, false),
    checkForm: (input) => mark(input, true),
  };
}

/** What a parser of bodies answers instead of a value. */
export interface ValidationError {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly message?: string;
}

/** A body that a parser of the core checks; the schema describes it. `isFault` tells its two answers apart. */
export function buildParsedBodySpec<Value extends object, Fault extends ValidationError>(
  schema: TSchema,
  parse: (value: unknown) => Value | Fault,
): InputSpec<Value> {
  const isFault = (parsed: Value | Fault): parsed is Fault => 'code' in parsed;
  return {
    schema,
    check(input) {
      const parsed = parse(input);
      return isFault(parsed) ? mapValidationError(parsed) : { value: parsed };
    },
  };
}

function mapValidationError(fault: ValidationError): ApiError {
  const { code, param } = fault;
  if (fault.message === undefined && code === 'body_invalid' && param !== null) {
    return buildUnknownFieldError(param);
  }
  return buildApiError(code, fault);
}

/** Query parameters: an object schema of strings, each at most once. */
export function buildQuerySpec<Schema extends TObject>(schema: Schema): InputSpec<Static<Schema>> {
  const check = compileCheck(schema);
  return {
    schema,
    check(input) {
      const parsed = parseQuery(String(input));
      return 'code' in parsed ? parsed : check(parsed.value);
    },
  };
}
