// From a native request to its exchange, or to a WebSocket.
//
// The head of a request is copied while the native request is valid, and headers that make it ambiguous are found. Of two equal
// headers the native parser takes the first, and it accepts any unknown transfer encoding; both are ways to smuggle a
// request past a proxy. So such a request is answered 400 and its connection is closed.
//
// An absent header is the empty string: no header that is read here means something when it is empty.
import { findSessionTokens, NO_COOKIES } from '../auth/session-cookie.js';
import { type Limit, UNLIMITED, type WithinLimit } from '../limits/limits.js';
import { formatAddress } from '../routing/client-address.js';
import { createRequestIds, type Head } from '../routing/request.js';
import type { ApiError } from '../routing/response.js';
import type { PushRoute } from '../routing/route.js';
import { type OpenedRequest, openRequest } from '../routing/router.js';
import { Exchange } from './exchange.js';
import type { NativeHead, NativeResponse } from './native.js';
import { MAX_CONTENT_LENGTH_DIGITS } from './request-limits.js';
import type { ServerContext } from './server-context.js';

/** Returns why a request must not become a WebSocket, or the limit that it counts in. */
export type PushCheck = (native: NativeResponse, head: Head) => ApiError | WithinLimit;

export interface Receiver {
  readonly receive: (native: NativeResponse, request: NativeHead) => void;
  /** Answers the error of `check`, or calls `upgrade`. */
  readonly receivePush: (
    native: NativeResponse,
    request: NativeHead,
    check: PushCheck,
    upgrade: (within: WithinLimit) => void,
  ) => void;
}

/** Its functions do not throw: an exception in a native callback would end the process. */
export function createReceiver(context: ServerContext, versionHeader: string): Receiver {
  const readHead = createHeadReader(versionHeader);
  const nextRequestId = createRequestIds();
  const attempt = (native: NativeResponse, step: () => void): void => {
    try {
      step();
    } catch (error) {
      context.log.error({ err: error }, 'a request could not be read; its connection is closed');
      native.close();
    }
  };
  const start = (native: NativeResponse, head: Head, opened: OpenedRequest | ApiError): void => {
    new Exchange(context, native, head, nextRequestId()).start(opened);
  };
  return {
    receive: (native, request) => {
      attempt(native, () => {
        const head = readHead(request);
        if (context.tracer !== undefined) head.traceparent = request.getHeader('traceparent');
        const opened = openRequest(context.router, head);
        if (opened.code === null && opened.route.rawHeaders === 'all') {
          head.rawHeaders = readRawHeaders(request);
        }
        if (opened.code === null && opened.route.auth === 'session') {
          readSessionHeaders(request, head, context.sessionCookieName);
        }
        if (opened.code === null && opened.route.readsCookies === true) {
          head.cookies = request.getHeader('cookie');
        }
        start(native, head, opened);
      });
    },
    receivePush: (native, request, check, upgrade) => {
      attempt(native, () => {
        const head = readHead(request);
        const checked = check(native, head);
        if (checked.code === null) upgrade(checked);
        else start(native, head, checked);
      });
    },
  };
}

/** Counts each WebSocket once against the limit of its route. */
export function createPushCheck(
  push: PushRoute,
  context: ServerContext,
  limit: Limit | undefined,
): PushCheck {
  return (native, head) => {
    if (limit === undefined || push.limit === undefined) return UNLIMITED;
    const address = (): string =>
      context.readAddress(formatAddress(native.getRemoteAddress()), head.forwardedFor);
    return limit(push.limit, { route: push, path: head.path, address });
  };
}

const LENGTH = /^[0-9]+$/;

const SEEN_HOST = 1;
const SEEN_LENGTH = 2;
const SEEN_ENCODING = 4;
const SEEN_AUTHORIZATION = 8;
const SEEN_API_KEY = 16;
const SEEN_IDEMPOTENCY_KEY = 32;
const SEEN_VERSION = 64;

const NO_RAW_HEADERS: Readonly<Record<string, string>> = {};

