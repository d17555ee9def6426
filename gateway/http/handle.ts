// What a request is answered, native values apart. The order of the checks is part of the contract: path,
// method, headers, ids in the path, credential and what hangs on it (auth/admit.ts), then media type, body,
// JSON, schema, query; then the handler.
import type { Credential } from '#actors/core/api-key.js';
import type { Admit } from '../auth/admit.js';
import type { Session } from '../auth/session.js';
import type { Route } from '../routes/route.js';
import type { Found, Router } from '../routes/router.js';
import { type Answer, type Refusal, refuse } from './answer.js';
import type { Head } from './headers.js';
import { parseJson } from './input/json.js';
import { parseQuery } from './input/query.js';
import type { AnyRequest, RawBody, Wishes } from './request.js';
import type { Checked } from './input/validate.js';

export interface HandleParts {
  readonly router: Router;
  readonly admit: Admit;
}

/** A request whose row is known. */
export interface Opening {
  readonly code: null;
  readonly route: Route;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What is known of a request when its handler is due. */
export interface Due {
  readonly opening: Opening;
  readonly head: Head;
  readonly requestId: string;
  readonly credential: Credential | undefined;
  readonly session: Session | undefined;
  address(): string;
}

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?;?$/i;
const FORM_MEDIA_TYPE = /^application\/x-www-form-urlencoded\s*(?:;.*)?$/i;
const NO_PARAMS: Readonly<Record<string, unknown>> = {};
const NO_PATH = refuse('path_not_found');
const NO_JSON = refuse('media_type_unsupported');
const NO_BODY = refuse('body_invalid', { message: 'A JSON body is required.' });

/** Finds the row, and refuses what cannot have an answer of its own. */
export function openRequest(parts: HandleParts, head: Head): Opening | Refusal {
  const found = parts.router.find(head.path);
  if (found === undefined) return NO_PATH;
  const route = found.rows.get(head.method === 'HEAD' ? 'GET' : head.method);
  if (route === undefined) {
    return refuse('method_not_allowed', { headers: [['Allow', found.allow]] });
  }
  if (head.fault !== '') {
    const message = `${head.fault} is not sent once and in a form that has one meaning.`;
    return refuse('field_invalid', { message, param: head.fault });
  }
  if (found.values.length === 0) return { code: null, route, params: NO_PARAMS };
  return parseParams(route, found);
}

function parseParams(route: Route, found: Found): Opening | Refusal {
  const params: Record<string, unknown> = {};
  let index = 0;
  for (const name in route.params) {
    const param = route.params[name];
    const value = param?.parse(found.values[index] ?? '');
    if (param === undefined || value === undefined) return refuse(param?.code ?? 'path_not_found');
    params[name] = value;
    index += 1;
  }
  return { code: null, route, params };
}

/** Checks body and query, and calls the handler; `body` is the whole of it. */
export function runRequest(due: Due, body: Buffer): Answer | Promise<Answer> {
  const { route } = due.opening;
  const checkedBody = readRaw(due, body) ?? readBody(due, body);
  if (checkedBody !== undefined && 'code' in checkedBody) return checkedBody;
  const checkedQuery = route.query?.check(due.head.query);
  if (checkedQuery !== undefined && 'code' in checkedQuery) return checkedQuery;
  return route.handle(new GatewayRequest(due, checkedBody?.value, checkedQuery?.value));
}

/** Copied: the bytes are the native side's. */
function readRaw({ opening, head }: Due, body: Buffer): { readonly value: RawBody } | undefined {
  if (opening.route.isRaw !== true) return undefined;
  return { value: { headers: head.signing, body: Buffer.from(body) } };
}

function readBody(due: Due, body: Buffer): { readonly value: unknown } | Refusal | undefined {
  if (due.opening.route.body === undefined) return undefined;
  if (body.length === 0) return NO_BODY;
  const { contentType } = due.head;
  const checkForm = due.opening.route.body?.checkForm;
  if (checkForm !== undefined && FORM_MEDIA_TYPE.test(contentType))
    return readForm(body, checkForm);
  if (contentType !== 'application/json' && !JSON_MEDIA_TYPE.test(contentType)) return NO_JSON;
  const parsed = parseJson(body);
  return 'code' in parsed ? parsed : due.opening.route.body?.check(parsed.value);
}

function readForm(
  body: Buffer,
  check: (input: unknown) => Checked<unknown>,
): { readonly value: unknown } | Refusal {
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
  readonly #due: Due;

  constructor(due: Due, body: unknown, query: unknown) {
    const { head, opening } = due;
    this.requestId = due.requestId;
    this.method = opening.route.method;
    this.path = opening.route.path;
    this.target = head.path;
    this.params = opening.params;
    this.query = query;
    this.body = body;
    const hasKey = opening.route.isIdempotent && head.hasIdempotencyKey;
    this.idempotencyKey = hasKey ? head.idempotencyKey : undefined;
    this.credential = due.credential;
    this.session = due.session;
    this.#due = due;
  }

  get address(): string {
    return this.#due.address();
  }

  get wishes(): Wishes {
    return this.#due.head;
  }
}
