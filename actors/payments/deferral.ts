// Commands that are set aside so that one of them never stops the others of its process.
//
//   SENT ──applied──▶ COMMITTED
//     │ a row that it changes is locked by another transaction (LOCKED)
//     │ its commit alone takes longer than a statement may (SLOW)
//     │ its frame has more commands than one commit can take now (LATER)
//     │ an earlier command of its payment is deferred (BEHIND)
//     ▼
//   DEFERRED (stored by the commit that moves the position over it) ──resumed, in order per payment──▶ COMMITTED
//
// Deferred commands are resumed at the begin of a later batch of their partition: LOCKED ones once the row is free, SLOW
// ones after growing pauses, the others at once. If no frame waits, an empty frame is appended to the stream, since each
// commit moves a position. Time says nothing about a command, so a slow one is never quarantined.
import type { Posting } from '../core/ledger/postings.js';
import { comparePositions } from '../core/partition.js';
import { dropTraceContext } from '../core/trace-context.js';
import type { DeferredRow } from '#store/postgres/payments/commit-batch.js';
import type { BatchCommand } from './batch-input.js';
import type { DeferredCommand, OwnedPartition } from './owned-partition.js';

/** A statement that takes too long costs all others 4 s. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

export type LockedRows = ReadonlySet<string>;

export interface DeferralLimits {
  readonly locked: LockedRows;
  /** Commands of frames that one commit may apply. */
  readonly maxCommands: number;
  readonly monotonicMs: number;
}

/** The changes of one batch to the deferred commands of its partitions, kept apart until the batch is committed. */
export class DeferralChanges {
  readonly #limits: DeferralLimits;
  readonly #partitions: ReadonlyMap<number, OwnedPartition>;
  /** By payment: the deferred commands before its next command. */
  readonly #queued = new Map<string, number>();
  /** Payments of which a resumed command is deferred again. */
  readonly #held = new Set<string>();
  readonly #added: DeferredCommand[] = [];
  readonly #removed = new Set<DeferredCommand>();
  #appliedOfFrames = 0;

  constructor(partitions: ReadonlyMap<number, OwnedPartition>, limits: DeferralLimits) {
    this.#limits = limits;
    this.#partitions = partitions;
    for (const { deferred = [] } of partitions.values()) {
      for (const { paymentId } of deferred) this.#count(paymentId, 1);
    }
  }

  /** Whether the command is deferred without being decided. */
  mustWait({ deferred, isSlow }: BatchCommand, paymentId: string): boolean {
    if (isSlow) return true;
    if (deferred !== undefined) return this.#held.has(paymentId);
    const isBehind = (this.#queued.get(paymentId) ?? 0) > 0;
    return isBehind || this.#appliedOfFrames >= this.#limits.maxCommands;
  }

  /** The locked row that a command changes, if there is one. */
  findLock(paymentId: string, postings: readonly Posting[]): string | undefined {
    const { locked } = this.#limits;
    if (locked.has(paymentId)) return paymentId;
    return postings.flatMap(({ debit, credit }) => [debit, credit]).find((one) => locked.has(one));
  }

  /**
   * Whether the command is deferred already. Senders that wait for no reply send a command until it has changed its
   * payment, so one of them is enough.
   */
  isRepeated({ deferred, correlation, partition, text }: BatchCommand, paymentId: string): boolean {
    if (deferred !== undefined || correlation !== '') return false;
    // Each sending has a trace context of its own.
    const sent = dropTraceContext(text);
    const isSame = (one: DeferredCommand): boolean =>
      one.paymentId === paymentId && dropTraceContext(one.text) === sent;
    return (
      this.#added.some(isSame) || this.#partitions.get(partition)?.deferred?.some(isSame) === true
    );
  }

  /** Returns the row to store; undefined: it is stored. */
  defer(item: BatchCommand, paymentId: string, lock?: string): DeferredRow | undefined {
    const { deferred: before, isSlow } = item;
    if (before !== undefined) {
      this.#held.add(paymentId);
      this.#removed.add(before);
      this.#added.push({ ...before, lock, ...this.#buildPause(isSlow, before.pauseMs) });
      return undefined;
    }
    const { partition, position, index, source, sender, correlation, text } = item;
    if (source === null) throw new Error('a command without a signature is never deferred');
    this.#count(paymentId, 1);
    const row = { partition, position, index, paymentId, source, sender, correlation };
    this.#added.push({ ...row, text, lock, ...this.#buildPause(isSlow, 0) });
    return { ...row, command: text };
  }

  /** The command is applied, rejected or quarantined. */
  finish(item: BatchCommand): void {
    const { deferred } = item;
    if (deferred === undefined) {
      this.#appliedOfFrames += 1;
      return;
    }
    this.#removed.add(deferred);
    this.#count(deferred.paymentId, -1);
  }

  /** Applies the changes to the partitions. */
  remember(): void {
    if (this.#removed.size === 0 && this.#added.length === 0) return;
    for (const owned of this.#partitions.values()) {
      const added = this.#added.filter(({ partition }) => partition === owned.partition);
      const kept = owned.deferred?.filter((one) => !this.#removed.has(one)) ?? [];
      owned.deferred = [...kept, ...added].sort(compareCommands);
    }
  }

  #count(paymentId: string, one: 1 | -1): void {
    this.#queued.set(paymentId, (this.#queued.get(paymentId) ?? 0) + one);
  }

  #buildPause(isSlow: boolean, lastMs: number): Pick<DeferredCommand, 'resumeAtMs' | 'pauseMs'> {
    if (!isSlow) return { resumeAtMs: 0, pauseMs: lastMs };
    const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(FIRST_PAUSE_MS, lastMs * 2));
    return { resumeAtMs: this.#limits.monotonicMs + pauseMs, pauseMs };
  }
}

/** As they were appended. */
function compareCommands(a: DeferredCommand, b: DeferredCommand): number {
  const order = comparePositions(a.position, b.position);
  return order === 0 ? a.index - b.index : order;
}
