// The state that all exchanges of a server share.
import type { Log } from '#ops/runtime/log.js';
import type { Slots } from '#ops/runtime/slots.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import type { LoggedExchange } from './api-log.js';
import type { Admit } from '../auth/admission.js';
import type { AddressReader } from '../routing/client-address.js';
import type { Router } from '../routing/router.js';
import type { WatchChunks } from './admitted-chunks.js';
import type { Render } from './render.js';
import type { Observe } from './request-metrics.js';

/** A request that is not answered yet, or whose answer is still being sent. */
export interface RunningExchange {
  readonly startedAtMs: number;
  /** A streamed answer has no deadline of the server; response-stream.ts limits a stalled one. */
  readonly isStreaming: boolean;
  fail(error: unknown): void;
}

export type ServerLog = Pick<Log, 'error' | 'warn'>;

export interface ServerContext {
  readonly router: Router;
  readonly admit: Admit;
  /** Ends a streamed answer with the admission of its request. */
  readonly watch: WatchChunks;
  readonly render: Render;
  readonly readAddress: AddressReader;
  readonly sessionCookieName: string;
  readonly observe: Observe;
  readonly log: ServerLog;
  readonly logStoreFailure: (error: unknown, requestId: string) => void;
  /** Records exchanges that have a key; undefined: API logs are off. */
  readonly note: ((exchange: LoggedExchange) => void) | undefined;
  /** undefined: traces are off. */
  readonly tracer: Tracer | undefined;
  readonly running: Slots<RunningExchange>;
  isStopping: boolean;
  lastRequestAtMs: number;
}

const LOG_EVERY_MS = 1_000;

/** Logs one failure a second and the number of those between: an outage fails thousands of requests a second. */
export function createStoreFailureLog(log: ServerLog): ServerContext['logStoreFailure'] {
  let loggedAtMs = -Infinity;
  let unlogged = 0;
  return (error, requestId) => {
    const nowMs = performance.now();
    if (nowMs - loggedAtMs < LOG_EVERY_MS) {
      unlogged += 1;
      return;
    }
    log.warn({ err: error, requestId, unlogged }, 'a store query failed; the request got 503');
    loggedAtMs = nowMs;
    unlogged = 0;
  };
}

/**
 * Counts requests whose X-Forwarded-For does not count, and logs the first one of the process: if the address is a proxy's, all
 * its clients share the limits of one, and without a log nobody would find out why they get 429.
 */
export function createForwardLog(log: ServerLog, count: () => void): (address: string) => void {
  let isLogged = false;
  return (address) => {
    count();
    if (isLogged) return;
    isLogged = true;
    log.warn(
      { address },
      'X-Forwarded-For came from an address that is not in TRUSTED_PROXIES and was ignored: all clients behind this address share ' +
        'the limits of one client; if it is your proxy, add it to TRUSTED_PROXIES (this is logged once)',
    );
  };
}
