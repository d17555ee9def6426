// What a request is answered, native values apart. The order of the checks is part of the contract: path,
// method, headers, ids in the path, credential and what hangs on it (auth/admit.ts), then media type, body,
// JSON, schema, query; then the handler.
import type { Credential } from '#actors/core/api-key.js';
import type { Admit } from '../auth/admission.js';
import type { Session } from '../routing/session.js';
import type { Route } from '../routing/route.js';
import type { FoundRoute, Router } from '../routing/router.js';
import { type Answer, type ApiError, buildApiError } from '../routing/response.js';
import type { Head } from '../routing/request-head.js';
import { parseJson } from '../routing/json.js';
import { parseQuery } from '../routing/query.js';
import type { AnyRequest, RawBody, Preferences } from '../routing/request.js';
import type { Checked } from '../routing/validation.js';

export interface HandleDeps {
  readonly router: Router;
  readonly admit: Admit;
}

/** A request whose row is known. */
export interface OpenedRequest {
  readonly code: null;
  readonly route: Route;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What is known of a request when its handler is due. */
export interface AdmittedRequest {
  readonly opened: OpenedRequest;
  readonly head: Head;
  readonly requestId: string;
  readonly credential: Credential | undefined;
  readonly session: Session | undefined;
  address(): string;
}

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?;?$/i;
const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(?:;.*)?$/i;
const NO_PARAMS: Readonly<Record<string, unknown>> = {};
const NO_PATH = buildApiError('path_not_found');
const NO_JSON = buildApiError('media_type_unsupported');
const NO_BODY = buildApiError('body_invalid', { message: 'A JSON body is required.' });

/** Finds the row, and refuses what cannot have an answer of its own. */
export function openRequest(parts: HandleDeps, head: Head): OpenedRequest | ApiError {
  const found = parts.router.find(head.path);
  if (found === undefined) return NO_PATH;
  const route = found.rows.get(head.method === 'HEAD' ? 'GET' : head.method);
  if (route === undefined) {
    return buildApiError('method_not_allowed', { headers: [['Allow', found.allow]] });
  }
  if (head.fault !== '') {
    const message = `${head.fault} is not sent once and in a form that has one meaning.`;
    return buildApiError('field_invalid', { message, param: head.fault });
  }
  if (found.values.length === 0) return { code: null, route, params: NO_PARAMS };
  return parseParams(route, found);
}

function parseParams(route: Route, found: FoundRoute): OpenedRequest | ApiError {
  const params: Record<string, unknown> = {};
  let index = 0;
  for (const name in route.params) {
    const param = route.params[name];
    const value = param?.parse(found.values[index] ?? '');
    if (param === undefined || value === undefined)
      return buildApiError(param?.code ?? 'path_not_found');
    params[name] = value;
    index += 1;
  }
  return { code: null, route, params };
}

/** Checks body and query, and calls the handler; `body` is the whole of it. */
export function runRequest(due: AdmittedRequest, body: Buffer): Answer | Promise<Answer> {
  const { route } = due.opened;
  const checkedBody = readRaw(due, body) ?? readBody(due, body);
  if (checkedBody !== undefined && 'code' in checkedBody) return checkedBody;
  const checkedQuery = route.query?.check(due.head.query);
  if (checkedQuery !== undefined && 'code' in checkedQuery) return checkedQuery;
  return route.handle(new GatewayRequest(due, checkedBody?.value, checkedQuery?.value));
}

/** Copied: the bytes are the native side's. */
function readRaw(
  { opened, head }: AdmittedRequest,
  body: Buffer,
): { readonly value: RawBody } | undefined {
  if (opened.route.isRaw !== true) return undefined;
  return { value: { headers: head.signing, body: Buffer.from(body) } };
}

function readBody(
  due: AdmittedRequest,
  body: Buffer,
): { readonly value: unknown } | ApiError | undefined {
  if (due.opened.route.body === undefined) return undefined;
  if (body.length === 0) return NO_BODY;
  const { contentType } = due.head;
  const checkForm = due.opened.route.body?.checkForm;
  if (checkForm !== undefined && FORM_MEDIA_TYPE.test(contentType))
    return readForm(body, checkForm);
  if (contentType !== 'application/json' && !JSON_MEDIA_TYPE.test(contentType)) return NO_JSON;
  const parsed = parseJson(body);
  return 'code' in parsed ? parsed : due.opened.route.body?.check(parsed.value);
}

function readForm(
  body: Buffer,
  check: (input: unknown) => Checked<unknown>,
): { readonly value: unknown } | ApiError {
  const parsed = parseQuery(body.toString('latin1'));
  return 'code' in parsed ? parsed : check(parsed.value);
}

/** A class for the sake of what is read by few: `address` costs a native call. */
class GatewayRequest implements AnyRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly target: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  readonly credential: Credential | undefined;
  readonly session: Session | undefined;
  readonly #due: AdmittedRequest;

  constructor(due: AdmittedRequest, body: unknown, query: unknown) {
    const { head, opened } = due;
    this.requestId = due.requestId;
    this.method = opened.route.method;
    this.path = opened.route.path;
    this.target = head.path;
    this.params = opened.params;
    this.query = query;
    this.body = body;
    const hasKey = opened.route.isIdempotent && head.hasIdempotencyKey;
    this.idempotencyKey = hasKey ? head.idempotencyKey : undefined;
    this.credential = due.credential;
    this.session = due.session;
    this.#due = due;
  }

  get address(): string {
    return this.#due.address();
  }

  get preferences(): Preferences {
    return this.#due.head;
  }
}
