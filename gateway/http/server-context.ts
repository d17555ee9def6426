// What all exchanges of a server share.
import type { Log } from '#ops/runtime/log.js';
import type { Slots } from '#ops/runtime/slots.js';
import type { AddressReader } from '../routing/client-address.js';
import type { LoggedExchange } from '../api-logs/api-log.js';
import type { HandleDeps } from './handle-request.js';
import type { Observe } from './request-metrics.js';
import type { Render } from './render.js';

/** A request that is not answered, or whose answer is still being sent. */
export interface RunningExchange {
  readonly startedAtMs: number;
  /** It may take as long as its client takes; outflow.ts bounds that. */
  readonly isStreaming: boolean;
  fail(error: unknown): void;
}

export interface ServerContext {
  readonly handling: HandleDeps;
  readonly render: Render;
  readonly readAddress: AddressReader;
  readonly observe: Observe;
  readonly log: Pick<Log, 'error'>;
  /** Hears of requests with keys; undefined: nobody does. */
  readonly note: ((exchange: LoggedExchange) => void) | undefined;
  /** Exchanges that are not over. */
  readonly running: Slots<RunningExchange>;
  isStopping: boolean;
  lastRequestAtMs: number;
}