const createEmptyHead = (): Head => ({
  method: '',
  path: '',
  query: '',
  contentLength: 0,
  isChunked: false,
  contentType: '',
  contentEncoding: '',
  expect: '',
  authorization: '',
  apiKey: '',
  idempotencyKey: '',
  hasIdempotencyKey: false,
  version: '',
  forwardedFor: '',
  accept: '',
  acceptLanguage: '',
  acceptEncoding: '',
  ifNoneMatch: '',
  sessionCookies: NO_COOKIES,
  origin: '',
  cookies: '',
  traceparent: '',
  rawHeaders: NO_RAW_HEADERS,
  invalidHeader: '',
});

/**
 * Creates a reader for one brand: `versionHeader` is its name of Service-Version. The reader keeps its state outside the
 * call, which is safe because it runs to its end inside one native callback.
 */
export function createHeadReader(versionHeader: string): (native: NativeHead) => Head {
  const versionName = versionHeader.toLowerCase();
  let head = createEmptyHead();
  let seen = 0;

  const countOnce = (bit: number, name: string): void => {
    if ((seen & bit) !== 0) head.invalidHeader = name;
    seen |= bit;
  };

  const readHeader = (name: string, value: string): void => {
    switch (name) {
      case 'host':
        return countOnce(SEEN_HOST, 'Host');
      case 'authorization':
        head.authorization = value;
        return countOnce(SEEN_AUTHORIZATION, 'Authorization');
      case 'content-type':
        head.contentType = value;
        return;
      case 'content-encoding':
        head.contentEncoding = value;
        return;
      case 'content-length':
        readLength(head, value);
        return countOnce(SEEN_LENGTH, 'Content-Length');
      case 'transfer-encoding':
        head.isChunked = true;
        if (value.toLowerCase() !== 'chunked') head.invalidHeader = 'Transfer-Encoding';
        return countOnce(SEEN_ENCODING, 'Transfer-Encoding');
      case 'idempotency-key':
        head.idempotencyKey = value;
        head.hasIdempotencyKey = true;
        return countOnce(SEEN_IDEMPOTENCY_KEY, 'Idempotency-Key');
      case 'x-api-key':
        head.apiKey = value;
        return countOnce(SEEN_API_KEY, 'X-Api-Key');
      case 'x-forwarded-for':
        head.forwardedFor += head.forwardedFor === '' ? value : `,${value}`;
        return;
      case versionName:
        head.version = value;
        return countOnce(SEEN_VERSION, versionHeader);
      default:
        readSeldomHeader(head, name, value);
    }
  };

  return (native) => {
    head = createEmptyHead();
    seen = 0;
    head.method = native.getCaseSensitiveMethod();
    head.path = native.getUrl();
    head.query = native.getQuery() ?? '';
    native.forEach(readHeader);
    if ((seen & SEEN_LENGTH) !== 0 && (seen & SEEN_ENCODING) !== 0) {
      head.invalidHeader = 'Content-Length';
    }
    return head;
  };
}

/** Headers of content negotiation, of which the last of two counts, and Expect. */
function readSeldomHeader(head: Head, name: string, value: string): void {
  switch (name) {
    case 'expect':
      head.expect += head.expect === '' ? value : `,${value}`;
      return;
    case 'accept':
      head.accept = value;
      return;
    case 'accept-language':
      head.acceptLanguage = value;
      return;
    case 'accept-encoding':
      head.acceptEncoding = value;
      return;
    case 'if-none-match':
      head.ifNoneMatch = value;
      return;
    default:
  }
}

function readLength(head: Head, value: string): void {
  const isValid = LENGTH.test(value) && value.length <= MAX_CONTENT_LENGTH_DIGITS;
  if (isValid) head.contentLength = Number(value);
  else head.invalidHeader = 'Content-Length';
}

/** Reads all headers, inside the native callback. Of two with the same name the first counts. */
function readRawHeaders(native: NativeHead): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  native.forEach((name, value) => {
    if (value !== '' && !headers.has(name)) headers.set(name, value);
  });
  return Object.fromEntries(headers);
}

/** Reads the cookies of the session, inside the native callback. Other routes have none, so their requests do not pay for it. */
function readSessionHeaders(native: NativeHead, head: Head, cookieName: string): void {
  native.forEach((name, value) => {
    if (name === 'cookie') {
      head.sessionCookies = [...head.sessionCookies, ...findSessionTokens(value, cookieName)];
    } else if (name === 'origin') {
      head.origin += head.origin === '' ? value : `,${value}`;
    }
  });
}
