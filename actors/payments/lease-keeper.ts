// Keeps the lease of this process and its share of the partitions
// (docs/decisions/0004-leases-and-epochs.md). A partition is in one of these states for this process:
//
//   FREE ──claim──▶ OWNED ──quiesce──▶ LEAVING ──release──▶ FREE
//                     ├── the next frame has a version that this process does not read ──▶ STOPPED ──give up──▶ FREE
//                     │
//                     │ Postgres has another epoch or an earlier position for it (seen by a renewal or a commit: a
//                     │ failover lost commits, whose frames the next claim reads again), or the lease
//                     ▼ was not renewed for two thirds of its length (watchdog)
//                   LOST ──the row still has our name: release──▶ FREE
//
//   OWNED     its stream is read, its batches are committed and answered
//   LEAVING   nothing more is read; the batch under way is committed and answered
//   STOPPED   nothing more is read. A process that reads the frame claims the partition, beyond its share
//   LOST      nothing is committed or answered, and everything remembered of it is discarded. A commit that was sent
//             before may still arrive, so the partition is owned again only under a new epoch
//
// Three loops: the renewal of the lease, the balance of partitions, and the watchdog. They are apart because the
// balance waits for streams and for batches under way, for which neither of the others may wait. A process that frees
// partitions wakes the balance of the others (partition-leases.ts), so that it looks seldom by itself.
import { comparePositions } from '../core/partition.js';
import type { Clock } from '#ops/runtime/clock.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Log } from '#ops/runtime/log.js';
import { type Claim, WRITERS_LEARN_MS } from '#store/postgres/payments/partition-leases.js';
import { FIRST_VERSION } from '#store/redis/frames.js';
import type { OwnedPartitions } from './owned-partition.js';
import type { CommandStreams, LeaseStore } from './ports.js';

const RENEWALS_PER_LEASE = 5;
/** Finds partitions whose owner died, after its lease of LEASE_MS; and what a lost wake-up was about. */
const BALANCE_EVERY_MS = 500;
/** Between two looks at a lease that may be too old. */
const WATCH_EVERY_MS = 100;
/** The rest of the lease is for timers that fire late: nobody else may claim before the watchdog has acted. */
const MAX_LEASE_AGE_SHARE = 2 / 3;

/** The partition loops, as the keeper sees them. */
export interface PartitionHolder {
  readonly owned: OwnedPartitions;
  adopt: (claims: readonly Claim[]) => void;
  drop: (partitions: readonly number[]) => void;
  /** Stops reading the partitions; resolves when no batch of theirs is under way. */
  quiesce: (partitions: readonly number[]) => Promise<void>;
}

export interface LeaseKeeperDeps {
  name: string;
  leaseMs: number;
  /** The newest version of frames that it reads. */
  readsVersion: number;
  clock: Clock;
  store: LeaseStore;
  streams: Pick<CommandStreams, 'maintain'>;
  holder: PartitionHolder;
  log: Log;
  onTakeOver: (count: number) => void;
  /** How many partitions wait for a process that reads a newer version of frames. */
  onStopped: (count: number) => void;
}

/**
 * The number of partitions that `name` should own among `processes` (sorted). All processes compute it from the same
 * list, so they agree without messages, and only partitions above a process' share move.
 */
export function computeShare(
  name: string,
  processes: readonly string[],
  partitionCount: number,
): number {
  const index = processes.indexOf(name);
  if (index < 0) return 0;
  const base = Math.floor(partitionCount / processes.length);
  return index < partitionCount % processes.length ? base + 1 : base;
}

/** The partitions that a process hands over: those with the highest ids, and `moved` ones last. */
export function listSurplus(owned: Iterable<number>, moved: readonly number[], count: number) {
  const highestFirst = [...owned].sort((a, b) => b - a);
  const others = highestFirst.filter((one) => !moved.includes(one));
  return [...new Set([...others, ...highestFirst])].slice(0, count);
}

