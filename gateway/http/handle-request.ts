// Collects the body of a request, checks it and calls the handler. Only RequestBody uses native values. The order of all checks is part of the contract: path, method,
// headers, ids in the path (routing/router.ts), credential and admission (auth/admission.ts); then here media type, body,
// JSON, schema, query.
//
// The body of a request, as its chunks arrive:
//
//   READING ──pause──▶ PAUSED ──resume──▶ READING        READING ──last chunk──▶ complete
//
// A paused connection is not read: what was read with the head still arrives (at most 512 KiB), the rest stays with the
// client.
import type { Credential } from '#actors/core/api-key.js';
import type { OpenedRequest } from '../routing/router.js';
import { type Answer, type ApiError, buildApiError } from '../routing/response.js';
import { parseJson } from '../routing/json.js';
import { parseQuery } from '../routing/query.js';
import {
  type AnyRequest,
  type Head,
  hasBody,
  type Preferences,
  type RawBody,
  type Session,
} from '../routing/request.js';
import type { BodyPermit, Route } from '../routing/route.js';
import type { Checked } from '../routing/validation.js';
import type { NativeResponse } from './native.js';
import { BODY_LIMIT_BYTES, LARGE_BODY_DEADLINE_MS } from './request-limits.js';

const TOO_LATE = buildApiError('body_invalid', {
  message: `The body did not arrive within ${LARGE_BODY_DEADLINE_MS / 1_000} s.`,
});

export class RequestBody {
  readonly #native: NativeResponse;
  readonly #head: Head;
  #isComplete: boolean;
  #isPaused = false;
  #size = 0;
  #chunks: ArrayBuffer[] = [];
  #permit: BodyPermit | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(native: NativeResponse, head: Head) {
    this.#native = native;
    this.#head = head;
    this.#isComplete = !hasBody(head);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** The bytes that arrived, also those that were dropped. */
  get size(): number {
    return this.#size;
  }

  get chunks(): readonly ArrayBuffer[] {
    return this.#chunks;
  }

  count(chunk: ArrayBuffer, isLast: boolean): void {
    this.#size += chunk.byteLength;
    this.#isComplete = isLast;
  }

  /** Copies the chunk, because its bytes belong to the native side. */
  keep(chunk: ArrayBuffer): void {
    this.#chunks.push(chunk.slice(0));
  }

