// Pops callbacks that gateways pushed to Redis, processes them, and replies to each gateway once its callback is stored.
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import { type SentCallback, type CallbackOutcome, popCallbacks } from '#store/redis/callbacks.js';
import type { RedisClient } from '#store/redis/client.js';
import { publishOutcome, type Reply } from '#store/redis/replies.js';
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
  try {
    return await processCallback(deps, callback);
  } catch (error) {
    const { rail } = callback;
    deps.log.warn({ err: error, rail }, 'a callback could not be stored; the rail will repeat it');
    return 'unavailable';
  }
}
