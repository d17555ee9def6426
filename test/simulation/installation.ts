// The parts that an installation of every simulated protocol has: the world, the two servers, and processes that can be
// started again. Each start of a process has a name of its own.
import { PostgresServer } from './postgres/server.js';
import { RedisNetwork } from './redis/network.js';
import { type Host, SimProcess } from './world/sim-process.js';
import { World } from './world/world.js';

export interface InstallationOptions {
  readonly seed: number;
  /** Of payments. */
  readonly partitions: number;
  readonly onTrace?: ((line: string) => void) | undefined;
}

export class Installation {
  readonly world: World;
  readonly redis: RedisNetwork;
  readonly postgres: PostgresServer;
  /** By the index of the fault in its script. */
  readonly activeFaults = new Map<number, string>();
  #starts = 0;

  constructor({ seed, partitions, onTrace }: InstallationOptions) {
    this.world = new World(seed, onTrace);
    this.redis = new RedisNetwork(this.world);
    this.postgres = new PostgresServer(this.world, partitions);
  }

  protected createProcess(host: Host): SimProcess {
    this.#starts += 1;
    return new SimProcess(this.world, host, `${host.name}.${this.#starts}`);
  }

  /** Starts `count` processes, each on a host of its own. */
  protected startAll(
    name: string,
    count: number,
    start: (index: number, host: Host) => void,
  ): void {
    for (let index = 0; index < count; index += 1) {
      start(index, { name: `${name}-${index}`, clockAheadMs: 0 });
    }
  }
}
