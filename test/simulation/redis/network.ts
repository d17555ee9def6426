// The Redis that processes reach: one master, and after a failover perhaps the old one, which some processes still talk
// to. A connection behaves as the driver's: requests stay in order, are never sent again, and reject when it is lost.
import type { SimProcess } from '../world/sim-process.js';
import type { World } from '../world/world.js';
import { type Entry, RedisServer } from './server.js';

/** As in store/redis/client.ts. */
const SILENT_MS = 4_000;
const RECONNECT_MS = [20, 250] as const;
const DOUBLE_WITHIN_MS = 50;

export interface RedisCommand {
  readonly name: string;
  readonly args: readonly string[];
}

export type CommandResult = [error: Error | null, value: unknown];

export class RedisNetwork {
  readonly world: World;
  readonly connections = new Set<RedisConnection>();
  readonly swallowedHosts = new Set<string>();
  clockAheadMs = 0;
  isDown = false;
  /** Shares of the published messages, and how late one is at most. */
  published = { lost: 0, doubled: 0, lateMs: 0 };
  onAppend: (entry: Entry, server: RedisServer) => void = () => {};
  #master: RedisServer;
  #servers = 0;

  constructor(world: World) {
    this.world = world;
    this.#master = new RedisServer(this.#describeServer());
  }

  get master(): RedisServer {
    return this.#master;
  }

  /** The server crashes and comes back without what it had stored in the last `lossMs`. */
  crash(lossMs: number, awayMs: number): void {
    this.isDown = true;
    this.#replaceMaster(lossMs);
    for (const connection of this.connections) connection.lose();
    this.world.schedule(awayMs, () => {
      this.isDown = false;
    });
  }

  /** A replica that had not received the last `lossMs` becomes the master; some hosts do not notice for a while. */
  failOver(lossMs: number, stuckHosts: ReadonlySet<string>, stuckMs: number): void {
    this.#replaceMaster(lossMs);
    for (const connection of this.connections) {
      if (!stuckHosts.has(connection.process.host.name)) connection.lose();
    }
    this.world.schedule(stuckMs, () => {
      for (const connection of this.connections) {
        if (connection.server !== this.#master) connection.lose();
      }
    });
  }

  isReachable({ host }: SimProcess): boolean {
    return !this.isDown && !this.swallowedHosts.has(host.name);
  }

  #replaceMaster(lossMs: number): void {
    this.#master = this.#master.copyAsOf(lossMs, this.#describeServer());
  }

  #describeServer() {
    this.#servers += 1;
    return {
      name: `redis-${this.#servers}`,
      readTimeMs: () => this.world.timeMs + this.clockAheadMs,
      monotonicMs: () => this.world.nowMs,
      onAppend: (entry: Entry, server: RedisServer) => {
        this.onAppend(entry, server);
      },
      publish: (channel: string, message: string, from: RedisServer) => {
        const listening = [...this.connections].filter(
          ({ channels, server }) => server === from && channels.has(channel),
        );
        for (const connection of listening) this.#publish(connection, channel, message);
        return listening.length;
      },
    };
  }

  #publish(to: RedisConnection, channel: string, message: string): void {
    const { lost, doubled, lateMs } = this.published;
    const { chance } = this.world;
    if (lost > 0 && chance.happens(lost)) return;
    to.deliver(channel, message, lateMs > 0 ? chance.between(0, lateMs) : 0);
    if (doubled > 0 && chance.happens(doubled)) {
      to.deliver(channel, message, chance.between(0, DOUBLE_WITHIN_MS));
    }
  }
}

interface Request {
  readonly session: number;
  readonly reject: (error: Error) => void;
  readonly cancelSilence: () => void;
}

export class RedisConnection {
  readonly process: SimProcess;
  readonly channels = new Set<string>();
  readonly onReady = new Set<() => void>();
  readonly onMessage = new Set<(channel: string, message: string) => void>();
  status: 'ready' | 'reconnecting' = 'reconnecting';
  server: RedisServer;
  /** As the server counts its clients. */
  readonly id: string;
  /** Ends the wait of a blocking read that the server knows of. */
  endWait: (() => void) | undefined;
  readonly #network: RedisNetwork;
  readonly #requests = new Set<Request>();
  #session = 0;
  #lastArrivalMs = 0;
  #lastReplyMs = 0;

  constructor(network: RedisNetwork, process: SimProcess) {
    this.#network = network;
    this.process = process;
    this.server = network.master;
    this.id = String(network.connections.size + 1);
    network.connections.add(this);
    this.#connect();
  }

