// Follows every frame from its append to its commit, beside the service, so that a command that nobody applied is seen
// although no process noticed. A frame is
//
//   WAITING ──a process that has read it commits past it──▶ APPLIED
//      │ └────a process that has not read it commits past it, or it was appended behind the position──▶ SKIPPED
//      │ Redis lost it
//      ▼
//     LOST ──somebody had read it before and commits──▶ APPLIED
import { comparePositions, formatPosition, type Position } from '#actors/core/partition.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import { type Frame, NEWEST_VERSION, readCommands } from '#store/redis/frames.js';
import type { Tables } from './postgres/tables.js';
import type { Entry, RedisServer } from './redis/server.js';

export type Fate = 'waiting' | 'applied' | 'skipped' | 'lost';

export interface FollowedFrame {
  readonly partition: number;
  /** To which it was appended. */
  readonly server: RedisServer;
  readonly entry: Entry;
  readonly texts: readonly string[];
  /** The processes that have read it, each with the epoch under which it did. */
  readonly readers: Set<string>;
  /** The number of partitions when it was applied. */
  count: number;
  fate: Fate;
  /** Why it was skipped. */
  reason: string;
  /** It was skipped in a way that docs/failures.md names: after Redis had lost data or had failed over. */
  isKnownGap: boolean;
  /** Postgres has lost the commit that applied it. */
  isRolledBack: boolean;
}

/** Of a frame that no process of the simulated world reads. */
export const NEWER_MARK = `f${NEWEST_VERSION + 1}`;

/** A process that reads frames under this epoch, from this server. */
interface FrameReader {
  readonly process: string;
  readonly epoch: bigint | undefined;
  readonly server: RedisServer | undefined;
}

export interface AuditDeps {
  readonly tables: Tables;
  readonly findMaster: () => RedisServer;
  /** The faults that last. */
  readonly listFaults: () => readonly string[];
  readonly readNowMs: () => number;
}

export class Audit {
  readonly frames: FollowedFrame[] = [];
  /** Epochs and positions after each commit and each change of owner, in their order. */
  readonly samples: { id: number; epoch: bigint; ms: bigint; seq: bigint }[] = [];
  /** `<status before> <command> <fault>`, and how often. */
  readonly cells = new Map<string, number>();
  commits = 0;
  /** The newest commits, and the fates of their frames before them. */
  #undo: { atMs: number; restore: () => void }[] = [];
  /** Where and when a process last read frames of a partition, by process, epoch and partition. */
  readonly #reads = new Map<string, { server: RedisServer | undefined; atMs: number }>();
  #lossAtMs = Number.NEGATIVE_INFINITY;
  readonly #deps: AuditDeps;

  constructor(deps: AuditDeps) {
    this.#deps = deps;
  }

