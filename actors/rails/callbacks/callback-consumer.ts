// Pops callbacks that gateways pushed to Redis, processes them, and replies to each gateway once its callback is stored.
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import { type SentCallback, type CallbackOutcome, popCallbacks } from '#store/redis/callbacks.js';
import type { RedisClient } from '#store/redis/client.js';
import { publishOutcome, type Reply } from '#store/redis/replies.js';
import { recordCallbackSpan, type RailTracing } from '../calls/rail-spans.js';
import { processCallback, type ProcessCallbackDeps } from './process-callback.js';

const MAX_POPPED = 64;
const POP_WAIT_S = 1;
const NO_WAKES = { eventPartitions: [], railCalls: [] };

export interface CallbackConsumerDeps extends ProcessCallbackDeps {
  readonly redis: RedisClient;
  /** A connection of its own: a pop blocks it. */
  readonly blockingRedis: RedisClient;
  readonly onCallback: (rail: string, outcome: CallbackOutcome) => void;
  readonly log: Log;
  /** undefined: traces are off. */
  readonly tracing?: RailTracing | undefined;
}

export function startCallbackConsumer(deps: CallbackConsumerDeps): Loop {
  return startLoop({
    name: 'callbacks of rails',
    everyMs: 0,
    log: deps.log,
    work: async () => {
      const callbacks = await popCallbacks(deps.blockingRedis, MAX_POPPED, POP_WAIT_S);
      if (callbacks.length > 0) await processAll(deps, callbacks);
    },
  });
}

async function processAll(
  deps: CallbackConsumerDeps,
  callbacks: readonly SentCallback[],
): Promise<void> {
  const replies = new Map<string, Reply[]>();
  await Promise.all(
    callbacks.map(async (callback) => {
      const { gateway, correlation, rail } = callback;
      const outcome = await processOrRefuse(deps, callback);
      deps.onCallback(rail, outcome);
      const reply = { correlation, outcome, body: '' };
      replies.set(gateway, [...(replies.get(gateway) ?? []), reply]);
    }),
  );
  await publishOutcome(deps.redis, replies, NO_WAKES);
}

async function processOrRefuse(
  deps: CallbackConsumerDeps,
  callback: SentCallback,
): Promise<CallbackOutcome> {
  const { traceparent } = callback;
  try {
    return deps.tracing === undefined || traceparent === undefined
      ? await processCallback(deps, callback)
      : await processTraced(deps, callback, { ...deps.tracing, traceparent });
  } catch (error) {
    const { rail } = callback;
    deps.log.warn({ err: error, rail }, 'a callback could not be stored; the rail will repeat it');
    return 'unavailable';
  }
}

/** The span is recorded beside the answer, which does not wait for it. */
async function processTraced(
  deps: CallbackConsumerDeps,
  callback: SentCallback,
  tracing: RailTracing & { readonly traceparent: string },
): Promise<CallbackOutcome> {
  const beganMs = Date.now();
  let orderId: string | null = null;
  let outcome: CallbackOutcome = 'unavailable';
  try {
    outcome = await processCallback(deps, callback, (id) => (orderId = id));
    return outcome;
  } finally {
    const { rail } = callback;
    const { traceparent } = tracing;
    void recordCallbackSpan(tracing, { rail, orderId, traceparent, beganMs, outcome });
  }
}
