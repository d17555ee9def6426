// What a handler answers: a reply, or a refusal by its code. Neither is bytes yet: headers, request id and
// error body are added by render.ts.
import type { ErrorCode } from './errors.js';

export type HeaderPair = readonly [name: string, value: string];

export interface Reply {
  readonly code: null;
  readonly status: number;
  /** Serialised already; JSON unless `contentType` says otherwise. Not sent to HEAD and with 204. */
  readonly body: string | Uint8Array;
  readonly contentType: string;
  readonly headers: readonly HeaderPair[];
  /** `no-store` unless told; of JSON never told. */
  readonly cacheControl?: string;
  /** Sent instead of `body`, which is empty then. */
  readonly chunks?: BodyChunks;
}

/**
 * A body that is made while it is sent (output/outflow.ts). A piece is asked for when the client has taken those before;
 * `return` is called when no more will be, unless they ended by themselves.
 */
export interface BodyChunks {
  next(): Promise<IteratorResult<string, undefined>>;
  return(): Promise<unknown>;
}

export interface ApiErrorDetails {
  /** Replaces the text of the error table. Never holds secrets, card data or a rail's name. */
  readonly message?: string;
  /** The field or header at fault. */
  readonly param?: string | null;
  /** 502 and 504: the payment to look up. */
  readonly paymentId?: string;
  /** 503 and 504 of payouts: the payout to look up. */
  readonly payoutId?: string;
  /** state_conflict: what the object's status is now. */
  readonly currentStatus?: string;
  /** 429 and 503; one second unless told. */
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

/** A JSON answer; `body` is its text. */
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

/** 200 with a body in pieces. */
export function replyWithStream(
  contentType: string,
  pieces: BodyChunks,
  headers: readonly HeaderPair[] = NO_HEADERS,
): Reply {
  return { code: null, status: 200, body: '', contentType, headers, chunks: pieces };
}

export function buildApiError(code: ErrorCode, details: ApiErrorDetails = NO_DETAILS): ApiError {
  return { code, details };
}
