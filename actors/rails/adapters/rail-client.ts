// HTTP to a rail at its configured address: one exchange with one signal, no repeats, no redirects, a bounded body. There
// are three outcomes: `answer`; `not_sent` (no connection was opened, so the rail cannot know of the request); `silent`
// (the rail may have taken the request).
import { type Dispatcher, Pool } from 'undici';

/** One for each slot of the lanes (serve-rails.ts), so that no request queues behind calls that hang. */
export const CONNECTIONS = 1_408;
const KEEP_ALIVE_MS = 30_000;
const CONNECT_MS = 10_000;
const HEAD_BYTES = 16 * 1024;
/** The pictures of QR codes are the largest bodies. */
const BODY_BYTES = 256 * 1024;

export interface RailRequest {
  readonly method: 'GET' | 'POST';
  /** Below the configured address; begins with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

export type RailResponse =
  | { readonly kind: 'answer'; readonly status: number; readonly body: Buffer }
  | { readonly kind: 'not_sent' }
  | { readonly kind: 'silent' };

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
}

export function openRailClient({ url, headers, timeoutMs }: RailAddress): RailClient {
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: HEAD_BYTES,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  return {
    send: async (request, signal) => {
      try {
        const response = await pool.request({
          method: request.method,
          path: base + request.path,
          headers: {
            accept: 'application/json',
            ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
            ...request.headers,
          },
          body: request.body === undefined ? null : JSON.stringify(request.body),
          signal,
        });
        return await readAnswer(response);
      } catch (error) {
        return signal.aborted || !isUnconnected(error) ? { kind: 'silent' } : { kind: 'not_sent' };
      }
    },
    close: () => pool.destroy(),
  };
}

/** A body that is too long or breaks off counts as silence. */
async function readAnswer(response: Dispatcher.ResponseData): Promise<RailResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Returning from the loop destroys the body and its connection.
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
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
