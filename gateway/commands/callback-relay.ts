// Relays callbacks of rails to the rails processes and waits for the outcome. The gateway does not interpret a callback:
// it forwards the bytes, and answers the outcome of a rails process, or 503 without one in time.
import { type SentCallback, pushCallback } from '#store/redis/callbacks.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import type { RedisClient } from '#store/redis/client.js';
import type { Reply } from '#store/redis/replies.js';

/** Rails time out after 5 s or more, and repeat a callback that is answered later, which is idempotent. */
const WAIT_MS = 8_000;
const MAX_WAITING = 512;
/** Tells correlations of callbacks from those of commands, which begin with a digit or a letter. */
const PREFIX = '~';

export type Callback = Pick<SentCallback, 'rail' | 'headers' | 'body'>;

export class CallbackRelay {
  readonly #redis: RedisClient;
  readonly #gateway: string;
  readonly #tracer: Tracer | undefined;
  readonly #waiting = new Map<string, (outcome: string) => void>();
  #counter = 0;

  /** `gateway`: the name of this process, whose reply channel gets the outcomes. */
  constructor(redis: RedisClient, gateway: string, tracer?: Tracer) {
    this.#redis = redis;
    this.#gateway = gateway;
    this.#tracer = tracer;
  }

  /** Resolves with the outcome of a rails process, or `unavailable`. */
  async deliver(callback: Callback): Promise<string> {
    if (this.#waiting.size >= MAX_WAITING) return 'unavailable';
    this.#counter += 1;
    const correlation = PREFIX + this.#counter.toString(36);
    const outcome = this.#waitFor(correlation);
    const traceparent = this.#tracer?.active()?.traceparent;
    const sent = { gateway: this.#gateway, correlation, ...callback, traceparent };
    if (!(await pushCallback(this.#redis, sent))) this.#settle(correlation, 'unavailable');
    return outcome;
  }

  /** Resolves the callback of a reply. Returns whether one waited for it. */
  accept({ correlation, outcome }: Reply): boolean {
    return this.#settle(correlation, outcome);
  }

  #waitFor(correlation: string): Promise<string> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#settle(correlation, 'unavailable');
      }, WAIT_MS);
      this.#waiting.set(correlation, (outcome) => {
        clearTimeout(timer);
        resolve(outcome);
      });
    });
  }

  #settle(correlation: string, outcome: string): boolean {
    const resolve = this.#waiting.get(correlation);
    this.#waiting.delete(correlation);
    resolve?.(outcome);
    return resolve !== undefined;
  }
}
