// Wake-ups: a commit announces events for merchants and calls to rails on a channel, and the webhooks processes announce
// attempts of deliveries. A lost message only delays the work until the next poll.
import type { RedisClient } from './client.js';
import { DELIVERIES_CHANNEL, EVENTS_CHANNEL, RAIL_CALLS_CHANNEL } from './keys.js';

/** Calls of one operation at one rail. */
export interface CallKind {
  readonly rail: string;
  readonly operation: string;
}

/** Kinds of calls that may be due; undefined: all kinds. */
export type WokenCallKinds = ReadonlySet<string> | undefined;

const SEPARATOR = ' ';

export function formatCallKind({ rail, operation }: CallKind): string {
  return `${rail}:${operation}`;
}

/** Partitions that may have new events; undefined: all partitions. */
export type WokenPartitions = readonly number[] | undefined;

/**
 * Calls `wake` for each message, and once after each (re)connect for all partitions. `redis` must be a connection of its
 * own.
 */
export function subscribeEvents(
  redis: RedisClient,
  wake: (partitions: WokenPartitions) => void,
): void {
  const receive = (message: string): void => {
    wake(message === '' ? undefined : message.split(SEPARATOR).map(Number));
  };
  subscribe(redis, EVENTS_CHANNEL, receive, connectAgain);
}

/** As `subscribeEvents`, for calls to rails. */
export function subscribeRailCalls(
  redis: RedisClient,
  wake: (kinds: WokenCallKinds) => void,
): void {
  const receive = (message: string): void => {
    wake(message === '' ? undefined : new Set(message.split(SEPARATOR)));
  };
  subscribe(redis, RAIL_CALLS_CHANNEL, receive, connectAgain);
}

/** Endpoints whose deliveries changed; undefined: those of any endpoint may have. */
export type WokenEndpoints = readonly string[] | undefined;

/**
 * As `subscribeEvents`, for pages that show deliveries. `redis` may have other subscriptions: they outlive a refusal of this
 * one, and pages poll. Returns the function that ends it.
 */
export function subscribeDeliveries(
  redis: RedisClient,
  wake: (endpoints: WokenEndpoints) => void,
): () => void {
  const receive = (message: string): void => {
    wake(message === '' ? undefined : message.split(SEPARATOR));
  };
  return subscribe(redis, DELIVERIES_CHANNEL, receive, () => undefined);
}

export async function publishDeliveries(
  redis: RedisClient,
  endpointIds: readonly string[],
): Promise<void> {
  await redis.publish(DELIVERIES_CHANNEL, endpointIds.join(SEPARATOR));
}

/** The message of EVENTS_CHANNEL. */
export function encodePartitions(partitions: Iterable<number>): string {
  return [...new Set(partitions)].join(SEPARATOR);
}

/** The message of RAIL_CALLS_CHANNEL. */
export function encodeCallKinds(calls: readonly CallKind[]): string {
  return [...new Set(calls.map(formatCallKind))].join(SEPARATOR);
}

function connectAgain(redis: RedisClient): void {
  redis.disconnect(true);
}

function subscribe(
  redis: RedisClient,
  channel: string,
  receive: (message: string) => void,
  onRefused: (redis: RedisClient) => void,
): () => void {
  const listen = (): void => {
    redis.subscribe(channel).then(
      () => {
        receive('');
      },
      () => {
        onRefused(redis);
      },
    );
  };
  const onMessage = (of: string, message: string): void => {
    if (of === channel) receive(message);
  };
  redis.on('message', onMessage);
  redis.on('ready', listen);
  if (redis.status === 'ready') listen();
  return () => {
    redis.off('message', onMessage);
    redis.off('ready', listen);
    redis.unsubscribe(channel).catch(() => null);
  };
}
