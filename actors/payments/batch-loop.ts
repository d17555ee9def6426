// The partition loop. One batch of all its partitions at a time goes through
//
//   READ ──▶ LOADED ──▶ FOLDED ──commit──▶ COMMITTED ──▶ remembered and answered, while the next batch is read
//              ▲                   │
//              └──── again ────────┤ EXISTS    a payment that was folded as new exists: all states are loaded first
//                                  │ FENCED    a partition was lost: its commands leave the batch
//                                  │ REFUSED   Postgres refuses a command: it is quarantined
//                                  │
//              READ ◀── waiting ───┘ ROLLED BACK  for its time: its frames are split into smaller batches; for a lock:
//                                                 folded again, with the commands deferred that need it (deferral.ts)
//
// Commands of payments that a split has moved are forwarded before the commit passes over them (forwarder.ts).
//
// While a commit runs, the next commands collect in the streams, so batches grow with the load and share the cost of a
// commit. A partition may be lost at every await. It is still owned only if `owned` holds the same object: a partition
// that was lost and claimed again is another one.
import type { PaymentState } from '../core/payment/state.js';
import { BatchSize } from '#ops/runtime/batch-size.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { Tracer } from '#ops/runtime/tracing/tracer.js';
import { findUndoneReason } from '#store/postgres/classify-failure.js';
import type { CommitBatch } from '#store/postgres/payments/commit-batch.js';
import type { Claim } from '#store/postgres/payments/partition-leases.js';
import type { FrameReader } from '#store/redis/commands.js';
import type { Frame } from '#store/redis/frames.js';
import {
  type BatchCommand,
  BatchReader,
  decodeFrames,
  type DecodeOptions,
  type LoadScope,
  loadStates,
} from './batch-input.js';
import { beginCommandSpans, beginCommitSpans, endCommandSpans } from './command-spans.js';
import { COMMANDS_AT_ONCE, type CommitResult, commitUntilKnown, GROWS_BELOW_MS } from './commit.js';
import { foldBatch, type FoldResult } from './fold.js';
import { forwardMoved } from './forwarder.js';
import type { PartitionHolder } from './lease-keeper.js';
import type { LoopMetrics } from './loop-metrics.js';
import { createOwnedPartition, type Ownership, type OwnedPartition } from './owned-partition.js';
import { findPoisonCommands, markPoison } from './poison-commands.js';
import type { CommandStreams, PaymentStore } from './ports.js';
import { Resumer } from './resumer.js';
import { loadStoredDecisions } from './stored-decisions.js';

const RETRY_MS = 50;
/** A repeated create is likely to be followed by more: for so many batches all states are loaded first. */
const BATCHES_AFTER_REPEAT = 20;

export interface BatchLoopDeps {
  clock: Clock;
  /** Redis' clock, which dates the commands; undefined while it is unknown. */
  streamNowMs: () => number | undefined;
  frames: FrameReader;
  streams: CommandStreams;
  store: PaymentStore;
  log: Log;
  metrics: LoopMetrics;
  baseUrl: string;
  /** LIVE refunds above it are ended by two administrators. */
  approvalLimitMinor: bigint;
  /** undefined: traces are off. */
  tracer?: Tracer | undefined;
}

type Partitions = ReadonlyMap<number, OwnedPartition>;

const NONE_RESUMED: DecodeOptions['resumed'] = new Map();

/** A split has moved its payment to another partition. */
const isMoved = ({ movedTo }: BatchCommand): boolean => movedTo !== undefined;

/** False while they are not loaded yet. */
const hasNoneDeferred = ({ deferred }: OwnedPartition): boolean => deferred?.length === 0;

interface Batch {
  frames: readonly Frame[];
  commands: readonly BatchCommand[];
  /** As they were owned when the batch was read. */
  partitions: Partitions;
  known: ReadonlyMap<string, PaymentState>;
}

export class BatchLoop implements PartitionHolder {
  readonly owned: Ownership = new Map();
  readonly #deps: BatchLoopDeps;
  readonly #batchSize = new BatchSize(COMMANDS_AT_ONCE);
  readonly #reader: BatchReader;
  readonly #resumer: Resumer;
  #applying: Promise<void> = Promise.resolve();
  #answering: Promise<void> = Promise.resolve();
  #isStopping = false;
  #batchesToLoadFirst = 0;

  constructor(deps: BatchLoopDeps) {
    this.#deps = deps;
    this.#reader = new BatchReader(deps, this.owned);
    this.#resumer = new Resumer(deps, this.owned);
  }

  adopt(claims: readonly Claim[]): void {
    for (const claim of claims) this.owned.set(claim.partition, createOwnedPartition(claim));
    this.#reader.wake();
  }

  drop(partitions: readonly number[]): void {
    for (const partition of partitions) this.owned.delete(partition);
    this.#reader.forgetLost();
  }

  async quiesce(partitions: readonly number[]): Promise<void> {
    for (const partition of partitions) {
      const owned = this.owned.get(partition);
      if (owned) owned.isLeaving = true;
    }
    await this.#applying;
    await this.#answering;
  }

