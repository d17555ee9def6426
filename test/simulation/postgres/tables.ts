// The tables of the model of Postgres that the simulated protocols use. Every change can be undone: a statement that
// fails, and everything that a server loses when it fails over.
import type { Position } from '#actors/core/partition.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { CommitBatch, EventRow, NewPayment } from '#store/postgres/payments/commit-batch.js';
import type { NewCallback, StoredCallback } from '#store/postgres/rails/callbacks.js';
import type { CallOperation } from '#store/postgres/rails/claim-calls.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';

const KEPT_MS = 2_000;

export interface PartitionRow {
  readonly owner: string | null;
  readonly epoch: bigint;
  readonly position: Position;
  /** The numbers of partitions, the present one last. */
  readonly counts: readonly number[];
  /** The frame before which the last owner stopped. */
  readonly stopped: { readonly version: number; readonly atMs: number } | null;
  /** The process to which an operator moves or has moved it; `untilMs` is null once it has claimed it. */
  readonly moves: { readonly to: string; readonly untilMs: number | null } | null;
}

export interface ProcessRow {
  readonly leaseUntilMs: number;
  readonly isReachable: boolean;
  readonly redisSinceMs: number;
  readonly readsVersion: number;
  readonly announcedAtMs: number;
  readonly isDrained: boolean;
}

export type PaymentRow = Pick<
  NewPayment,
  'id' | 'merchantId' | 'environment' | 'status' | 'version' | 'snapshot'
> &
  Pick<NewPayment, 'amountMinor' | 'referenceId' | 'dueAtMs'>;

/** With the time of its commit. */
export type StoredEvent = EventRow & { readonly atMs: number };

export interface EndpointRow {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly isActive: boolean;
  /** Ciphertexts. */
  readonly secret: string;
  readonly nextSecret: string | null;
  readonly switchAtMs: number | null;
  readonly createdAtMs: number;
}

export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly paymentId: string;
  readonly version: number;
  /** The bytes of a test event; null: they are the envelope of the payment's event. */
  readonly body: string | null;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly step: number;
  readonly reason: string | null;
  readonly nextAttemptAtMs: number;
  readonly createdAtMs: number;
  readonly settledAtMs: number | null;
}

export interface FailingEndpoint {
  readonly sinceMs: number;
  readonly latestMs: number;
}

type RowOf<Set extends keyof CommitBatch> = CommitBatch[Set] extends (infer Row)[] ? Row : never;

export interface CallRow extends Omit<RowOf<'railCalls'>, 'operation' | 'waitedMs'> {
  readonly merchantId: string;
  readonly operation: CallOperation;
  readonly state: 'due' | 'sent' | 'answered';
  readonly dueAtMs: number;
  readonly requestedAtMs: number;
  readonly commandedAtMs: number;
  readonly sentAtMs: number | null;
  readonly begunAtMs: number | null;
  readonly unknownAtMs: number | null;
}

export interface InquiryRow {
  readonly id: string;
  readonly kind: 'order' | 'refund';
  readonly rail: RailName;
  readonly paymentId: string;
  readonly merchantId: string;
  readonly reference: string | null;
  readonly dueAtMs: number | null;
  readonly leasedUntilMs: number | null;
  readonly number: number;
  readonly step: number;
  readonly inquireUntilMs: number;
  readonly inquiredAtMs: number | null;
  readonly callbacks: number;
  readonly unconfirmed: readonly ReportedState[];
  readonly fastStep: number;
  readonly absences: number;
  readonly absentSinceMs: number | null;
  readonly closes: number;
  readonly closeId: string | null;
}

export interface FactRow {
  readonly id: string;
  readonly paymentId: string;
  readonly command: string;
  readonly storedAtMs: number;
}

export type CallbackRow = Omit<NewCallback, 'body'> & {
  readonly status: StoredCallback['status'];
  readonly repeats: number;
};

export type TaskRow = RowOf<'tasks'> & { readonly status: 'open' | 'resolved' };

interface Change {
  readonly atMs: number;
  readonly undo: () => void;
}

