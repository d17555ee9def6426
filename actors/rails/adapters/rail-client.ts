// HTTP to a rail at its configured address: one signal, no redirects, a bounded body. A request waits for the budget of
// its operation. Only a reply 429 is followed by a repeat, after `Retry-After`, since the rail did not take the request.
// The outcomes: `answer`; `not_sent` (no connection was opened, so the rail cannot know of the request); `throttled` (the
// signal was aborted before the rail would take the request); `silent` (the rail may have taken the request).
import { buildConnector, Pool } from 'undici';
import { isUnaskedContinue, sendByNode } from '#ops/net/interim-responses.js';
import type { RailOperation, RequestBudget } from './request-budget.js';

/** One for each slot of the workers (serve-rails.ts), so that no request queues behind calls that hang. */
export const CONNECTIONS = 1_408;
/** Short, so that a connection which the network has swallowed is not kept for a later call. */
const KEEP_ALIVE_MS = 8_000;
const CONNECT_MS = 10_000;
const HEAD_BYTES = 16 * 1024;
/** The pictures of QR codes are the largest bodies. */
const BODY_BYTES = 256 * 1024;

/** Until the next request after a reply 429 without a usable `Retry-After`. */
const RETRY_AFTER_MS = 1_000;
const MAX_RETRY_AFTER_MS = 60_000;

interface RequestTarget {
  /** Below the configured address; begins with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every GET is an inquiry. */
export type RailRequest =
  | (RequestTarget & { readonly method: 'GET' })
  | (RequestTarget & {
      readonly method: 'POST';
      readonly operation: Exclude<RailOperation, 'inquiry'>;
      /** Sent as JSON. */
      readonly body?: object;
    });

export interface RailReply {
  readonly kind: 'answer';
  readonly status: number;
  readonly body: Buffer;
}

export type RailResponse =
  | RailReply
  | { readonly kind: 'not_sent' }
  | { readonly kind: 'throttled' }
  | { readonly kind: 'silent' };

/** Whether the rail cannot have taken the request. */
export function isUnsent({ kind }: RailResponse): boolean {
  return kind === 'not_sent' || kind === 'throttled';
}

export interface RailClient {
  /** Never rejects. */
  send(request: RailRequest, signal: AbortSignal): Promise<RailResponse>;
  close(): Promise<void>;
}

export interface RailAddress {
  readonly url: string;
  /** Sent with every request: the credential. */
  readonly headers: Readonly<Record<string, string>>;
  /** A bound for a caller whose signal is never aborted. */
  readonly timeoutMs: number;
  readonly budget: RequestBudget;
  /** Whether the rail refuses requests for a while; status 429 always means that. */
  readonly isThrottled?: (reply: RailReply) => boolean;
}

export function openRailClient(address: RailAddress): RailClient {
  const { url, budget, isThrottled = () => false } = address;
  const base = new URL(url).pathname.replace(/\/+$/, '');
  const connections = openConnections(address);
  return {
    send: async (request, signal) => {
      const operation = request.method === 'GET' ? 'inquiry' : request.operation;
      while (await budget.take(operation, signal)) {
        const options = buildOptions(address.headers, base, request);
        const exchanged = await exchange(connections, options, signal);
        const { reply } = exchanged;
        if (reply.kind !== 'answer') return reply;
        if (reply.status !== 429 && !isThrottled(reply)) return reply;
        budget.pause(operation, exchanged.retryAfterMs);
      }
      return { kind: 'throttled' };
    },
    close: () => connections.close(),
  };
}

interface Connections {
  request(options: RequestOptions, signal: AbortSignal): Promise<HttpReply>;
  close(): Promise<void>;
}

interface HttpReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
}

/** After a `100 Continue` that was not asked for, requests go by node:http. The one that got it is silent: it was sent. */
function openConnections({ url, timeoutMs }: RailAddress): Connections {
  const { origin } = new URL(url);
  const connect = buildConnector({ timeout: CONNECT_MS });
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: HEAD_BYTES,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  let isByNode = false;
  const requestByNode: Connections['request'] = async (options, signal) => {
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const sent = { ...options, maxHeaderSize: HEAD_BYTES, signal: bounded };
    const body = await sendByNode(connect, origin, sent);
    return { statusCode: body.statusCode ?? 0, headers: body.headers, body };
  };
  return {
    request: async (options, signal) => {
      if (isByNode) return requestByNode(options, signal);
      try {
        return await pool.request({ ...options, signal });
      } catch (error) {
        isByNode ||= isUnaskedContinue(error);
        throw error;
      }
    },
    close: () => pool.destroy(),
  };
}

interface RequestOptions {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

function buildOptions(
  credential: RailAddress['headers'],
  base: string,
  request: RailRequest,
): RequestOptions {
  const body = request.method === 'POST' ? request.body : undefined;
  return {
    method: request.method,
    path: base + request.path,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...credential,
      ...request.headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  };
}

interface Exchanged {
  readonly reply: Exclude<RailResponse, { kind: 'throttled' }>;
  readonly retryAfterMs: number;
}

/** Sends the request once. */
async function exchange(
  connections: Connections,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<Exchanged> {
  try {
    const response = await connections.request(options, signal);
    const retryAfterMs = readRetryAfter(response.headers['retry-after']);
    return { reply: await readAnswer(response), retryAfterMs };
  } catch (error) {
    const isSilent = signal.aborted || !isUnconnected(error);
    return { reply: { kind: isSilent ? 'silent' : 'not_sent' }, retryAfterMs: RETRY_AFTER_MS };
  }
}

/** Reads whole seconds or an HTTP date. */
function readRetryAfter(written: string | string[] | undefined): number {
  if (typeof written !== 'string') return RETRY_AFTER_MS;
  const ms = /^[0-9]{1,6}$/.test(written)
    ? Number(written) * 1000
    : Date.parse(written) - Date.now();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : RETRY_AFTER_MS;
}

/** A body that is too long or breaks off counts as silence. */
async function readAnswer(response: HttpReply): Promise<Exchanged['reply']> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Returning from the loop destroys the body and its connection.
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES) return { kind: 'silent' };
    chunks.push(chunk);
  }
  return { kind: 'answer', status: response.statusCode, body: Buffer.concat(chunks) };
}

const NEVER_CONNECTED = new Set(['connect', 'getaddrinfo']);

/** DNS and TCP errors come before the first byte. Errors of TLS and all later ones count as silence. */
function isUnconnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnconnected);
  const { code, syscall } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_CONNECT_TIMEOUT' || NEVER_CONNECTED.has(syscall ?? '');
}