export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  #partitions: number | undefined;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #announcedVersion: number;
  #lastRenewal: Promise<void> = Promise.resolve();
  #renewal: Loop | undefined;
  #balancing: Loop | undefined;
  #watchdog: Loop | undefined;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
    this.#announcedVersion = deps.readsVersion;
  }

  /**
   * When Postgres last renewed the lease and had no earlier position than this process, by the monotonic clock; before the
   * statement.
   */
  get renewedAtMs(): number {
    return this.#renewedAtMs;
  }

  /** The number of all partitions at the last look; undefined before the first one. */
  get partitions(): number | undefined {
    return this.#partitions;
  }

  /** Resolves when this process has a lease, writers know what it reads, and it has claimed its share of the free partitions. */
  start(): Promise<void> {
    const { leaseMs, log, clock } = this.#deps;
    return new Promise((resolve) => {
      this.#renewal = startLoop({
        name: 'lease renewal',
        everyMs: leaseMs / RENEWALS_PER_LEASE,
        work: () => this.#renewLease(),
        log,
        clock,
      });
      this.#balancing = startLoop({
        name: 'balance of partitions',
        everyMs: BALANCE_EVERY_MS,
        work: async () => {
          if (this.#renewedAtMs === Number.NEGATIVE_INFINITY) return;
          if (await this.#balance()) resolve();
        },
        log,
        clock,
      });
      this.#watchdog = startLoop({
        name: 'lease watchdog',
        everyMs: WATCH_EVERY_MS,
        work: () => Promise.resolve(this.#checkLeaseAge()),
        log,
        clock,
      });
    });
  }

  /** Partitions may be FREE: looks at once. */
  rebalance(): void {
    this.#balancing?.wake();
  }

  /** Hands all partitions over: after this resolves, other processes may claim them at once. */
  async leave(): Promise<void> {
    const { holder, store } = this.#deps;
    await this.#leaveReadable();
    await Promise.all([this.#renewal?.stop(), this.#balancing?.stop()]);
    const all = [...holder.owned.keys()];
    await holder.quiesce(all);
    holder.drop(all);
    await store.leave();
    await this.#watchdog?.stop();
  }

  /** One at a time, so that Postgres has the newest announcement. */
  #renewLease(): Promise<void> {
    const renewal = this.#lastRenewal.then(() => this.#renewOnce());
    this.#lastRenewal = renewal.catch(() => {});
    return renewal;
  }

  /** The age counts from before the statement, so the lease in Postgres never ends earlier than believed here. */
  async #renewOnce(): Promise<void> {
    const { clock, holder, store, log } = this.#deps;
    const askedAtMs = clock.monotonicMs();
    const before = [...holder.owned.values()].map((owned) => ({ owned, after: owned.position }));
    const claims = await store.renewLease(this.#announcedVersion);
    const isFirst = this.#renewedAtMs === Number.NEGATIVE_INFINITY;
    this.#renewedAtMs = askedAtMs;
    if (isFirst) this.rebalance();
    const stored = new Map(claims.map((claim) => [claim.partition, claim]));
    const lost = before
      .filter(({ owned, after }) => {
        const claim = stored.get(owned.partition);
        return claim?.epoch !== owned.epoch || comparePositions(claim.position, after) < 0;
      })
      .filter(({ owned }) => holder.owned.get(owned.partition) === owned)
      .map(({ owned }) => owned.partition);
    if (lost.length === 0) return;
    log.warn(
      { partitions: lost },
      'partitions were taken over, or Postgres lost their last commits',
    );
    holder.drop(lost);
  }

  /** Returns the milliseconds until the lease can be too old. */
  #checkLeaseAge(): number {
    const { clock, leaseMs, holder, log } = this.#deps;
    const ageMs = clock.monotonicMs() - this.#renewedAtMs;
    const leftMs = leaseMs * MAX_LEASE_AGE_SHARE - ageMs;
    if (holder.owned.size > 0 && leftMs < 0) {
      log.error({ ageMs }, 'the lease was not renewed in time; dropping all partitions');
      holder.drop([...holder.owned.keys()]);
    }
    return Math.max(WATCH_EVERY_MS, leftMs);
  }

  /** Returns whether this process may own its share of the partitions: writers know what it reads. */
  async #balance(): Promise<boolean> {
    const { holder, name, store, onStopped } = this.#deps;
    await this.#giveUpStopped();
    const assignment = await store.readAssignment();
    this.#partitions = assignment.total;
    onStopped(assignment.unreadable);
    this.#dropLost(assignment.owned);
    await this.#releaseLost(assignment.owned);
    const leaving = assignment.leaving.filter((partition) => holder.owned.has(partition));
    if (leaving.length > 0) await this.#handOver(leaving);
    const surplus = holder.owned.size - computeShare(name, assignment.processes, assignment.total);
    // No other process may claim these, so the share does not count. The next balance hands over what is too much.
    const { beyondShare } = assignment;
    if (beyondShare > 0) await this.#claim(Math.max(beyondShare, -surplus));
    else if (surplus > 0 && assignment.isAlive) {
      await this.#handOver(listSurplus(holder.owned.keys(), assignment.moved, surplus));
    } else if (surplus < 0 && assignment.free > 0) {
      await this.#claim(-surplus);
    }
    return assignment.isAnnounced;
  }

  /** Half a second after a stop, at the latest; the frames that wait behind it are read by the next owner. */
  async #giveUpStopped(): Promise<void> {
    const { holder, store } = this.#deps;
    const stopped = [...holder.owned.values()].flatMap(({ partition, stoppedBefore: version }) =>
      version === undefined ? [] : [{ partition, version }],
    );
    if (stopped.length === 0) return;
    const partitions = stopped.map(({ partition }) => partition);
    await holder.quiesce(partitions);
    holder.drop(partitions);
    await store.giveUp(stopped);
  }

  /**
   * The next process may read less. If no other one reads as much, this one reads on until all writers write version 1, so
   * that it leaves no frame behind that the next one does not read.
   */
  async #leaveReadable(): Promise<void> {
    const { clock, store, log, readsVersion } = this.#deps;
    if (readsVersion === FIRST_VERSION) return;
    try {
      this.#announcedVersion = FIRST_VERSION;
      await this.#renewLease();
      const { othersRead } = await store.readAssignment();
      if (othersRead < readsVersion) await clock.sleep(WRITERS_LEARN_MS);
    } catch (error) {
      log.warn(
        { err: error },
        'Postgres did not take the announcement that this process leaves; a frame of a newer version may wait for a process that reads it',
      );
    }
  }

  /**
   * `owned`: partitions under our name in Postgres. The others were taken over, or freed by a split, which wakes the balance. Only the
   * balance claims, so that no claim is newer than this list.
   */
  #dropLost(owned: readonly number[]): void {
    const { holder, log } = this.#deps;
    const lost = [...holder.owned.keys()].filter((partition) => !owned.includes(partition));
    if (lost.length === 0) return;
    log.warn({ partitions: lost }, 'partitions were taken over, or freed by a split');
    holder.drop(lost);
  }

  /** `owned`: partitions under our name in Postgres. Those that we do not own were lost, or their claim's answer was. */
  async #releaseLost(owned: readonly number[]): Promise<void> {
    const { holder, store } = this.#deps;
    const lost = owned.filter((partition) => !holder.owned.has(partition));
    if (lost.length > 0) await store.release(lost);
  }

  async #handOver(partitions: number[]): Promise<void> {
    const { holder, store, log } = this.#deps;
    await holder.quiesce(partitions);
    holder.drop(partitions);
    await store.release(partitions);
    log.info({ partitions }, 'handed partitions over');
  }

  /** A stream is repaired before it is read, so that nothing that is appended from then on is skipped. */
  async #claim(count: number): Promise<void> {
    const { holder, store, streams, log, onTakeOver } = this.#deps;
    const claims = await store.claim(count);
    if (claims.length === 0) return;
    const cursors = claims.map(({ partition, position }) => ({ partition, after: position }));
    await streams.maintain(cursors).catch((error: unknown) => {
      log.warn({ err: error }, 'streams could not be repaired at a claim; the stream guard will');
    });
    holder.adopt(claims);
    onTakeOver(claims.length);
    log.info({ partitions: claims.map(({ partition }) => partition) }, 'claimed partitions');
  }
}