export class Tables {
  readonly #changes: Change[] = [];
  readonly #readMonotonicMs: () => number;
  readonly partitions = this.#open<number, PartitionRow>();
  readonly processes = this.#open<string, ProcessRow>();
  readonly payments = this.#open<string, PaymentRow>();
  readonly events = this.#open<string, StoredEvent>();
  readonly envelopes = this.#open<string, string>();
  readonly postings = this.#open<string, RowOf<'postings'>>();
  readonly balances = this.#open<string, bigint>();
  readonly refunds = this.#open<string, RowOf<'refunds'>>();
  readonly railTransactions = this.#open<string, RowOf<'railTransactions'>>();
  readonly railCalls = this.#open<string, CallRow>();
  readonly statusInquiries = this.#open<string, InquiryRow>();
  readonly railFacts = this.#open<string, FactRow>();
  readonly railCallbacks = this.#open<string, CallbackRow>();
  readonly tasks = this.#open<string, TaskRow>();
  readonly quarantined = this.#open<string, RowOf<'quarantined'>>();
  readonly deferred = this.#open<string, RowOf<'deferred'>>();
  /** How far the fan-out has come, by partition. */
  readonly cursors = this.#open<number, Pick<EventRow, 'position' | 'index'>>();
  readonly quarantinedEvents = this.#open<string, true>();
  readonly endpoints = this.#open<string, EndpointRow>();
  readonly deliveries = this.#open<string, DeliveryRow>();
  readonly attempts = this.#open<string, AttemptRow>();
  readonly failures = this.#open<string, FailingEndpoint>();
  /** When each timeline of the server was first seen. */
  readonly timelines = this.#open<number, number>();
  #timeline = 1;

  constructor(partitions: number, readMonotonicMs: () => number) {
    this.#readMonotonicMs = readMonotonicMs;
    for (let id = 0; id < partitions; id += 1) {
      this.partitions.set(id, {
        owner: null,
        epoch: 0n,
        position: { ms: 0n, seq: 1n },
        counts: [partitions],
        stopped: null,
        moves: null,
      });
      this.cursors.set(id, { position: { ms: 0n, seq: 0n }, index: 0 });
    }
    // As a rails process at its start.
    this.noteTimeline(-Infinity);
    this.#changes.length = 0;
  }

  /** All of `work` or, when it throws, nothing. */
  transact<Value>(work: (tables: this) => Value): Value {
    const kept = this.#changes.length;
    try {
      return work(this);
    } catch (error) {
      this.#undo(kept);
      throw error;
    }
  }

  /** The server fails over to one that has not received the last `lossMs`. */
  lose(lossMs: number): void {
    if (lossMs > 0) this.#timeline += 1;
    const sinceMs = this.#readMonotonicMs() - lossMs;
    const kept = this.#changes.findIndex(({ atMs }) => atMs > sinceMs);
    if (kept >= 0) this.#undo(kept);
  }

  /** As note_timeline: calls that were wanted before this time may have been made. */
  noteTimeline(nowMs: number): number {
    if (!this.timelines.has(this.#timeline)) this.timelines.set(this.#timeline, nowMs);
    return this.timelines.size > 1 ? Math.max(...this.timelines.values()) : -Infinity;
  }

  /** Changes that no failover can lose any more. */
  forgetOldChanges(): void {
    const sinceMs = this.#readMonotonicMs() - KEPT_MS;
    const kept = this.#changes.findIndex(({ atMs }) => atMs > sinceMs);
    this.#changes.splice(0, kept < 0 ? this.#changes.length : kept);
  }

  #undo(kept: number): void {
    while (this.#changes.length > kept) this.#changes.pop()?.undo();
  }

  #open<Key, Row>(): Table<Key, Row> {
    return new Table((undo) => {
      this.#changes.push({ atMs: this.#readMonotonicMs(), undo });
    });
  }
}

/** The tables and the clock of the server. */
export interface DatedTables {
  readonly tables: Tables;
  readonly nowMs: number;
}

/** A map that reports how to undo each change. Not a subclass: `Map` calls `set` while it is constructed. */
export class Table<Key, Row> {
  readonly #rows = new Map<Key, Row>();
  readonly #onChange: (undo: () => void) => void;

  constructor(onChange: (undo: () => void) => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: Key): Row | undefined {
    return this.#rows.get(key);
  }

  has(key: Key): boolean {
    return this.#rows.has(key);
  }

  entries(): [Key, Row][] {
    return [...this.#rows];
  }

  values(): Row[] {
    return [...this.#rows.values()];
  }

  set(key: Key, row: Row): void {
    const isNew = !this.#rows.has(key);
    const before = this.#rows.get(key);
    this.#onChange(() => {
      if (isNew) this.#rows.delete(key);
      else this.#rows.set(key, before as Row);
    });
    this.#rows.set(key, row);
  }

  delete(key: Key): void {
    const before = this.#rows.get(key);
    if (before === undefined) return;
    this.#onChange(() => {
      this.#rows.set(key, before);
    });
    this.#rows.delete(key);
  }
}
