// The request as handlers see it: copied, parsed and checked. Nothing in it is a native value.
import { randomBytes } from 'node:crypto';
import type { Credential } from '#actors/core/api-key.js';
import type { Session } from './session.js';

export type NoParams = Readonly<Record<never, never>>;

/** What the client would rather have, as it was sent; empty: it does not say. */
export interface Preferences {
  readonly accept: string;
  readonly acceptLanguage: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

/** Of a raw row. */
export interface RawBody {
  /** Those that a sender may sign with, by lower-case name; absent ones are not there. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface OpenRequest<Params = NoParams, Body = undefined, Query = undefined> {
  /** `req_…`, also in the answer and in every log line. */
  readonly requestId: string;
  /** GET for HEAD too. */
  readonly method: string;
  /** The row's template, `/v1/payments/{payment_id}`. */
  readonly path: string;
  /** The path as it was sent. */
  readonly target: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Checked; undefined when absent, or when the row is not idempotent. */
  readonly idempotencyKey: string | undefined;
  /**
   * The client's address: the rightmost one that is no trusted proxy. Read it before the first await:
   * it is empty when the client has gone.
   */
  readonly address: string;
  readonly preferences: Preferences;
}

export interface KeyRequest<
  Params = NoParams,
  Body = undefined,
  Query = undefined,
> extends OpenRequest<Params, Body, Query> {
  readonly credential: Credential;
}

export interface SessionRequest<
  Params = NoParams,
  Body = undefined,
  Query = undefined,
> extends OpenRequest<Params, Body, Query> {
  readonly session: Session;
}

/** A request whose route is known, as the gateway passes it on: each row knows what is in it. */
export type AnyRequest = OpenRequest<unknown, unknown, unknown> & {
  readonly credential?: Credential | undefined;
  readonly session?: Session | undefined;
};

const PROCESS_BYTES = 10;
const COUNTER_DIGITS = 6;

/** Request ids of one process: its own random part and a counter, which costs nothing. They are no secrets. */
export function createRequestIds(): () => string {
  const start = `req_${randomBytes(PROCESS_BYTES).toString('hex')}`;
  let counter = 0;
  return () => {
    counter += 1;
    return start + counter.toString(36).padStart(COUNTER_DIGITS, '0');
  };
}
