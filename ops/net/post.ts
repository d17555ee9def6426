// Sends a POST to a merchant's address within limits: 3 s to connect, 10 s in total (one timer, the body included),
// 64 KiB read, 16 KiB kept, no redirects, 32 connections per origin, kept connections to 256 origins. An origin that sends
// `100 Continue` unasked gets its next requests by node:http, within the same limits (interim-responses.ts). The status counts
// even if the body fails: a body that is too long, breaks off or never ends is kept as far as it was received, and the
// connection is closed.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { type buildConnector, type Dispatcher, errors, Pool } from 'undici';
import { type Clock, SYSTEM_CLOCK } from '../runtime/clock.js';
import { startDeadline } from '../runtime/deadline.js';
import {
  ConnectTimeoutError,
  type ConnectorOptions,
  createGuardedConnector,
} from './ssrf-guard.js';
import {
  createTurns,
  isUnaskedContinue,
  MAX_INTERIM_RESPONSES,
  sendByNode,
} from './interim-responses.js';
import { parseTarget, TargetRefusedError } from './target.js';

export const TOTAL_DEADLINE_MS = 10_000;
const READ_BYTES = 64 * 1024;
const KEPT_BYTES = 16 * 1024;
const HEAD_BYTES = 16 * 1024;
/** More than one endpoint may use, because many endpoints can share an origin. */
const CONNECTIONS_PER_ORIGIN = 32;
const ORIGINS = 256;
const TARGETS = 4_096;
const KEEP_ALIVE_MS = 10_000;
const UNASKED_CONTINUE =
  '100 Continue came, although the request did not ask for it; the next attempts accept it';

