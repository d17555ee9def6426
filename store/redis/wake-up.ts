// Wake-ups: a commit says on a channel that there are events for merchants, or calls to rails. A message that is
// lost costs a poll's time, nothing else.
import type { RedisClient } from './client.js';
import { EVENTS_CHANNEL, RAIL_CALLS_CHANNEL } from './keys.js';

/** Calls of one operation at one rail. */
export interface LaneKey {
  readonly rail: string;
  readonly operation: string;
}

/** Names of the lanes whose calls may be due; undefined: any. */
export type WokenLanes = ReadonlySet<string> | undefined;

const SEPARATOR = ' ';

export function formatLaneName({ rail, operation }: LaneKey): string {
  return `${rail}:${operation}`;
}

/** Hears of events for merchants on a connection of its own, from now on and after each reconnect. */
export function subscribeEvents(redis: RedisClient, wake: () => void): void {
  subscribe(redis, EVENTS_CHANNEL, () => {
    wake();
  });
}

/** Hears of calls to rails, likewise. */
export function subscribeRailCalls(redis: RedisClient, wake: (lanes: WokenLanes) => void): void {
  subscribe(redis, RAIL_CALLS_CHANNEL, (message) => {
    wake(message === '' ? undefined : new Set(message.split(SEPARATOR)));
  });
}

/** The message to those who hear of calls to rails. */
export function encodeLanes(calls: readonly LaneKey[]): string {
  return [...new Set(calls.map(formatLaneName))].join(SEPARATOR);
}

function subscribe(redis: RedisClient, channel: string, hear: (message: string) => void): void {
  const listen = (): void => {
    redis.subscribe(channel).then(
      () => {
        hear('');
      },
      () => {
        redis.disconnect(true);
      },
    );
  };
  redis.on('message', (_channel: string, message: string) => {
    hear(message);
  });
  redis.on('ready', listen);
  if (redis.status === 'ready') listen();
}
