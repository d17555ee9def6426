// The model of Redis behind the driver's interface, without a network.
import type { RedisClient } from '#store/redis/client.js';
import { createRedisClient, type Exchange } from '../redis/client.js';
import type { CommandResult } from '../redis/network.js';
import { RedisServer } from '../redis/server.js';

export function openModelClient(readTimeMs: () => number): RedisClient {
  const modelled = new RedisServer({ name: 'model', readTimeMs, monotonicMs: () => 0 });
  const exchange: Exchange = {
    status: 'ready',
    request: (commands) =>
      Promise.resolve(
        commands.map(({ name, args }): CommandResult => {
          try {
            return [null, modelled.execute(name, args)];
          } catch (error) {
            return [error as Error, undefined];
          }
        }),
      ),
    subscribe: () => Promise.resolve(),
    onReady: new Set(),
    onMessage: new Set(),
    lose: () => {},
  };
  return createRedisClient(exchange);
}
