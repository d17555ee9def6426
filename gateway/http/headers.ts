// Copies the head of a request while the native request is valid, and finds headers that make it ambiguous. Of two equal
// headers the native parser takes the first, and it accepts any unknown transfer encoding; both are ways to smuggle a
// request past a proxy. So such a request is answered 400 and its connection is closed.
//
// An absent header is the empty string: no header that is read here means something when it is empty.
import type { Head } from '../routing/request.js';
import type { NativeHead } from './native.js';
import { MAX_CONTENT_LENGTH_DIGITS } from './request-limits.js';

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
        readPreference(head, name, value);
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

/** Headers that only pages read; the last of two counts. */
function readPreference(head: Head, name: string, value: string): void {
  switch (name) {
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

/** Reads the headers that a raw route names, inside the native callback. */
export function readRawHeaders(
  native: NativeHead,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = native.getHeader(name);
    if (value !== '') headers[name] = value;
  }
  return headers;
}

/** Whether bytes follow the head. */
export function hasBody(head: Head): boolean {
  return head.contentLength > 0 || head.isChunked;
}