export interface PosterOptions extends ConnectorOptions {
  readonly deadlineMs?: number;
  /** Of the deadline. The system's by default. */
  readonly clock?: Clock;
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
  | { kind: 'failed'; failure: PostFailure; error: string }
  | { kind: 'withheld' };

export interface Poster {
  /** Never rejects. `mayBegin` is called once connected, before a byte is sent; false: the POST is withheld. */
  post(
    url: string,
    headers: Record<string, string>,
    body: Uint8Array,
    mayBegin?: () => boolean,
  ): Promise<PostResult>;
  close(): Promise<void>;
}

export function createPoster(options: PosterOptions): Poster {
  const { allowed, deadlineMs = TOTAL_DEADLINE_MS, clock = SYSTEM_CLOCK } = options;
  const connect = createGuardedConnector(options);
  const { findPool, closePools } = createPools(connect);
  // The form of a target never changes, so it is parsed once; its addresses are checked at each connection.
  const targets = new LRUCache<string, Target>({ max: TARGETS });
  const findTarget = (text: string): Target => {
    const known = targets.get(text);
    if (known !== undefined) return known;
    const { origin, pathname, search } = parseTarget(text, allowed);
    const target = { origin, path: pathname + search };
    targets.set(text, target);
    return target;
  };
  // The origins that send `100 Continue` unasked, and the turns of their requests by node:http.
  const interimOrigins = new LRUCache<string, ReturnType<typeof createTurns>>({ max: TARGETS });
  const noteContinue = (origin: string): void => {
    if (interimOrigins.has(origin)) return;
    interimOrigins.set(origin, createTurns(CONNECTIONS_PER_ORIGIN));
  };
  const send = ({ origin, path }: Target, sent: SentPost, exchange: Exchange): void => {
    const request = { method: 'POST', path, ...sent };
    const inTurn = interimOrigins.get(origin);
    if (inTurn === undefined) {
      findPool(origin).dispatch(request, exchange);
      return;
    }
    const limited = { ...request, maxHeaderSize: HEAD_BYTES };
    void inTurn(() => exchange.run((onConnect) => sendByNode(connect, origin, limited, onConnect)));
  };
  return {
    post: (text, headers, body, mayBegin = () => true) =>
      new Promise((resolve) => {
        const onContinue = (): void => noteContinue(findTarget(text).origin);
        const exchange = new Exchange({ deadlineMs, clock, mayBegin, onContinue, resolve });
        try {
          send(findTarget(text), { headers, body }, exchange);
        } catch (error) {
          exchange.fail(error);
        }
      }),
    close: closePools,
  };
}

function createPools(connect: buildConnector.connector): {
  findPool: (origin: string) => Pool;
  closePools: () => Promise<void>;
} {
  const pools = new LRUCache<string, Pool>({
    max: ORIGINS,
    // Requests under way finish first.
    dispose: (pool) => void pool.close(),
  });
  return {
    findPool: (origin) => {
      const known = pools.get(origin);
      if (known !== undefined) return known;
      const pool = new Pool(origin, {
        connect,
        connections: CONNECTIONS_PER_ORIGIN,
        pipelining: 1,
        keepAliveTimeout: KEEP_ALIVE_MS,
        keepAliveMaxTimeout: KEEP_ALIVE_MS,
        maxHeaderSize: HEAD_BYTES,
        // Each exchange has its own deadline.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      pools.set(origin, pool);
      return pool;
    },
    closePools: async () => {
      const open = [...pools.values()];
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}

interface Target {
  readonly origin: string;
  readonly path: string;
}

interface SentPost {
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

type SendByNode = (onConnect: (socket: Socket) => void) => Promise<IncomingMessage>;

interface ExchangeOptions {
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly mayBegin: () => boolean;
  /** undici ended the connection at a `100 Continue`. */
  readonly onContinue: () => void;
  readonly resolve: (result: PostResult) => void;
}

/**
 * One request and its response, as an undici handler. undici's `request` creates a stream, a signal and a resource for
 * each call: without them the CPU of a delivery fell from 192 to 141 µs.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #mayBegin: () => boolean;
  readonly #onContinue: () => void;
  readonly #resolve: (result: PostResult) => void;
  readonly #clearDeadline: () => void;
  #controller: Pick<Dispatcher.DispatchController, 'abort'> | null = null;
  #status = 0;
  #interim = 0;
  #headers: IncomingHttpHeaders = {};
  #kept: Buffer[] = [];
  #readBytes = 0;
  #isOver = false;

  constructor({ deadlineMs, clock, mayBegin, onContinue, resolve }: ExchangeOptions) {
    this.#mayBegin = mayBegin;
    this.#onContinue = onContinue;
    this.#resolve = resolve;
    const onLate = (): void => {
      this.fail(new errors.HeadersTimeoutError(`no response within ${deadlineMs} ms`));
    };
    this.#clearDeadline = startDeadline(deadlineMs, onLate, clock);
  }

  /** The same by node:http. Does not reject. */
  async run(send: SendByNode): Promise<void> {
    if (this.#isOver) return;
    try {
      const response = await send((socket) =>
        this.onRequestStart({ abort: (reason) => socket.destroy(reason) }),
      );
      this.onResponseStart(null, response.statusCode ?? 0, response.headers);
      for await (const chunk of response as AsyncIterable<Buffer>) this.onResponseData(null, chunk);
      this.#answer();
    } catch (error) {
      this.fail(error);
    }
  }

  onRequestStart(controller: Pick<Dispatcher.DispatchController, 'abort'>): void {
    this.#controller = controller;
    if (!this.#isOver && !this.#mayBegin()) this.#end({ kind: 'withheld' });
    // The deadline expired before a connection was free.
    if (this.#isOver) controller.abort(new Error('finished'));
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM_RESPONSES) {
        this.fail(new errors.HTTPParserError('too many 1xx responses'));
      }
      return;
    }
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#readBytes < KEPT_BYTES) this.#kept.push(chunk);
    this.#readBytes += chunk.length;
    if (this.#readBytes >= READ_BYTES) this.#cutOff();
  }

  onResponseEnd(): void {
    // undici frees the connection two turns later; a caller that posts earlier opens another one (12 instead of 8).
    setImmediate(() => {
      setImmediate(() => {
        this.#answer();
      });
    });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    if (isUnaskedContinue(error)) this.#onContinue();
    if (this.#status !== 0) {
      this.#cutOff();
    } else {
      const cause = findCause(error);
      this.#end({ kind: 'failed', failure: classify(cause), error: describe(cause) });
      this.#controller?.abort(new Error('finished'));
    }
  }

  #cutOff(): void {
    this.#answer();
    this.#controller?.abort(new Error('finished'));
  }

  #answer(): void {
    const excerpt = readExcerpt(this.#kept);
    this.#end({ kind: 'answer', status: this.#status, headers: this.#headers, excerpt });
  }

  #end(result: PostResult): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clearDeadline();
    this.#resolve(result);
  }
}

const readExcerpt = (kept: readonly Buffer[]): string =>
  Buffer.concat(kept).subarray(0, KEPT_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd');

/** Node tries the addresses of a name one after the other; the error of the first one says the most. */
const findCause = (error: unknown): unknown =>
  error instanceof AggregateError ? (error.errors[0] as unknown) : error;

function classify(error: unknown): PostFailure {
  if (error instanceof TargetRefusedError) return 'target_refused';
  if (error instanceof ConnectTimeoutError) return `timeout_${error.phase}`;
  if (isTimeout(error)) return 'timeout_response';
  if (isInvalidResponse(error)) return 'response_invalid';
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ETIMEOUT') return 'timeout_dns';
  if (code === 'ENOTFOUND') return 'dns';
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || isCertificateFault(code))
    return 'tls';
  return message.includes('SSL') || message.includes('TLS') ? 'tls' : 'connection';
}

const INVALID_RESPONSES = [
  errors.HTTPParserError,
  errors.HeadersOverflowError,
  // Two different lengths.
  errors.ResponseContentLengthMismatchError,
];

/** By undici, or by node:http (`HPE_…`). */
function isInvalidResponse(error: unknown): boolean {
  if (isUnaskedContinue(error) || isUnaskedUpgrade(error)) return true;
  if (INVALID_RESPONSES.some((kind) => error instanceof kind)) return true;
  return error instanceof Error && 'code' in error && String(error.code).startsWith('HPE_');
}

const isUnaskedUpgrade = (error: unknown): boolean =>
  error instanceof errors.SocketError && error.message === 'bad upgrade';

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
  if (isUnaskedContinue(error)) return UNASKED_CONTINUE;
  if (isUnaskedUpgrade(error)) return '101 Switching Protocols came unasked';
  const { code, message } = error as NodeJS.ErrnoException;
  return `${code ?? error.name}: ${message}`.slice(0, 200).replaceAll('\u0000', '\ufffd');
}
