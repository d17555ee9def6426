// The partition loop: read, load, fold, commit, answer; one batch of all owned partitions at a time.
//
// While a commit runs, the next commands collect in the streams, so batches grow with the load and the
// cost of a commit is shared. Nothing is remembered or answered before the commit is certain. Ownership
// may change at every await: an entry of `owned` that is gone, or is another object, was lost meanwhile.
import type { PaymentState } from '../core/payment/state.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';
import type { CommitBatch } from '#store/postgres/payments/commit-columns.js';
import type { Cursor, Frame } from '#store/redis/commands.js';
import type { Log } from '#ops/runtime/log.js';
import { commitUntilKnown, type CommitResult } from './commit.js';
import { findPoisonCommands } from './poison-commands.js';
import { foldBatch, type FoldResult } from './fold.js';
import { decodeFrames, type FoldCommand, quarantine } from './fold-command.js';
import type { PartitionHolder } from './lease-keeper.js';
import { type LoadScope, loadStates } from './load-states.js';
import type { LoopMetrics } from './loop-metrics.js';
import { createOwnedPartition, type Ownership, type OwnedPartition } from './owned-partition.js';
import type { Clock, CommandStreams, PaymentStore } from './ports.js';
import { splitBatch } from './split-batch.js';

const IDLE_MS = 20;
const RETRY_MS = 50;
/** After a repeated create more of them are likely: for so many batches all states are loaded first. */
const BATCHES_AFTER_REPEAT = 20;

export interface BatchLoopDeps {
  clock: Clock;
  /** Redis' clock, by which commands are dated; undefined while it is not known. */
  streamNowMs: () => number | undefined;
  streams: CommandStreams;
  store: PaymentStore;
  log: Log;
  metrics: LoopMetrics;
  /** Of the installation. */
  partitions: number;
  baseUrl: string;
}

/** What one pass over a batch works on; `entries` are the partitions as they were when it began. */
interface Batch {
  commands: readonly FoldCommand[];
  entries: ReadonlyMap<number, OwnedPartition>;
  known: ReadonlyMap<string, PaymentState>;
}

export class BatchLoop implements PartitionHolder {
  readonly owned: Ownership = new Map();
  readonly #parts: BatchLoopDeps;
  #unread: Frame[] = [];
  #underWay: Promise<void> = Promise.resolve();
  #answering: Promise<void> = Promise.resolve();
  #isStopping = false;
  #isCutOff = false;
  #loadEverythingFor = 0;

  constructor(parts: BatchLoopDeps) {
    this.#parts = parts;
  }

  adopt(claims: readonly Claim[]): void {
    for (const claim of claims) this.owned.set(claim.partition, createOwnedPartition(claim));
  }

  drop(partitions: readonly number[]): void {
    for (const partition of partitions) this.owned.delete(partition);
    // What was read of them and not begun must not be taken for the next reading of a later claim.
    this.#unread = this.#unread.filter((frame) => this.owned.has(frame.partition));
  }

