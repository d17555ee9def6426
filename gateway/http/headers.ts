// Copies what a request's head says while the native request is valid, and counts the headers that must not
// come twice. The native parser takes the first of two and any transfer encoding that it does not know
// (tried), which is how requests are smuggled past a proxy; so both are refused here, with a close.
//
// Absent headers are empty strings: none of those read here may be empty where it means something.

import type { Head } from '../routing/request-head.js';
import type { NativeHead } from './native.js';

const MAX_LENGTH_DIGITS = 15;
const LENGTH = /^[0-9]+$/;

const SEEN_HOST = 1;
const SEEN_LENGTH = 2;
const SEEN_ENCODING = 4;
const SEEN_AUTHORIZATION = 8;
const SEEN_API_KEY = 16;
const SEEN_IDEMPOTENCY_KEY = 32;
const SEEN_VERSION = 64;

const NO_SIGNING: Readonly<Record<string, string>> = {};

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
  signing: NO_SIGNING,
  fault: '',
});

/**
 * A reader for one brand: `versionHeader` is the name of Service-Version. It is not re-entrant, and need not
 * be: it runs to its end inside one native callback.
 */
export function createHeadReader(versionHeader: string): (native: NativeHead) => Head {
  const versionName = versionHeader.toLowerCase();
  let head = createEmptyHead();
  let seen = 0;

  const countOnce = (bit: number, name: string): void => {
    if ((seen & bit) !== 0) head.fault = name;
    seen |= bit;
  };

  const take = (name: string, value: string): void => {
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
        if (value.toLowerCase() !== 'chunked') head.fault = 'Transfer-Encoding';
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
    native.forEach(take);
    if ((seen & SEEN_LENGTH) !== 0 && (seen & SEEN_ENCODING) !== 0) head.fault = 'Content-Length';
    return head;
  };
}

/** What only pages and callbacks look at; the last of two counts. */
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
    case 'x-callback-token':
    case 'webhook-id':
      head.signing = { ...head.signing, [name]: value };
      return;
    default:
  }
}

function readLength(head: Head, value: string): void {
  if (LENGTH.test(value) && value.length <= MAX_LENGTH_DIGITS) head.contentLength = Number(value);
  else head.fault = 'Content-Length';
}

/** Whether bytes follow the head. */
export function hasBody(head: Head): boolean {
  return head.contentLength > 0 || head.isChunked;
}
