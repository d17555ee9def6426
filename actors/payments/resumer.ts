// Resumes deferred commands (deferral.ts): loads those of newly owned partitions, asks which rows are still locked, and
// appends an empty frame where a command can be resumed and no frame may come by itself.
import { isMerchantAccount } from '../core/ledger/accounts.js';
import type { Position } from '../core/partition.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import type { LockedRows } from './deferral.js';
import type { DeferredCommand, Ownership, OwnedPartition } from './owned-partition.js';
import type { CommandStreams, PaymentStore } from './ports.js';

const EVERY_MS = 100;
/** A frame that began no batch for so long may be lost. */
const WAKE_AGAIN_MS = 1_000;
/** Per partition and batch. */
const MAX_RESUMED = 64;
/** Of a partition. Beyond it nothing more of the partition is read until some can be resumed. */
const MAX_DEFERRED = 4_000;

const isFull = ({ deferred }: OwnedPartition): boolean =>
  deferred !== undefined && deferred.length >= MAX_DEFERRED;

/** The commands that were SLOW and may still be resumed in a batch: two of them would make each other slow again. */
interface SlowAllowance {
  left: number;
}
const allowOneSlow = (): SlowAllowance => ({ left: 1 });

export interface ResumerDeps {
  clock: Clock;
  store: Pick<PaymentStore, 'loadDeferred' | 'findLockedRows'>;
  streams: Pick<CommandStreams, 'appendEmptyFrames'>;
  log: Log;
}

export class Resumer {
  readonly #deps: ResumerDeps;
  readonly #owned: Ownership;
  readonly #woken = new WeakMap<OwnedPartition, { position: Position; atMs: number }>();
  readonly #locked = new Set<string>();
  #nextAtMs = 0;
  /** Live: `prepare` and `findLocks` change it, between two folds. */
  readonly locked: LockedRows = this.#locked;

  constructor(deps: ResumerDeps, owned: Ownership) {
    this.#deps = deps;
    this.#owned = owned;
  }

  /**
   * To be called between two batches while a partition's deferred commands are unknown or not empty, or a row is locked.
   */
  async prepare(): Promise<void> {
    const nowMs = this.#deps.clock.monotonicMs();
    const isNew = [...this.#owned.values()].some(({ deferred }) => deferred === undefined);
    if (!isNew && nowMs < this.#nextAtMs) return;
    this.#nextAtMs = nowMs + EVERY_MS;
    try {
      if (isNew) await this.#load();
      if (this.#locked.size > 0) await this.#checkLocks();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'deferred commands cannot be read; reading them again');
      await this.#deps.clock.sleep(EVERY_MS);
    }
    this.#wakePartitions();
  }

  /** Nothing is read of a partition whose deferred commands are not known, or too many. */
  isReadable(owned: OwnedPartition): boolean {
    return owned.deferred !== undefined && (!isFull(owned) || this.#list(owned, 1).length > 0);
  }

  /** The commands that a batch of these partitions resumes, by partition. `most`: of each. */
  listAll(
    partitions: ReadonlyMap<number, OwnedPartition>,
    most: number,
  ): ReadonlyMap<number, readonly DeferredCommand[]> {
    const slow = allowOneSlow();
    return new Map([...partitions].map(([id, owned]) => [id, this.#list(owned, most, slow)]));
  }

  /**
   * Whether rows are locked that a batch changes, and were not known to be. Rows of the platform's accounts are held for
   * the time of one statement only.
   */
  async findLocks({ postings, changed }: CommitBatch): Promise<boolean> {
    const accounts = new Set(postings.flatMap(({ debit, credit }) => [debit, credit]));
    const rows = {
      accounts: [...accounts].filter(isMerchantAccount),
      paymentIds: changed.map(({ id }) => id),
    };
    try {
      const found = await this.#deps.store.findLockedRows(rows);
      const isNew = found.some((row) => !this.#locked.has(row));
      for (const row of found) this.#locked.add(row);
      return isNew;
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'locked rows cannot be searched; committing again');
      return false;
    }
  }

  #list(owned: OwnedPartition, most: number, slow = allowOneSlow()): readonly DeferredCommand[] {
    const resumable = listResumable(owned, this.#locked, this.#deps.clock.monotonicMs(), slow);
    return resumable.slice(0, Math.min(most, MAX_RESUMED));
  }

  async #load(): Promise<void> {
    const unknown = [...this.#owned.values()].filter(({ deferred }) => deferred === undefined);
    const stored = await this.#deps.store.loadDeferred(unknown.map(({ partition }) => partition));
    for (const owned of unknown) {
      owned.deferred = stored
        .filter(({ partition }) => partition === owned.partition)
        .map((one) => ({ ...one, lock: undefined, resumeAtMs: 0, pauseMs: 0 }));
    }
  }

  async #checkLocks(): Promise<void> {
    const ids = [...this.#locked];
    const found = await this.#deps.store.findLockedRows({ accounts: ids, paymentIds: ids });
    this.#locked.clear();
    for (const row of found) this.#locked.add(row);
  }

  #wakePartitions(): void {
    const { streams, log, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const waiting = [...this.#owned.values()].filter((owned) => {
      const woken = this.#woken.get(owned);
      const isWoken = woken?.position === owned.position && nowMs - woken.atMs < WAKE_AGAIN_MS;
      const isRead = !owned.isLeaving && owned.stoppedBefore === undefined;
      return isRead && !isWoken && this.#list(owned, 1).length > 0;
    });
    if (waiting.length === 0) return;
    for (const owned of waiting) this.#woken.set(owned, { position: owned.position, atMs: nowMs });
    const partitions = waiting.map(({ partition }) => partition);
    streams.appendEmptyFrames(partitions).catch((error: unknown) => {
      log.warn({ err: error }, 'an empty frame was not appended; appending it again');
    });
  }
}

/** The first deferred commands whose payments have none that must wait longer, in order. */
function listResumable(
  { deferred = [] }: OwnedPartition,
  locked: LockedRows,
  nowMs: number,
  slow: SlowAllowance,
): readonly DeferredCommand[] {
  const held = new Set<string>();
  return deferred.filter(({ paymentId, lock, resumeAtMs, pauseMs }) => {
    const isLocked = lock !== undefined && locked.has(lock);
    if (isLocked || nowMs < resumeAtMs) held.add(paymentId);
    else if (pauseMs > 0 && !held.has(paymentId)) {
      if (slow.left === 0) held.add(paymentId);
      else slow.left -= 1;
    }
    return !held.has(paymentId);
  });
}
