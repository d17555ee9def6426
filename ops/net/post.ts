// One POST to a merchant's address, bounded in everything: 3 s to connect, 10 s in all (one signal, which
// covers the body too), 64 KiB read, 16 KiB kept, no redirects; a few connections an origin, and a bounded
// number of origins whose connections are kept.
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { type Dispatcher, errors, Pool } from 'undici';
import { ConnectTimeoutError, type ConnectorOptions, createGuardedConnector } from './connector.js';
import { parseTarget, TargetRefusedError } from './target.js';

export const TOTAL_DEADLINE_MS = 10_000;
const READ_BYTES = 64 * 1024;
const KEPT_BYTES = 16 * 1024;
const HEAD_BYTES = 16 * 1024;
const CONNECTIONS_PER_ORIGIN = 8;
const ORIGINS = 256;
const KEEP_ALIVE_MS = 10_000;

export interface PosterOptions extends ConnectorOptions {
  readonly deadlineMs?: number;
}

export type PostFailure =
  | 'target_refused'
  | 'timeout_dns'
  | 'timeout_connect'
  | 'timeout_tls'
  | 'timeout_response'
  | 'dns'
  | 'tls'
  | 'connection'
  | 'response_invalid';

export type PostResult =
  | { kind: 'answer'; status: number; headers: IncomingHttpHeaders; excerpt: string }
  | { kind: 'failed'; failure: PostFailure; error: string };

export interface Poster {
  /** Never rejects. */
  post(url: string, headers: Record<string, string>, body: Uint8Array): Promise<PostResult>;
  close(): Promise<void>;
}

export function createPoster(options: PosterOptions): Poster {
  const { allowed, deadlineMs = TOTAL_DEADLINE_MS } = options;
  const connect = createGuardedConnector(options);
  const pools = new LRUCache<string, Pool>({
    max: ORIGINS,
    // Requests under way end in their own time.
    dispose: (pool) => void pool.close(),
  });
  const poolOf = (origin: string): Pool => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connect,
      connections: CONNECTIONS_PER_ORIGIN,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEAD_BYTES,
      headersTimeout: deadlineMs,
      bodyTimeout: deadlineMs,
    });
    pools.set(origin, pool);
    return pool;
  };
  return {
    post: async (text, headers, body) => {
      try {
        const url = parseTarget(text, allowed);
        const signal = AbortSignal.timeout(deadlineMs);
        const path = url.pathname + url.search;
        const wish = { path, method: 'POST', headers, body, signal } as const;
        const answer = await poolOf(url.origin).request(wish);
        const excerpt = await readExcerpt(answer.body);
        return { kind: 'answer', status: answer.statusCode, headers: answer.headers, excerpt };
      } catch (error) {
        return { kind: 'failed', failure: classify(error), error: describe(error) };
      }
    },
    close: async () => {
      const open = [...pools.values()];
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}

/**
 * The beginning of the body. The status stands whatever the body does: one that is too long is cut off with
 * its connection, and one that breaks or never ends is kept as far as it came.
 */
async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const kept: Buffer[] = [];
  let readBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (readBytes < KEPT_BYTES) kept.push(chunk);
      readBytes += chunk.length;
      if (readBytes >= READ_BYTES) break;
    }
  } catch {
    // Broken off, or past the deadline.
  }
  body.on('error', () => {});
  body.destroy();
  return Buffer.concat(kept)
    .subarray(0, KEPT_BYTES)
    .toString('utf8')
    .replaceAll('\u0000', '\ufffd');
}

const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'ESERVFAIL']);

function classify(error: unknown): PostFailure {
  if (error instanceof TargetRefusedError) return 'target_refused';
  if (error instanceof ConnectTimeoutError) return `timeout_${error.phase}`;
  if (isTimeout(error)) return 'timeout_response';
  if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError) {
    return 'response_invalid';
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (DNS_CODES.has(code)) return 'dns';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || isCertificateFault(code))
    return 'tls';
  return message.includes('SSL') || message.includes('TLS') ? 'tls' : 'connection';
}

function isTimeout(error: unknown): boolean {
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return true;
  }
  return error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
}

const CERTIFICATE_CODES =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|EPROTO)/;
const isCertificateFault = (code: string): boolean => CERTIFICATE_CODES.test(code);

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, message } = error as NodeJS.ErrnoException;
  return `${code ?? error.name}: ${message}`.slice(0, 200);
}
