// Wake-ups: a commit says on a channel that there are events for merchants, or calls to rails. A message that is
// lost costs a poll's time, nothing else.
import type { RedisClient } from './client.js';
import { EVENTS_CHANNEL, RAIL_CALLS_CHANNEL } from './keys.js';

/** Hears of events for merchants on a connection of its own, from now on and after each reconnect. */
export function subscribeEvents(redis: RedisClient, wake: () => void): void {
  subscribe(redis, EVENTS_CHANNEL, wake);
}

/** Hears of calls to rails, likewise. */
export function subscribeRailCalls(redis: RedisClient, wake: () => void): void {
  subscribe(redis, RAIL_CALLS_CHANNEL, wake);
}

function subscribe(redis: RedisClient, channel: string, wake: () => void): void {
  const listen = (): void => {
    redis.subscribe(channel).then(wake, () => {
      redis.disconnect(true);
    });
  };
  redis.on('message', wake);
  redis.on('ready', listen);
  if (redis.status === 'ready') listen();
}
