// Two partition loops side by side, each with every second partition: while the commit of one is under way, the other reads
// and folds. One loop alone waited for Postgres a fifth of the time (docs/decisions/0047-two-batches-in-flight.md).
//
// The loops share nothing but the process: no partition, and so no payment and no row of a balance that is split by
// partition, is in both. Their commits meet at the balance of a merchant, as those of two processes do.
import { BatchLoop, type BatchLoopDeps } from './batch-loop.js';
import type { PartitionHolder } from './lease-keeper.js';
import type { OwnedPartitions, OwnedPartition } from './owned-partition.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';
import type { FrameReader } from '#store/redis/commands.js';

/** Each has a connection to Redis and one to Postgres. */
export const LOOPS = 2;

export class BatchLoops implements PartitionHolder {
  readonly owned: OwnedPartitions;
  readonly #loops: readonly BatchLoop[];

  /** `frames`: one for each loop, with a connection of its own, since reads block. */
  constructor(deps: Omit<BatchLoopDeps, 'frames'>, frames: readonly FrameReader[]) {
    const loops = frames.map((source) => new BatchLoop({ ...deps, frames: source }));
    this.#loops = loops;
    this.owned = {
      get size() {
        return loops.reduce((sum, { owned }) => sum + owned.size, 0);
      },
      has: (partition) => this.#findLoop(partition)?.owned.has(partition) === true,
      get: (partition) => this.#findLoop(partition)?.owned.get(partition),
      keys: () => loops.flatMap(({ owned }) => [...owned.keys()]),
      values: () => loops.flatMap(({ owned }): OwnedPartition[] => [...owned.values()]),
    };
  }

  adopt(claims: readonly Claim[]): void {
    for (const claim of claims) this.#findLoop(claim.partition)?.adopt([claim]);
  }

  drop(partitions: readonly number[]): void {
    for (const partition of partitions) this.#findLoop(partition)?.drop([partition]);
  }

  async quiesce(partitions: readonly number[]): Promise<void> {
    const loops = partitions.map((one) => this.#findLoop(one)?.quiesce([one]));
    await Promise.all(loops.filter((one) => one !== undefined));
  }

  /** Resolves when the batches under way are answered; no other batch is begun. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /** @throws Error when the stored state is impossible: the process must exit */
  async run(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.run()));
  }

  #findLoop(partition: number): BatchLoop | undefined {
    return this.#loops[partition % this.#loops.length];
  }
}