  async quiesce(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      const entry = this.owned.get(partition);
      if (entry) entry.isLeaving = true;
    }
    await this.#underWay;
    await this.#answering;
  }

  /** Ends after the batch under way, and begins none; its answers are sent. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#underWay;
    await this.#answering;
  }

  /** @throws Error when the stored state is impossible: the process must exit. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      const frames = this.#unread.length > 0 ? this.#unread : await this.#read();
      // Stopped during the read: a batch begun now would end behind `stop`, when its stores are closed.
      if (this.#isStopping) return;
      const batch = splitBatch(frames.filter((frame) => this.#isReadable(frame)));
      this.#unread = batch.rest;
      if (batch.frames.length === 0) continue;
      this.#underWay = this.#apply(batch.frames);
      await this.#underWay;
    }
  }

  #isReadable(frame: Frame): boolean {
    const entry = this.owned.get(frame.partition);
    return entry !== undefined && !entry.isLeaving;
  }

  async #read(): Promise<Frame[]> {
    const { clock, streams, log } = this.#parts;
    const entries = [...this.owned.values()].filter((entry) => !entry.isLeaving);
    if (entries.length === 0) {
      await clock.sleep(IDLE_MS);
      return [];
    }
    try {
      const frames = await streams.read(entries.map(buildCursor));
      this.#isCutOff = false;
      const asked = new Set(entries);
      return frames.filter((frame) => {
        const entry = this.owned.get(frame.partition);
        return entry !== undefined && asked.has(entry);
      });
    } catch (error) {
      if (!this.#isCutOff) log.warn({ err: error }, 'command streams cannot be read; trying again');
      this.#isCutOff = true;
      await clock.sleep(RETRY_MS);
      return [];
    }
  }

  /** Brings the frames to a certain end: committed and answered, or lost with their partitions. */
  async #apply(frames: readonly Frame[]): Promise<void> {
    const entries = new Map<number, OwnedPartition>();
    for (const { partition } of frames) {
      const entry = this.owned.get(partition);
      if (entry) entries.set(partition, entry);
    }
    let commands = decodeFrames(frames, this.#parts.partitions);
    let scope: LoadScope = this.#nextScope();
    for (let pass = 1; ; pass += 1) {
      // The first repeat is a create that was one; more of them mean that something is in the way.
      if (pass > 2) await this.#parts.clock.sleep(RETRY_MS);
      commands = commands.filter((command) => this.#areOurs([command], entries));
      if (commands.length === 0) return;
      const known = await this.#load(commands, scope);
      if (known === undefined || !this.#areOurs(commands, entries)) continue;
      const batch: Batch = { commands, entries, known };
      const folded = this.#fold(batch, commands, this.#parts.clock.nowMs());
      if (await this.#settle(folded, batch)) return;
      scope = 'everything';
    }
  }

  #nextScope(): LoadScope {
    if (this.#loadEverythingFor === 0) return 'first_creates';
    this.#loadEverythingFor -= 1;
    return 'everything';
  }

  /** Lost and taken again is lost: the entry is another one. */
  #areOurs(
    commands: readonly FoldCommand[],
    entries: ReadonlyMap<number, OwnedPartition>,
  ): boolean {
    return commands.every(({ partition }) => this.owned.get(partition) === entries.get(partition));
  }

  #fold({ known, entries }: Batch, commands: readonly FoldCommand[], atMs: number): FoldResult {
    const { streamNowMs, baseUrl } = this.#parts;
    return foldBatch(commands, { entries, known, atMs, streamNowMs: streamNowMs(), baseUrl });
  }

  /** undefined when the database could not be asked. */
  async #load(
    commands: readonly FoldCommand[],
    scope: LoadScope,
  ): Promise<Map<string, PaymentState> | undefined> {
    const { store, clock, log } = this.#parts;
    try {
      return await loadStates(store, this.owned, commands, scope);
    } catch (error) {
      log.warn({ err: error }, 'snapshots cannot be loaded; trying again');
      await clock.sleep(RETRY_MS);
      return undefined;
    }
  }

  /** True once the batch needs no further fold. */
  async #settle(folded: FoldResult, batch: Batch): Promise<boolean> {
    const { entries } = batch;
    const result = await this.#commit(folded, entries);
    switch (result.kind) {
      case 'committed':
        await this.#finish(folded, entries);
        return true;
      case 'exists':
        this.#loadEverythingFor = BATCHES_AFTER_REPEAT;
        return false;
      case 'fenced':
        this.#parts.log.warn({ lost: result.lost }, 'a commit was fenced');
        this.drop(
          result.lost.filter((partition) => this.owned.get(partition) === entries.get(partition)),
        );
        return false;
      case 'refused':
        this.#parts.log.error(
          { err: result.error },
          'the database refused a batch; looking for the culprit',
        );
        await this.#park(batch, folded.batch.atMs);
        return false;
    }
  }

  async #commit(
    folded: FoldResult,
    entries: ReadonlyMap<number, OwnedPartition>,
  ): Promise<CommitResult> {
    const { clock, metrics } = this.#parts;
    const startedAtMs = clock.monotonicMs();
    const isStillOurs = (batch: CommitBatch): boolean =>
      batch.positions.every(
        ({ partition }) => this.owned.get(partition) === entries.get(partition),
      );
    const result = await commitUntilKnown({ ...this.#parts, isStillOurs }, folded.batch);
    metrics.onCommit(folded, clock.monotonicMs() - startedAtMs);
    return result;
  }

  async #park(batch: Batch, atMs: number): Promise<void> {
    const { store, log } = this.#parts;
    const fold = (part: readonly FoldCommand[]): CommitBatch => this.#fold(batch, part, atMs).batch;
    const culprits = await findPoisonCommands({ store, fold }, batch.commands).catch(
      (error: unknown) => {
        log.warn({ err: error }, 'the culprit cannot be looked for now');
        return [];
      },
    );
    for (const { command, error, isTransactionTaken } of culprits) {
      quarantine(command, error, isTransactionTaken);
    }
  }

  /** Counted once they are committed: a batch may be folded more than once. */
  #tellParked({ quarantined }: CommitBatch): void {
    const { metrics, log } = this.#parts;
    // Not the command itself: it holds what customers wrote, and logs cannot be erased.
    for (const { position, index, error, partition } of quarantined) {
      metrics.onQuarantined();
      const at = `${position.ms}-${position.seq} ${index}`;
      log.error({ error, partition, at }, 'a command is parked');
    }
  }

  /** The answers of a batch leave while the next one is read; only one set is ever under way. */
  async #finish(folded: FoldResult, entries: ReadonlyMap<number, OwnedPartition>): Promise<void> {
    for (const move of folded.batch.positions) {
      const entry = entries.get(move.partition);
      if (entry) entry.position = move.to;
    }
    folded.remember();
    this.#tellParked(folded.batch);
    await this.#answering;
    const { streams, log } = this.#parts;
    const { events, railCalls } = folded.batch;
    const hasEvents = events.some((event) => event.envelope !== null);
    const wakes = { hasEvents, railCalls };
    this.#answering = streams.answer(folded.replies, wakes).catch((error: unknown) => {
      log.warn({ err: error }, 'answers could not be sent; gateways will look them up');
    });
  }
}

function buildCursor(entry: OwnedPartition): Cursor {
  return { partition: entry.partition, after: entry.position };
}
