// A route: everything about one method and path. Requests are checked against it, and the OpenAPI document is
// generated from it.
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
import { normalizeBody } from './lenient-body.js';
import { readTypedTexts } from './typed-texts.js';
import { type Check, type Checked, compileCheck } from './validation.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The headers that a raw route gets. */
export type RawHeaders = 'all' | 'none';

/** A path parameter. `parse` returns undefined for text that cannot be an id, which is answered 404 with `code`. */
export interface Param<Value> {
  parse(text: string): Value | undefined;
  readonly code: ErrorCode;
}
export type Params = Readonly<Record<string, Param<unknown>>>;
export type ParamsOf<Specs extends Params> = {
  readonly [Name in keyof Specs]: Exclude<ReturnType<Specs[Name]['parse']>, undefined>;
};

/** A body or a query: its schema, and the check that gives the handler a typed value. */
export interface InputSpec<Value> {
  readonly schema: TSchema;
  check(input: unknown): Checked<Value>;
  /** For a body that an HTML form may send too; all its fields are strings then. */
  readonly checkForm?: (input: unknown) => Checked<Value>;
  /** A request without a body is one with an empty object. */
  readonly isOptional?: boolean;
}

/**
 * key: per merchant and environment. session: per session, and per merchant. upload: like session, and few documents per
 * merchant. logo: like session, and few logos per merchant. sandbox: per client address. checkout: per client address and
 * page (the second path segment), and per client address. auth: per client address, on account paths without a session. login: counted by the handlers
 * (limits/login-throttle.ts), which know the account; a session counts too. guess: of session routes, before the session
 * is looked up. open: by the cost of the route alone. callback: like open, and one that its rail has signed does not count.
 * limits/limits.ts has the numbers.
 */
export type LimitKind =
  | 'key'
  | 'session'
  | 'upload'
  | 'logo'
  | 'sandbox'
  | 'checkout'
  | 'auth'
  | 'login'
  | 'guess'
  | 'open'
  | 'callback';

export interface RouteInfo {
  readonly method: Method;
  /** `/v1/payments/{payment_id}`: each `{name}` is a whole segment. */
  readonly path: string;
  readonly summary: string;
  /** Verb and object, `createPayment`: its name in OpenAPI. Absent: no document describes the route. */
  readonly operationId?: string;
  /** Schemas of the successful answers, by status; null: no JSON body. */
  readonly answers: Readonly<Record<number, TSchema | null>>;
  /** Markdown for OpenAPI. */
  readonly description?: string;
  /** The media type of answers whose schema is null; text/html by default. */
  readonly mediaType?: string;
  /** Also answers as CSV when `Accept` asks for it. */
  readonly hasCsv?: boolean;
  /** Error codes beyond those that each route of its kind can return (route-errors.ts). */
  readonly errors?: readonly ErrorCode[];
  /** The rate limit (limits/limits.ts); by default `key` for key routes, `session` for session routes, and else `open`. */
  readonly limit?: LimitKind;
  /** The handler gets the header Cookie. */
  readonly readsCookies?: boolean;
  /**
   * Public routes: the microseconds of the event loop that the dearest answer takes, rounded up. Limits follow from it
   * (limits/public-limits.ts), and `npm run bench:attacks -- routes` measures it.
   */
  readonly cpuUs?: number;
  /** Renders an error of admission or of a limit; the JSON error body by default. */
  readonly showApiError?: (error: ApiError, preferences: Preferences) => Answer;
  /** Administrators' routes: the body fields that the audit log may keep for ever; all of them by default. */
  readonly auditedFields?: readonly string[];
  /**
   * BODY_LIMIT_BYTES (http/request-limits.ts) by default, and 8 KiB on open routes. A body above BODY_LIMIT_BYTES needs a
   * Content-Length, and is read only after `beginBody` of the route has reserved the room for it.
   */
  readonly bodyLimitBytes?: number;
}

/** A route that an OpenAPI document describes. */
export interface DescribedRouteInfo extends RouteInfo {
  readonly operationId: string;
  readonly description: string;
}

/** Room for a large body. */
export interface BodyPermit {
  readonly code: null;
  /** Called once, when the request is answered or its client has disconnected. */
  release(): void;
}

export interface Route extends RouteInfo {
  readonly auth: 'key' | 'session' | 'none';
  /** A key needs one of these. */
  readonly scopes: readonly Scope[];
  /** Session routes: roles.ts lists the roles that have the permission. */
  readonly permission?: Permission;
  readonly isIdempotent: boolean;
  /** Raw routes: the handler gets the body unparsed, with all headers or none. Absent: the body is JSON. */
  readonly rawHeaders?: RawHeaders;
  readonly params: Params;
  readonly query: InputSpec<unknown> | undefined;
  readonly body: InputSpec<unknown> | undefined;
  /** Runs before the body is read, with the bytes that Content-Length announces. */
  readonly beginBody?: (request: AnyRequest, bytes: number) => Promise<BodyPermit | ApiError>;
  handle(request: AnyRequest): Answer | Promise<Answer>;
}

interface OpenRouteInput<Specs extends Params, Body, Query> extends RouteInfo {
  readonly cpuUs: number;
  readonly params?: Specs;
  readonly query?: InputSpec<Query>;
  readonly body?: InputSpec<Body>;
  handle(request: OpenRequest<ParamsOf<Specs>, Body, Query>): Answer | Promise<Answer>;
}

interface KeyRouteInput<Specs extends Params, Body, Query> extends DescribedRouteInfo {
  readonly params?: Specs;
  readonly query?: InputSpec<Query>;
  readonly body?: InputSpec<Body>;
  /** Takes an Idempotency-Key, and requires one with a live key. */
  readonly idempotent?: boolean;
  /** A restricted key needs one of these; by default `read` for GET and `write` for the others. */
  readonly scope?: Scope | readonly Scope[];
  handle(request: KeyRequest<ParamsOf<Specs>, Body, Query>): Answer | Promise<Answer>;
}

