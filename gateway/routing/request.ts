// A request: its head as the transport copies it, and the form that handlers get, parsed and checked. Neither holds
// a native value.
import { randomBytes } from 'node:crypto';
import type { Credential } from '#actors/core/api-key.js';
import type { MerchantId, SessionId, UserId } from '#actors/core/ids.js';
import type { Role } from './roles.js';

export type NoParams = Readonly<Record<never, never>>;

/** Request headers for content negotiation, unparsed; an absent header is the empty string. */
export interface Preferences {
  readonly accept: string;
  readonly acceptLanguage: string;
  readonly acceptEncoding: string;
  readonly ifNoneMatch: string;
}

/** The head of a request. An absent header is the empty string. */
export interface Head {
  method: string;
  path: string;
  query: string;
  /** The announced bytes; 0 for a chunked body, which announces none. */
  contentLength: number;
  isChunked: boolean;
  contentType: string;
  contentEncoding: string;
  /** All of its values, with commas. */
  expect: string;
  authorization: string;
  apiKey: string;
  idempotencyKey: string;
  hasIdempotencyKey: boolean;
  version: string;
  forwardedFor: string;
  accept: string;
  acceptLanguage: string;
  acceptEncoding: string;
  ifNoneMatch: string;
  /** Session routes only: the values of all cookies that have the name of the session's. */
  sessionCookies: readonly string[];
  /** Session routes only. */
  origin: string;
  /** The header Cookie; empty unless the route `readsCookies`. */
  cookies: string;
  /** Empty while traces are off. */
  traceparent: string;
  /** By lower-case name; empty unless the route reads all headers (`rawHeaders`). */
  rawHeaders: Readonly<Record<string, string>>;
  /** The header that makes the request ambiguous, such as a second Host; empty: none does. */
  invalidHeader: string;
}

/** The body of a raw route. */
export interface RawBody {
  /** By lower-case name; empty unless the route reads all headers (`rawHeaders`). */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The user that is logged in. */
export interface Session {
  readonly id: SessionId;
  readonly userId: UserId;
  /** null: an administrator, who belongs to no merchant. */
  readonly merchantId: MerchantId | null;
  readonly role: Role;
  readonly email: string;
  readonly isVerified: boolean;
  readonly hasSecondFactor: boolean;
  /** An administrator who can only set up a second factor. */
  readonly mustEnrol: boolean;
  /** The browser sent it as a cookie. */
  readonly isByCookie: boolean;
}

export interface OpenRequest<Params = NoParams, Body = undefined, Query = undefined> {
  /** `req_…`; also in the answer's headers and in each log line of the request. */
  readonly requestId: string;
  /** GET for HEAD too. */
  readonly method: string;
  /** The route's template: `/v1/payments/{payment_id}`. */
  readonly path: string;
  /** The path as the client sent it. */
  readonly target: string;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** Checked; undefined: absent, or the route is not idempotent. */
  readonly idempotencyKey: string | undefined;
  /**
   * The client's address: the rightmost one that is not a trusted proxy. Read it before the first await, because it is
   * empty once the client has disconnected.
   */
  readonly address: string;
  /** The header Cookie; empty unless the route `readsCookies`. */
  readonly cookies: string;
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

/** A request of any route; each route's type says which fields it has. */
export type AnyRequest = OpenRequest<unknown, unknown, unknown> & {
  readonly credential?: Credential | undefined;
  readonly session?: Session | undefined;
};

const PROCESS_BYTES = 10;
const COUNTER_DIGITS = 6;

/** Request ids of one process: a random prefix and a counter, which costs less than random bytes. They are not secret. */
export function createRequestIds(): () => string {
  const start = `req_${randomBytes(PROCESS_BYTES).toString('hex')}`;
  let counter = 0;
  return () => {
    counter += 1;
    return start + counter.toString(36).padStart(COUNTER_DIGITS, '0');
  };
}

/** Whether the client waits for an interim answer before it sends the body. Names of expectations have no case. */
export const expectsContinue = ({ expect }: Head): boolean =>
  expect.toLowerCase() === '100-continue';

/** Whether bytes follow the head. */
export function hasBody(head: Head): boolean {
  return head.contentLength > 0 || head.isChunked;
}