  /** The whole body. A single chunk is not copied, except on a route whose handler keeps it for longer. */
  end(chunk: ArrayBuffer): readonly ArrayBuffer[] {
    clearTimeout(this.#timer);
    if (this.#chunks.length === 0 && this.#permit === undefined) return [chunk];
    this.keep(chunk);
    return this.#chunks;
  }

  /** A chunked body announces no length, so no room can be reserved for a large one. */
  findSizeError(route: Route | undefined): ApiError | undefined {
    const { isChunked, contentLength } = this.#head;
    const ownLimit = route?.bodyLimitBytes ?? BODY_LIMIT_BYTES;
    const limit = isChunked ? Math.min(BODY_LIMIT_BYTES, ownLimit) : ownLimit;
    if (Math.max(contentLength, this.#size) <= limit) return undefined;
    const condition = limit < ownLimit ? ' without a Content-Length' : '';
    const message = `The body must be at most ${limit} bytes${condition}.`;
    return buildApiError('body_too_large', { message });
  }

  /** Reads a large body. `onLate` is called with the error when it does not arrive in time. */
  grant(permit: BodyPermit, onLate: (error: ApiError) => void): void {
    this.#permit = permit;
    if (!this.#isComplete) this.#timer = setTimeout(onLate, LARGE_BODY_DEADLINE_MS, TOO_LATE);
    this.resume();
  }

  /** Gives back the room of a large body. */
  release(): void {
    clearTimeout(this.#timer);
    this.#permit?.release();
    this.#permit = undefined;
  }

  /** Forgets the chunks, and reads on. */
  drop(): void {
    this.#chunks = [];
    this.resume();
  }

  pause(): void {
    this.#isPaused = true;
    this.#native.pause();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#native.resume();
  }
}

/** A request that may be handled. */
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
const NO_JSON = buildApiError('media_type_unsupported');
const NO_BYTES = Buffer.alloc(0);
const NO_BODY = buildApiError('body_invalid', { message: 'A JSON body is required.' });

/** Checks what the head says about a large body, and reserves the room for it. */
export async function beginLargeBody(admitted: AdmittedRequest): Promise<BodyPermit | ApiError> {
  const { head, opened } = admitted;
  const { beginBody } = opened.route;
  if (beginBody === undefined) throw new Error(`${opened.route.path} takes no large body`);
  if (!hasBody(head)) return NO_BODY;
  if (!isJson(head.contentType)) return NO_JSON;
  return beginBody(new GatewayRequest(admitted, undefined, undefined), head.contentLength);
}

/** Checks the complete body and the query, and calls the handler. */
export function runRequest(
  admitted: AdmittedRequest,
  chunks: readonly ArrayBuffer[],
): Answer | Promise<Answer> {
  const { route } = admitted.opened;
  if (route.beginBody !== undefined) {
    return route.handle(new GatewayRequest(admitted, chunks, undefined));
  }
  const body = joinChunks(chunks);
  const checkedBody = readRaw(admitted, body) ?? readBody(admitted, body);
  if (checkedBody !== undefined && 'code' in checkedBody) return checkedBody;
  const checkedQuery = route.query?.check(admitted.head.query);
  if (checkedQuery !== undefined && 'code' in checkedQuery) return checkedQuery;
  return route.handle(new GatewayRequest(admitted, checkedBody?.value, checkedQuery?.value));
}

/** One chunk is not copied. */
export function joinChunks(chunks: readonly ArrayBuffer[]): Buffer {
  const [first] = chunks;
  if (first === undefined) return NO_BYTES;
  return chunks.length === 1
    ? Buffer.from(first)
    : Buffer.concat(chunks.map((one) => Buffer.from(one)));
}

/** Copies the body, because its bytes belong to the native side. */
function readRaw(
  { opened, head }: AdmittedRequest,
  body: Buffer,
): { readonly value: RawBody } | undefined {
  if (opened.route.rawHeaders === undefined) return undefined;
  return { value: { headers: head.rawHeaders, body: Buffer.from(body) } };
}

function readBody(
  { opened, head }: AdmittedRequest,
  body: Buffer,
): { readonly value: unknown } | ApiError | undefined {
  const spec = opened.route.body;
  if (spec === undefined) return undefined;
  if (body.length === 0) return spec.isOptional === true ? spec.check({}) : NO_BODY;
  const { contentType } = head;
  const { checkForm } = spec;
  if (checkForm !== undefined && FORM_MEDIA_TYPE.test(contentType)) {
    return readForm(body, checkForm);
  }
  if (!isJson(contentType)) return NO_JSON;
  const parsed = parseJson(body);
  return 'code' in parsed ? parsed : spec.check(parsed.value);
}

const isJson = (contentType: string): boolean =>
  contentType === 'application/json' || JSON_MEDIA_TYPE.test(contentType);

function readForm(
  body: Buffer,
  check: (input: unknown) => Checked<unknown>,
): { readonly value: unknown } | ApiError {
  const parsed = parseQuery(body.toString('latin1'));
  return 'code' in parsed ? parsed : check(parsed.value);
}

/** A class for its getters: `address` costs a native call, and few handlers read it. */
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
  readonly #admitted: AdmittedRequest;

  constructor(admitted: AdmittedRequest, body: unknown, query: unknown) {
    const { head, opened } = admitted;
    this.requestId = admitted.requestId;
    this.method = opened.route.method;
    this.path = opened.route.path;
    this.target = head.path;
    this.params = opened.params;
    this.query = query;
    this.body = body;
    const hasKey = opened.route.isIdempotent && head.hasIdempotencyKey;
    this.idempotencyKey = hasKey ? head.idempotencyKey : undefined;
    this.credential = admitted.credential;
    this.session = admitted.session;
    this.#admitted = admitted;
  }

  get address(): string {
    return this.#admitted.address();
  }

  get cookies(): string {
    return this.#admitted.head.cookies;
  }

  get preferences(): Preferences {
    return this.#admitted.head;
  }
}
