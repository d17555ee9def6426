// Wake-ups: a commit announces events for merchants and calls to rails on a channel. A lost message only delays the
// work until the next poll.
import type { RedisClient } from './client.js';
import { EVENTS_CHANNEL, RAIL_CALLS_CHANNEL } from './keys.js';

/** Calls of one operation at one rail. */
export interface LaneKey {
  readonly rail: string;
  readonly operation: string;
}

/** Names of the lanes whose calls may be due; undefined: all lanes. */
export type WokenLanes = ReadonlySet<string> | undefined;

const SEPARATOR = ' ';

export function formatLaneName({ rail, operation }: LaneKey): string {
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
  subscribe(redis, EVENTS_CHANNEL, (message) => {
    wake(message === '' ? undefined : message.split(SEPARATOR).map(Number));
  });
}

/** As `subscribeEvents`, for calls to rails. */
export function subscribeRailCalls(redis: RedisClient, wake: (lanes: WokenLanes) => void): void {
  subscribe(redis, RAIL_CALLS_CHANNEL, (message) => {
    wake(message === '' ? undefined : new Set(message.split(SEPARATOR)));
  });
}

/** The message of EVENTS_CHANNEL. */
export function encodePartitions(partitions: Iterable<number>): string {
  return [...new Set(partitions)].join(SEPARATOR);
}

/** The message of RAIL_CALLS_CHANNEL. */
export function encodeLanes(calls: readonly LaneKey[]): string {
  return [...new Set(calls.map(formatLaneName))].join(SEPARATOR);
}

function subscribe(redis: RedisClient, channel: string, receive: (message: string) => void): void {
  const listen = (): void => {
    redis.subscribe(channel).then(
      () => {
        receive('');
      },
      () => {
        redis.disconnect(true);
      },
    );
  };
  redis.on('message', (_channel: string, message: string) => {
    receive(message);
  });
  redis.on('ready', listen);
  if (redis.status === 'ready') listen();
}
