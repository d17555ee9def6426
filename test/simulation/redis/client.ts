// The driver's interface on a modelled connection, so that the functions of store/redis run as they are.
import type { RedisClient } from '#store/redis/client.js';
import type { CommandResult, RedisCommand } from './network.js';

/** The connection as the driver's interface needs it; the differential test has one without a network. */
export interface Exchange {
  readonly status: string;
  readonly request: (
    commands: readonly RedisCommand[],
    blockMs?: number,
  ) => Promise<CommandResult[]>;
  readonly subscribe: (channel: string) => Promise<void>;
  readonly onReady: Set<() => void>;
  readonly onMessage: Set<(channel: string, message: string) => void>;
  readonly lose: () => void;
}

type Values = readonly (string | number)[];

const buildCommand = (name: string, args: Values): RedisCommand => ({
  name,
  args: args.map(String),
});

export function createRedisClient(exchange: Exchange): RedisClient {
  const own = {
    on: (event: string, listener: () => void) => {
      if (event === 'ready') exchange.onReady.add(listener);
      if (event === 'message') exchange.onMessage.add(listener);
    },
    subscribe: (channel: string) => exchange.subscribe(channel),
    disconnect: () => {
      exchange.lose();
    },
    call: (name: string, ...args: Values) => send(exchange, buildCommand(name, args)),
    pipeline: () => createBatch((commands) => exchange.request(commands), true),
    multi: () => createBatch((commands) => exchange.request(commands), false),
  };
  const client = new Proxy(own, {
    get: (_target, name) => {
      if (typeof name !== 'string' || name === 'then') return undefined;
      if (name === 'status') return exchange.status;
      if (name in own) return Reflect.get(own, name) as unknown;
      return (...args: Values) => send(exchange, buildCommand(name, args));
    },
  });
  return client as unknown as RedisClient;
}

async function send(exchange: Exchange, command: RedisCommand): Promise<unknown> {
  const [result] = await exchange.request([command], findBlockMs(command));
  const [error, value] = result ?? [null, null];
  if (error !== null) throw error;
  return value;
}

function findBlockMs({ args }: RedisCommand): number {
  const at = args.indexOf('BLOCK');
  return at < 0 ? 0 : Number(args[at + 1]);
}

/** `keepsErrors`: a lost connection is the result of each command, as the driver's pipelines have it. */
function createBatch(
  request: (commands: readonly RedisCommand[]) => Promise<CommandResult[]>,
  keepsErrors: boolean,
): unknown {
  const commands: RedisCommand[] = [];
  const exec = async (): Promise<CommandResult[]> => {
    try {
      return await request(commands);
    } catch (error) {
      if (!keepsErrors) throw error;
      return commands.map(() => [error as Error, undefined]);
    }
  };
  const batch: unknown = new Proxy(
    {},
    {
      get: (_target, name) => {
        if (typeof name !== 'string' || name === 'then') return undefined;
        if (name === 'exec') return exec;
        return (...args: Values) => {
          commands.push(buildCommand(name, args));
          return batch;
        };
      },
    },
  );
  return batch;
}