  noteAppend(entry: Entry, server: RedisServer): void {
    // The marker of a stream that is made again, and frames that only begin a batch.
    const [mark, value = ''] = entry.fields;
    if (mark !== 'f' && mark !== NEWER_MARK) return;
    const partition = Number(/\d+/.exec(entry.key)?.[0]);
    const texts = readCommands(value).map(({ text }) => text);
    const readers = new Set<string>();
    const frame: FollowedFrame = {
      partition,
      server,
      entry,
      texts,
      readers,
      count: 0,
      fate: 'waiting',
      reason: '',
      isKnownGap: false,
      isRolledBack: false,
    };
    this.frames.push(frame);
    const position = this.#deps.tables.partitions.get(partition)?.position;
    if (server !== this.#deps.findMaster() || position === undefined) frame.fate = 'lost';
    else if (comparePositions(entry.id, position) <= 0) {
      // The stream is not yet raised after Redis has lost its tail, and Redis' clock went back.
      this.#skip(frame, `it was appended behind the position ${formatPosition(position)}`, true);
    }
  }

  /** Call it when Redis may have lost data, or has a new master. */
  noteLoss(): void {
    this.#lossAtMs = this.#deps.readNowMs();
    this.#noteLostFrames();
  }

  /** Call it when frames were deleted from the master. */
  noteDeleted(): void {
    this.#noteLostFrames();
  }

  #noteLostFrames(): void {
    const stored = new Set(
      [...this.#deps.findMaster().streams.values()].flatMap(({ entries }) => entries),
    );
    for (const frame of this.frames) {
      if (frame.fate === 'waiting' && !stored.has(frame.entry)) frame.fate = 'lost';
    }
  }

  /** Postgres has lost the commits of the last `lossMs`. */
  noteRollback(lossMs: number): void {
    const sinceMs = this.#deps.readNowMs() - lossMs;
    for (const { atMs, restore } of this.#undo.splice(0).reverse()) if (atMs > sinceMs) restore();
    this.samples.length = 0;
    this.#noteLostFrames();
    for (const frame of this.frames) {
      // Postgres has lost the split that made its partition.
      const isForgotten = this.#deps.tables.partitions.get(frame.partition) === undefined;
      if (frame.fate === 'waiting' && isForgotten) frame.fate = 'lost';
    }
  }

  noteRead({ process, epoch, server }: FrameReader, frame: Frame): void {
    const atMs = this.#deps.readNowMs();
    this.#reads.set(`${process} ${String(epoch)} ${frame.partition}`, { server, atMs });
    const [first] = frame.commands;
    const equal = this.frames.filter(
      ({ partition, entry, texts }) =>
        partition === frame.partition &&
        comparePositions(entry.id, frame.position) === 0 &&
        texts[0] === first?.text,
    );
    // A frame of the former master was copied to the new one, unless that has another one with its id. After a flush a
    // repeated command can have the id of its lost frame: the later one is in the stream.
    const followed = equal.findLast((one) => one.server === server) ?? equal.at(-1);
    followed?.readers.add(`${process} ${String(epoch)}`);
  }

  /** Call it before a commit takes effect; call the result after it has. */
  prepareCommit(process: string, { positions }: CommitBatch): () => void {
    const passed = positions.flatMap(({ partition, epoch, from, to }) =>
      this.#listBetween(partition, from, to).map((frame) => ({ frame, epoch })),
    );
    const cells = passed.flatMap(({ frame }) => this.#nameCells(frame));
    return () => {
      this.commits += 1;
      const fates = passed.map(({ frame }) => ({ frame, fate: frame.fate }));
      this.#undo.push({
        atMs: this.#deps.readNowMs(),
        restore: () => {
          for (const { frame, fate } of fates) {
            frame.fate = fate;
            frame.isRolledBack = true;
          }
        },
      });
      for (const cell of cells) this.cells.set(cell, (this.cells.get(cell) ?? 0) + 1);
      for (const { frame, epoch } of passed) {
        if (frame.readers.has(`${process} ${epoch}`)) {
          frame.fate = 'applied';
          frame.count = this.#deps.tables.partitions.get(frame.partition)?.counts.at(-1) ?? 0;
        } else if (frame.fate === 'waiting') {
          const read = this.#reads.get(`${process} ${epoch} ${frame.partition}`);
          const isOfMaster = read?.server === this.#deps.findMaster() && read.atMs > this.#lossAtMs;
          this.#skip(frame, `${process} committed past it unread`, !isOfMaster);
        }
      }
      this.sample();
    };
  }

  sample(): void {
    for (const [id, { epoch, position }] of this.#deps.tables.partitions.entries()) {
      this.samples.push({ id, epoch, ms: position.ms, seq: position.seq });
    }
  }

  #skip(frame: FollowedFrame, reason: string, isKnownGap: boolean): void {
    frame.fate = 'skipped';
    frame.isKnownGap = isKnownGap;
    frame.reason = reason;
  }

  #listBetween(partition: number, from: Position, to: Position): FollowedFrame[] {
    return this.frames.filter(
      ({ partition: own, fate, entry: { id } }) =>
        own === partition &&
        (fate === 'waiting' || fate === 'lost') &&
        comparePositions(id, from) > 0 &&
        comparePositions(id, to) <= 0,
    );
  }

  #nameCells({ texts }: FollowedFrame): string[] {
    const faults = this.#deps.listFaults();
    return texts.flatMap((text) => {
      const { type, paymentId } = readCommand(text);
      const status = this.#deps.tables.payments.get(paymentId)?.status ?? 'none';
      return (faults.length > 0 ? faults : ['no fault']).map(
        (fault) => `${status} ${type} ${fault}`,
      );
    });
  }
}

export function readCommand(text: string): { type: string; paymentId: string } {
  try {
    const { type, paymentId } = JSON.parse(text) as Record<string, unknown>;
    return { type: String(type), paymentId: String(paymentId) };
  } catch {
    return { type: 'unreadable', paymentId: '' };
  }
}
