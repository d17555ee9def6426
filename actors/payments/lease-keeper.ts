// Keeps this process's lease and its fair share of the partitions.
//
// One loop renews the lease (every fifth of it); another looks at the spread (every 50 ms), gives back
// what is above the share and claims what is free below it. They are apart because the second one waits
// for streams and for batches under way, which a lease must not wait for. A process that cannot hear Redis
// while others can has no share. A partition is given back in three steps: the batch loop stops reading it,
// the batch under way ends, the row is freed. A watchdog of its own drops everything when the lease could not be renewed
// for two thirds of its length by the monotonic clock: before anybody else may take it.
import type { Log } from '#ops/runtime/log.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';
import type { Clock, CommandStreams, LeaseStore } from './ports.js';
import type { Ownership } from './owned-partition.js';
import { computeShare } from './assignment.js';

const LOOK_EVERY_MS = 50;
const RENEWALS_PER_LEASE = 5;
const WATCH_EVERY_MS = 100;

/** The side of the batch loop that the keeper uses. */
export interface PartitionHolder {
  readonly owned: Ownership;
  adopt: (claims: readonly Claim[]) => void;
  drop: (partitions: readonly number[]) => void;
  /** Stops reading the partitions; resolves when no batch of theirs is under way. */
  quiesce: (partitions: readonly number[]) => Promise<void>;
}

export interface LeaseKeeperDeps {
  name: string;
  partitions: number;
  leaseMs: number;
  clock: Clock;
  store: LeaseStore;
  streams: Pick<CommandStreams, 'maintain'>;
  holder: PartitionHolder;
  log: Log;
  onTakeOver: (count: number) => void;
}

export class LeaseKeeper {
  readonly #parts: LeaseKeeperDeps;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  #hasLeft = false;
  #done: Promise<unknown> = Promise.resolve();

  constructor(parts: LeaseKeeperDeps) {
    this.#parts = parts;
  }

  /** Resolves when the first look at the spread has been made, and what was free been taken. */
  start(): Promise<void> {
    return new Promise((resolve) => {
      this.#done = Promise.all([this.#renewForever(), this.#balanceForever(resolve)]);
      void this.#watch();
    });
  }

  /** Hands everything over: after this resolves, others may claim at once. */
  async leave(): Promise<void> {
    const { holder, store } = this.#parts;
    this.#isStopping = true;
    await this.#done;
    const all = [...holder.owned.keys()];
    await holder.quiesce(all);
    holder.drop(all);
    await store.leave();
    this.#hasLeft = true;
  }

  async #renewForever(): Promise<void> {
    const { clock, leaseMs, log } = this.#parts;
    while (!this.#isStopping) {
      const isDue = clock.monotonicMs() - this.#renewedAtMs >= leaseMs / RENEWALS_PER_LEASE;
      try {
        if (isDue) await this.#renew();
      } catch (error) {
        log.warn({ err: error }, 'the lease could not be renewed; trying again');
      }
      await clock.sleep(LOOK_EVERY_MS);
    }
  }

  async #balanceForever(onFirst: () => void): Promise<void> {
    const { clock, log } = this.#parts;
    while (!this.#isStopping) {
      try {
        if (this.#renewedAtMs > Number.NEGATIVE_INFINITY) {
          await this.#balance();
          onFirst();
        }
      } catch (error) {
        log.warn({ err: error }, 'partitions could not be balanced; trying again');
      }
      await clock.sleep(LOOK_EVERY_MS);
    }
  }

  async #watch(): Promise<void> {
    const { clock, leaseMs, holder, log } = this.#parts;
    while (!this.#hasLeft) {
      const age = clock.monotonicMs() - this.#renewedAtMs;
      if (holder.owned.size > 0 && age > (leaseMs * 2) / 3) {
        log.error({ age }, 'the lease is too old: dropping all partitions');
        holder.drop([...holder.owned.keys()]);
      }
      await clock.sleep(WATCH_EVERY_MS);
    }
  }

  /** Counted from before the statement: the database's lease is never older than we think. */
  async #renew(): Promise<void> {
    const { clock, holder, store, log } = this.#parts;
    const askedAtMs = clock.monotonicMs();
    const before = [...holder.owned.values()];
    const stored = new Map(
      (await store.heartbeat()).map((claim) => [claim.partition, claim.epoch]),
    );
    this.#renewedAtMs = askedAtMs;
    const lost = before
      .filter((entry) => stored.get(entry.partition) !== entry.epoch)
      .filter((entry) => holder.owned.get(entry.partition) === entry)
      .map((entry) => entry.partition);
    if (lost.length > 0) {
      log.warn({ partitions: lost }, 'partitions were taken by another process');
      holder.drop(lost);
    }
  }

  /**
   * Ours by name, but forgotten (the watchdog dropped them, or the answer to a claim was lost): a commit of
   * that time may still land, so they are taken again only under a new epoch.
   */
  async #releaseForgotten(owned: readonly number[]): Promise<void> {
    const { holder, store } = this.#parts;
    const forgotten = owned.filter((partition) => !holder.owned.has(partition));
    if (forgotten.length > 0) await store.release(forgotten);
  }

  async #balance(): Promise<void> {
    const { holder, name, partitions, store } = this.#parts;
    const spread = await store.readAssignment();
    await this.#releaseForgotten(spread.owned);
    const surplus = holder.owned.size - computeShare(name, spread.processes, partitions);
    if (surplus > 0 && spread.isAlive) {
      await this.#giveBack([...holder.owned.keys()].sort((a, b) => b - a).slice(0, surplus));
    } else if (surplus < 0 && spread.free > 0) {
      await this.#take(-surplus);
    }
  }

  async #giveBack(partitions: number[]): Promise<void> {
    const { holder, store, log } = this.#parts;
    await holder.quiesce(partitions);
    holder.drop(partitions);
    await store.release(partitions);
    log.info({ partitions }, 'gave partitions to others');
  }

  /** A stream is repaired before its partition is read: what is appended from then on is seen. */
  async #take(count: number): Promise<void> {
    const { holder, store, streams, log, onTakeOver } = this.#parts;
    const claims = await store.claim(count);
    if (claims.length === 0) return;
    try {
      await streams.maintain(
        claims.map(({ partition, position }) => ({ partition, after: position })),
      );
    } catch (error) {
      log.warn({ err: error }, 'streams could not be compared yet; the stream guard will');
    }
    holder.adopt(claims);
    onTakeOver(claims.length);
    log.info({ partitions: claims.map((claim) => claim.partition) }, 'took partitions');
  }
}