  /** Resolves with the results of the commands, which run as one; a blocking read is always alone. */
  request(commands: readonly RedisCommand[], blockMs = 0): Promise<CommandResult[]> {
    if (this.status !== 'ready') return Promise.reject(new Error('Redis is not connected'));
    return this.#exchange((server, answer) => {
      if (blockMs > 0) this.#executeBlocking(server, commands, blockMs, answer);
      else answer(commands.map((command) => this.#execute(server, command)));
    });
  }

  async subscribe(channel: string): Promise<void> {
    if (this.status !== 'ready') throw new Error('Redis is not connected');
    const session = this.#session;
    await this.#exchange((_server, answer) => {
      if (session === this.#session) this.channels.add(channel);
      answer([]);
    });
  }

  deliver(channel: string, message: string, lateMs: number): void {
    const session = this.#session;
    this.#reply(lateMs, () => {
      if (session !== this.#session) return;
      for (const listener of this.onMessage) listener(channel, message);
    });
  }

  /** The connection ends: what is under way rejects, although it may be carried out. */
  lose(): void {
    if (this.status !== 'ready') return;
    this.status = 'reconnecting';
    this.#session += 1;
    this.channels.clear();
    for (const { reject, cancelSilence } of this.#requests) {
      cancelSilence();
      this.process.schedule(0, () => {
        reject(new Error('Connection is closed.'));
      });
    }
    this.#requests.clear();
    this.#connect();
  }

  #connect(): void {
    this.process.schedule(this.#network.world.chance.between(...RECONNECT_MS), () => {
      if (!this.#network.isReachable(this.process)) {
        this.#connect();
        return;
      }
      this.status = 'ready';
      this.server = this.#network.master;
      for (const listener of this.onReady) listener();
    });
  }

  #exchange(
    run: (server: RedisServer, answer: (results: CommandResult[]) => void) => void,
  ): Promise<CommandResult[]> {
    const { world } = this.#network;
    const server = this.server;
    return new Promise((resolve, reject) => {
      const cancelSilence = this.process.schedule(SILENT_MS, () => {
        this.lose();
      });
      const request: Request = { session: this.#session, reject, cancelSilence };
      this.#requests.add(request);
      const answer = (results: CommandResult[]): void => {
        this.#reply(0, () => {
          if (!this.#requests.delete(request)) return;
          cancelSilence();
          resolve(results);
        });
      };
      if (!this.#network.isReachable(this.process)) return;
      const arrivesMs = Math.max(world.nowMs + world.pickLatencyMs(), this.#lastArrivalMs);
      this.#lastArrivalMs = arrivesMs;
      world.schedule(arrivesMs - world.nowMs, () => {
        const isLost = request.session !== this.#session && world.chance.happens(0.5);
        if (!isLost && !this.#network.isDown) run(server, answer);
      });
    });
  }

  #executeBlocking(
    server: RedisServer,
    commands: readonly RedisCommand[],
    blockMs: number,
    answer: (results: CommandResult[]) => void,
  ): void {
    const session = this.#session;
    const read = (): CommandResult[] => commands.map((command) => execute(server, command));
    const end = (results: CommandResult[]): void => {
      server.onAppended.delete(look);
      cancel();
      this.endWait = undefined;
      answer(results);
    };
    // The server has noticed that the connection was lost: nobody waits any more.
    const isOver = (): boolean => session !== this.#session;
    const look = (): void => {
      const results = isOver() ? [] : read();
      const isFound = results.some(([, value]) => value !== null);
      if (isFound || isOver()) end(results);
    };
    const cancel = this.#network.world.schedule(blockMs, () => {
      end(isOver() ? [] : read());
    });
    server.onAppended.add(look);
    this.endWait = () => {
      end(commands.map(() => [null, null]));
    };
    look();
  }

  #execute(server: RedisServer, command: RedisCommand): CommandResult {
    if (command.name !== 'client') return execute(server, command);
    const [verb, id] = command.args;
    if (verb === 'ID') return [null, this.id];
    const waiting = [...this.#network.connections].find(
      (one) => one.id === id && one.server === server && one.endWait !== undefined,
    );
    waiting?.endWait?.();
    return [null, waiting === undefined ? 0 : 1];
  }

  /** Answers arrive in the order in which they were sent, unless the network is late with one on purpose. */
  #reply(lateMs: number, arrive: () => void): void {
    const { world } = this.#network;
    if (this.#network.swallowedHosts.has(this.process.host.name)) return;
    const arrivesMs = Math.max(world.nowMs + world.pickLatencyMs(), this.#lastReplyMs);
    if (lateMs === 0) this.#lastReplyMs = arrivesMs;
    this.process.schedule(arrivesMs - world.nowMs + lateMs, arrive);
  }
}

function execute(server: RedisServer, { name, args }: RedisCommand): CommandResult {
  try {
    return [null, server.execute(name, args)];
  } catch (error) {
    if (error instanceof Error) return [error, undefined];
    throw error;
  }
}
