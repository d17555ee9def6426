// The wake-up of the fan-out: a commit with events for merchants says on a channel that there are some.
// A message that is lost costs a poll's time, nothing else.
import type { RedisClient } from './client.js';
import { EVENTS_CHANNEL } from './keys.js';

/** Hears wake-ups on a connection of its own, also after each reconnect. */
export function subscribeEvents(redis: RedisClient, wake: () => void): void {
  redis.on('message', wake);
  redis.on('ready', () => {
    redis.subscribe(EVENTS_CHANNEL).then(wake, () => {
      redis.disconnect(true);
    });
  });
}