/** Of JSON and forms that anybody may send: the check of a larger body takes more of the event loop. */
const OPEN_BODY_LIMIT_BYTES = 8 * 1024;

/** A route without a credential. */
export function defineOpenRoute<
  Specs extends Params = NoParams,
  Body = undefined,
  Query = undefined,
>(route: OpenRouteInput<Specs, Body, Query>): Route {
  const { params = {}, query, body } = route;
  const rest = {
    auth: 'none',
    scopes: ['read'],
    isIdempotent: false,
    params,
    query,
    body,
  } as const;
  return { limit: 'open', bodyLimitBytes: OPEN_BODY_LIMIT_BYTES, ...route, ...rest };
}

/** A route for other machines, which sign the bytes of their body, in it or in a header. */
export function defineRawRoute<Specs extends Params = NoParams>(
  route: Omit<OpenRouteInput<Specs, RawBody, undefined>, 'body' | 'query'> & {
    readonly rawHeaders: RawHeaders;
  },
): Route {
  const rest = { auth: 'none', scopes: ['read'], isIdempotent: false, body: undefined } as const;
  return { limit: 'open', params: {}, ...route, ...rest, query: undefined };
}

/** A route for `sk_` keys. */
export function defineKeyRoute<
  Specs extends Params = NoParams,
  Body = undefined,
  Query = undefined,
>(route: KeyRouteInput<Specs, Body, Query>): Route {
  const { params = {}, query, body, idempotent = false } = route;
  const scope = route.scope ?? (route.method === 'GET' ? 'read' : 'write');
  const scopes = typeof scope === 'string' ? [scope] : scope;
  const rest = { auth: 'key', scopes, isIdempotent: idempotent, params, query, body } as const;
  return { limit: 'key', ...route, ...rest };
}

/** A JSON body that is checked against its schema. A text with a hidden character is an error (typed-texts.ts). */
export function buildBodySpec<Schema extends TSchema>(schema: Schema): InputSpec<Static<Schema>> {
  const check = checkLeniently(schema, compileCheck(schema));
  return {
    schema,
    check(input) {
      const read = readTypedTexts(schema, input);
      return 'code' in read ? read : check(read.value);
    },
  };
}

/** For a route that took no body before: its clients go on sending none. */
export const allowNoBody = <Value>(spec: InputSpec<Value>): InputSpec<Value> => ({
  ...spec,
  isOptional: true,
});

/** A body that fails is checked once more, when lenient-body.ts can change it. */
function checkLeniently<Value>(schema: TSchema, check: Check<Value>): Check<Value> {
  return (input) => {
    const checked = check(input);
    if (!('code' in checked)) return checked;
    const normalized = normalizeBody(schema, input);
    return normalized === input ? checked : check(normalized);
  };
}

/** A body that programs send as JSON and pages send as a form; `isForm` says which. */
export function buildBodyOrFormSpec<Schema extends TObject>(
  schema: Schema,
): InputSpec<Static<Schema> & { readonly isForm: boolean }> {
  const check = checkLeniently(schema, compileCheck(schema));
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

/** The result of a body parser of the core that found an error. */
export interface ValidationError {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly message?: string;
}

/** A body that a parser of the core checks; the schema only describes it. */
export function buildParsedBodySpec<Value extends object, Invalid extends ValidationError>(
  schema: TSchema,
  parse: (value: unknown) => Value | Invalid,
): InputSpec<Value> {
  const isInvalid = (parsed: Value | Invalid): parsed is Invalid => 'code' in parsed;
  return {
    schema,
    check: checkLeniently(schema, (input) => {
      const parsed = parse(input);
      return isInvalid(parsed) ? buildApiError(parsed.code, parsed) : { value: parsed };
    }),
  };
}

/** Query parameters: strings, whole numbers and booleans. */
export function buildQuerySpec<Schema extends TObject>(schema: Schema): InputSpec<Static<Schema>> {
  const check = compileCheck(schema);
  return {
    schema,
    check(input) {
      const parsed = parseQuery(String(input));
      return 'code' in parsed ? parsed : check(readTypes(schema, parsed.value));
    },
  };
}

/** A text that does not have the form of its type stays a text, which the check then rejects. */
function readTypes(schema: TObject, texts: Readonly<Record<string, string>>): object {
  const values = Object.entries(texts).map(([name, text]) => {
    const type: unknown = schema.properties[name]?.['type'];
    if (type === 'integer' && /^(0|[1-9][0-9]{0,14})$/.test(text)) return [name, Number(text)];
    if (type === 'boolean' && /^(true|false)$/.test(text)) return [name, text === 'true'];
    return [name, text];
  });
  return Object.fromEntries(values) as object;
}

export interface PushClient {
  /** Does nothing once the connection is closed. */
  send(text: string): void;
  /** There is nothing to push: closes the connection, and counts it against the limit of unknown pages. */
  reject(): void;
}

/** A WebSocket path on which the server pushes texts to browsers; messages of browsers are dropped. */
export interface PushRoute {
  /** One `:name` in it matches a segment: `/checkout/:payment_id/live`. */
  readonly path: string;
  /** The rate limit that opening a connection counts against; absent: none. */
  readonly limit?: LimitKind;
  /** Of opening a connection, and of its first message. */
  readonly cpuUs?: number;
  /** false: nothing to push there, or no room; the request is answered 404 and the browser polls. */
  accepts(segment: string): boolean;
  /** Called for each connection; returns the function to call when it has closed. */
  open(segment: string, client: PushClient): () => void;
}