  /** Resolves when the batch under way is answered; no other batch is begun. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#reader.wake();
    await this.#applying;
    await this.#answering;
  }

  /**
   * A plain loop and not `startLoop`, which puts a timer (1 ms or more) between two rounds.
   * @throws Error when the stored state is impossible: the process must exit
   */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      if (this.#needsResumer()) await this.#resumer.prepare();
      await this.#reader.read(
        (one) => hasNoneDeferred(one) || this.#resumer.isReadable(one),
        this.#needsResumer(),
      );
      // `stop` was called during the read: its caller closes the stores, so no batch may begin.
      if (this.#isStopping) return;
      const frames = this.#reader.takeBatch(this.#batchSize.size);
      if (frames.length === 0) continue;
      this.#applying = this.#apply(frames);
      await this.#applying;
    }
  }

  /**
   * Whether a partition's deferred commands are unknown or not empty, or a row is locked. Otherwise, as almost always, the
   * resumer has nothing to do.
   */
  #needsResumer(): boolean {
    for (const owned of this.owned.values()) if (!hasNoneDeferred(owned)) return true;
    return this.#resumer.locked.size > 0;
  }

  /** Resolves when the commands of the frames are committed, or unread again, or their partitions lost. */
  async #apply(frames: readonly Frame[]): Promise<void> {
    const partitions = new Map<number, OwnedPartition>();
    for (const { partition } of frames) {
      const owned = this.owned.get(partition);
      if (owned) partitions.set(partition, owned);
    }
    let batch = this.#openBatch(frames, partitions);
    let scope: LoadScope = this.#chooseScope();
    if (batch.commands.some(isMoved)) await forwardMoved(this.#deps, batch.commands);
    for (let pass = 1; ; pass += 1) {
      // A second pass is usually a repeated create; a third one means that something fails.
      if (pass > 2) await this.#deps.clock.sleep(RETRY_MS);
      batch = this.#removeLost(batch);
      if (batch.frames.length === 0) return;
      const known = await this.#load(batch.commands, scope);
      const isLost = batch.frames.some(({ partition }) => !this.#isOwned(partition, partitions));
      if (known === undefined || isLost) continue;
      batch = { ...batch, known };
      const folded = this.#fold(batch, batch.commands, this.#deps.clock.nowMs());
      if (await this.#commit(folded, batch)) return;
      scope = 'everything';
    }
  }

  #openBatch(frames: readonly Frame[], partitions: Partitions): Batch {
    const { tracer } = this.#deps;
    const resumed = this.#needsResumer()
      ? this.#resumer.listAll(partitions, this.#batchSize.size)
      : NONE_RESUMED;
    const commands = decodeFrames(frames, { partitions, resumed });
    if (tracer !== undefined) beginCommandSpans(tracer, commands);
    return { frames, commands, partitions, known: new Map() };
  }

  #removeLost(batch: Batch): Batch {
    const isOwned = ({ partition }: { partition: number }): boolean =>
      this.#isOwned(partition, batch.partitions);
    if (batch.frames.every(isOwned)) return batch;
    const frames = batch.frames.filter(isOwned);
    return { ...batch, frames, commands: batch.commands.filter(isOwned) };
  }

  #chooseScope(): LoadScope {
    if (this.#batchesToLoadFirst === 0) return 'first_creates';
    this.#batchesToLoadFirst -= 1;
    return 'everything';
  }

  #isOwned(partition: number, partitions: Partitions): boolean {
    return this.owned.get(partition) === partitions.get(partition);
  }

  #fold(batch: Batch, commands: readonly BatchCommand[], atMs: number): FoldResult {
    const { streamNowMs, baseUrl, clock } = this.#deps;
    const { partitions, known, frames } = batch;
    const maxCommands = this.#batchSize.size;
    const deferral = {
      locked: this.#resumer.locked,
      maxCommands,
      monotonicMs: clock.monotonicMs(),
    };
    const common = { partitions, known, frames, deferral, atMs, baseUrl };
    return foldBatch(commands, { ...common, streamNowMs: streamNowMs() });
  }

  /** undefined: Postgres did not answer. */
  async #load(
    commands: readonly BatchCommand[],
    scope: LoadScope,
  ): Promise<Map<string, PaymentState> | undefined> {
    const { store, clock, log } = this.#deps;
    try {
      await loadStoredDecisions(this.#deps, commands);
      return await loadStates(store, this.owned, commands, scope);
    } catch (error) {
      log.warn(
        { err: error },
        `snapshots or stored decisions cannot be loaded; loading again in ${RETRY_MS} ms`,
      );
      await clock.sleep(RETRY_MS);
      return undefined;
    }
  }

  /** Returns false when the batch has to be folded again. */
  async #commit(folded: FoldResult, batch: Batch): Promise<boolean> {
    const { log } = this.#deps;
    const result = await this.#commitUntilKnown(folded, batch.partitions);
    switch (result.kind) {
      case 'committed':
        if (this.#deps.tracer !== undefined) endCommandSpans(batch.commands, folded);
        await this.#finish(folded, batch.partitions);
        return true;
      case 'exists':
        this.#batchesToLoadFirst = BATCHES_AFTER_REPEAT;
        return false;
      case 'fenced':
        if (result.isRolledBack) this.#batchSize.shrink(folded.applied.length);
        log.warn({ partitions: result.lost }, 'a commit was fenced: dropping lost partitions');
        this.drop(result.lost.filter((partition) => this.#isOwned(partition, batch.partitions)));
        return false;
      case 'refused':
        log.error({ err: result.error }, 'Postgres refused a batch; searching the command');
        return await this.#quarantinePoison(batch, folded);
      case 'rolled_back':
        if (await this.#resumer.findLocks(folded.batch)) return false;
        return await this.#shrink(batch, folded, result.error);
    }
  }

  /**
   * Makes the batch smaller: its frames are split again. One command that cannot be committed in time is deferred, and
   * so are resumed commands, so that they delay the others as little as possible. A resumed command that was too slow
   * before is deferred again at once: searching it by halves would stop the others for 4 s a time.
   */
  async #shrink(batch: Batch, { applied }: FoldResult, error: unknown): Promise<boolean> {
    const { clock, log } = this.#deps;
    const isSmallest = applied.length <= 1 || this.#batchSize.size === 1;
    const resumed = applied.filter(({ deferred }) => deferred !== undefined);
    const slowBefore = resumed.filter(({ deferred }) => (deferred?.pauseMs ?? 0) > 0);
    if (slowBefore.length > 0) {
      for (const item of slowBefore) item.isSlow = true;
      await clock.sleep(RETRY_MS);
      return false;
    }
    if (isSmallest) for (const item of resumed.length > 0 ? resumed : applied) item.isSlow = true;
    else this.#batchSize.shrink(applied.length);
    const maxCommands = this.#batchSize.size;
    log.warn(
      { err: error, commands: applied.length, maxCommands },
      'Postgres rolled a batch back for its time or a lock; committing less at once',
    );
    if (!isSmallest) this.#reader.putBack(this.#removeLost(batch).frames);
    await clock.sleep(RETRY_MS);
    return !isSmallest;
  }

  async #commitUntilKnown(folded: FoldResult, partitions: Partitions): Promise<CommitResult> {
    const { clock, store, log, metrics, tracer } = this.#deps;
    const endSpans = tracer && beginCommitSpans(tracer, folded);
    const startedAtMs = clock.monotonicMs();
    const isOwned = ({ positions }: CommitBatch): boolean =>
      positions.every(({ partition }) => this.#isOwned(partition, partitions));
    const result = await commitUntilKnown({ clock, store, log, isOwned }, folded.batch);
    const elapsedMs = clock.monotonicMs() - startedAtMs;
    endSpans?.(result.kind);
    if (result.kind === 'committed') {
      metrics.onCommit(folded, elapsedMs);
      if (elapsedMs < GROWS_BELOW_MS) this.#batchSize.grow(folded.applied.length);
    }
    return result;
  }

  /** Returns false when the batch has to be folded again. */
  async #quarantinePoison(batch: Batch, folded: FoldResult): Promise<boolean> {
    const { store, log } = this.#deps;
    const fold = (commands: readonly BatchCommand[]): CommitBatch =>
      this.#fold(batch, commands, folded.batch.atMs).batch;
    try {
      const found = await findPoisonCommands({ store, fold }, batch.commands);
      for (const poison of found) markPoison(poison);
    } catch (error) {
      if (findUndoneReason(error) === 'contended') return this.#shrink(batch, folded, error);
      log.warn({ err: error }, 'the refused command cannot be searched; committing again');
    }
    return false;
  }

  /** Replies leave while the next batch is read; only one set of replies is under way. */
  async #finish(folded: FoldResult, partitions: Partitions): Promise<void> {
    for (const { partition, to } of folded.batch.positions) {
      const owned = partitions.get(partition);
      if (owned) owned.position = to;
    }
    folded.remember();
    this.#reportQuarantined(folded.batch);
    await this.#answering;
    const { streams, log } = this.#deps;
    const { events, railCalls } = folded.batch;
    const published = events.filter(({ envelope }) => envelope !== null);
    const wakes = { eventPartitions: published.map(({ partition }) => partition), railCalls };
    this.#answering = streams.answer(folded.replies, wakes).catch((error: unknown) => {
      log.warn({ err: error }, 'replies could not be sent; gateways read the outcomes themselves');
    });
  }

  /** Reported after the commit, since a batch may be folded more than once. */
  #reportQuarantined({ quarantined }: CommitBatch): void {
    const { metrics, log } = this.#deps;
    for (const { position, index, error, partition } of quarantined) {
      metrics.onQuarantined();
      // Without the command: it contains data of customers, which cannot be erased from logs.
      const at = `${position.ms}-${position.seq} ${index}`;
      log.error({ error, partition, at }, 'a command was quarantined');
    }
  }
}
