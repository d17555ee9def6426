// Two partition loops side by side, each with every second partition: while the commit of one is under way, the other reads
// and folds. One loop alone waited for Postgres a fifth of the time (docs/decisions/0047-two-batches-in-flight.md).
//
// The loops share nothing but the process: no partition, and so no payment and no row of a balance that is split by
// partition, is in both. Their commits meet at the balance of a merchant, as those of two processes do.
import { BatchLoop, type BatchLoopDeps } from './batch-loop.js';
import type { PartitionHolder } from './lease-keeper.js';
import type { OwnedPartitions, OwnedPartition } from './owned-partition.js';
import type { FrameSource } from './ports.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';

/** Each has a connection to Redis and one to Postgres. */
export const LANES = 2;

export class BatchLanes implements PartitionHolder {
  readonly owned: OwnedPartitions;
  readonly #lanes: readonly BatchLoop[];

  /** `frames`: one for each lane, with a connection of its own, since reads block. */
  constructor(deps: Omit<BatchLoopDeps, 'frames'>, frames: readonly FrameSource[]) {
    const lanes = frames.map((source) => new BatchLoop({ ...deps, frames: source }));
    this.#lanes = lanes;
    this.owned = {
      get size() {
        return lanes.reduce((sum, { owned }) => sum + owned.size, 0);
      },
      has: (partition) => this.#findLane(partition)?.owned.has(partition) === true,
      get: (partition) => this.#findLane(partition)?.owned.get(partition),
      keys: () => lanes.flatMap(({ owned }) => [...owned.keys()]),
      values: () => lanes.flatMap(({ owned }): OwnedPartition[] => [...owned.values()]),
    };
  }

  adopt(claims: readonly Claim[]): void {
    for (const claim of claims) this.#findLane(claim.partition)?.adopt([claim]);
  }

  drop(partitions: readonly number[]): void {
    for (const partition of partitions) this.#findLane(partition)?.drop([partition]);
  }

  async quiesce(partitions: readonly number[]): Promise<void> {
    const lanes = partitions.map((one) => this.#findLane(one)?.quiesce([one]));
    await Promise.all(lanes.filter((one) => one !== undefined));
  }

  /** Resolves when the batches under way are answered; no other batch is begun. */
  async stop(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  /** @throws Error when the stored state is impossible: the process must exit */
  async run(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.run()));
  }

  #findLane(partition: number): BatchLoop | undefined {
    return this.#lanes[partition % this.#lanes.length];
  }
}
