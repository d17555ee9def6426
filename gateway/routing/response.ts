// The answer of a handler: a reply, or an API error by its code. http/render.ts adds the headers, the request id and
// the error body.
import { type ErrorCode, explainCode } from './errors.js';

export type HeaderPair = readonly [name: string, value: string];

export interface Reply {
  readonly code: null;
  readonly status: number;
  /** Serialised; JSON unless `contentType` says otherwise. Not sent for HEAD and 204. */
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly headers: readonly HeaderPair[];
  /** `no-store` by default; never set for JSON. */
  readonly cacheControl?: string;
  /** Streamed instead of `body`, which is empty then. */
  readonly chunks?: BodyChunks;
}

/** A text is sent in UTF-8. */
export type BodyChunk = string | Uint8Array;

/**
 * A body that is produced while it is sent (http/response-stream.ts). `next` is called when the client has read the
 * chunks before; `return` is called when the stream is cut, so that the source can release its resources.
 */
export interface BodyChunks {
  /** The source ends them itself with the session of the request; http/admitted-chunks.ts does it for the others. */
  readonly endsWithSession?: boolean;
  next(): Promise<IteratorResult<BodyChunk, undefined>>;
  return(): Promise<unknown>;
}

export interface ApiErrorDetails {
  /** Replaces the message of the error table. Never holds secrets, card data or a rail's name. */
  readonly message?: string;
  /** The field or header that is wrong. */
  readonly param?: string | null;
  /** 502 and 504: the payment to look up. */
  readonly paymentId?: string;
  /** 503 and 504 of payouts: the payout to look up. */
  readonly payoutId?: string;
  /** login_failed: the options for `navigator.credentials.get`, for a user who has a passkey. */
  readonly passkeyOptions?: object;
  /** state_conflict: the object's status now. */
  readonly currentStatus?: string;
  /** state_conflict: the status that the request needs. */
  readonly requiredStatus?: string;
  /** 429 and 503; 1 by default. */
  readonly retryAfterSeconds?: number;
  readonly headers?: readonly HeaderPair[];
}

export interface ApiError {
  readonly code: ErrorCode;
  readonly details: ApiErrorDetails;
}

export type Answer = Reply | ApiError;

export const JSON_TYPE = 'application/json; charset=utf-8';
export const IDEMPOTENT_REPLAYED: HeaderPair = ['Idempotent-Replayed', 'true'];

const NO_HEADERS: readonly HeaderPair[] = [];
const NO_DETAILS: ApiErrorDetails = {};

/** A JSON answer; `body` is its serialised text. */
export function reply(
  status: number,
  body: string,
  headers: readonly HeaderPair[] = NO_HEADERS,
): Reply {
  return { code: null, status, body, contentType: JSON_TYPE, headers };
}

/** An answer of another media type. */
export function replyAs(
  contentType: string,
  status: number,
  body: string | Uint8Array,
  headers: readonly HeaderPair[] = NO_HEADERS,
): Reply {
  return { code: null, status, body, contentType, headers };
}

/** 200 with a streamed body. */
export function replyWithStream(
  contentType: string,
  chunks: BodyChunks,
  headers: readonly HeaderPair[] = NO_HEADERS,
): Reply {
  return { code: null, status: 200, body: '', contentType, headers, chunks };
}

/** Without a message, one is built from the field and what the code requires of it (errors.ts). */
export function buildApiError(code: ErrorCode, details: ApiErrorDetails = NO_DETAILS): ApiError {
  if (details.message !== undefined || !details.param) return { code, details };
  const message = explainCode(code, details.param);
  return { code, details: message === undefined ? details : { ...details, message } };
}
