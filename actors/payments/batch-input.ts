// The input of a batch. BatchReader reads frames behind the positions of the owned partitions and gives them out in batches.
// The functions behind it decode the commands of a batch, and load the committed states that they need with one query,
// unless these are remembered.
//
// Almost every create is the first of its payment, so its state is not loaded: the commit finds a repeat (a duplicate key), and
// the batch is folded again on the stored states. This saves a query per batch. A create that is rejected even as the
// first stores nothing by which a commit could find a repeat, so its state is loaded.
import { type CommandSource, type PaymentCommand, SOURCES } from '../core/payment/commands.js';
import { isRejectedAsFirst } from '../core/payment/create.js';
import type { PaymentState } from '../core/payment/state.js';
import { decodeSentCommand } from '../core/payment/wire/command.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import { findCount, partitionFor, type Position } from '../core/partition.js';
import { explainWrongSource, NOT_SIGNED } from '../core/quarantine-reasons.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { Span } from '#ops/runtime/tracing/tracer.js';
import type { Cursor, FrameReader } from '#store/redis/commands.js';
import { type Frame, NEWEST_VERSION } from '#store/redis/frames.js';
import type { DeferredCommand, Ownership, OwnedPartition } from './owned-partition.js';
import type { PaymentStore } from './ports.js';
import { needsStoredDecision, type CommandNeedingRow } from './stored-decisions.js';

/** A wait for frames; a partition that is adopted meanwhile ends it. The socket of a silent server is given up after 4 s. */
const WAIT_MS = 1_000;
/** While deferred commands may be resumed, for which the loop looks between two waits. */
const RESUMING_WAIT_MS = 40;
const RETRY_MS = 50;
const MAX_CHARACTERS = 4 * 1024 * 1024;

export interface BatchReaderDeps {
  clock: Clock;
  frames: FrameReader;
  log: Log;
}

/** Frames that do not fit into a batch wait here, and nothing more is read meanwhile. */
export class BatchReader {
  readonly #deps: BatchReaderDeps;
  readonly #owned: Ownership;
  #waiting: readonly Frame[] = [];
  #isReadFailing = false;
  #endRest: (() => void) | undefined;

  constructor(deps: BatchReaderDeps, owned: Ownership) {
    this.#deps = deps;
    this.#owned = owned;
  }

  /** Waits for frames of the partitions that may be read, unless some wait here. `isResuming`: not for long. */
  async read(mayRead: (owned: OwnedPartition) => boolean, isResuming: boolean): Promise<void> {
    if (this.#waiting.length > 0) return;
    this.#waiting = await this.#readStreams(mayRead, isResuming ? RESUMING_WAIT_MS : WAIT_MS);
  }

  /** Ends the wait under way: there are other partitions to read, or the loop stops. */
  wake(): void {
    this.#endRest?.();
    void this.#deps.frames.interrupt();
  }

  /** The next frames that fit into one commit. */
  takeBatch(maxCommands: number): readonly Frame[] {
    const readable = this.#waiting.filter(({ partition }) => this.#isReadable(partition));
    const { frames, rest } = splitBatch(readable, maxCommands);
    this.#waiting = rest;
    return frames;
  }

  /** Frames that were not committed are given out again, before those that wait. */
  putBack(frames: readonly Frame[]): void {
    this.#waiting = [...frames, ...this.#waiting];
  }

  /** Frames of a lost partition must not be applied under a later claim, which reads them itself. */
  forgetLost(): void {
    this.#waiting = this.#waiting.filter(({ partition }) => this.#owned.has(partition));
  }

  #isReadable(partition: number): boolean {
    const owned = this.#owned.get(partition);
    return owned !== undefined && !owned.isLeaving;
  }

  /** All frames before it are committed, since the next frame was asked for. */
  #stop(partition: number, version: number): void {
    const owned = this.#owned.get(partition);
    if (owned === undefined) return;
    owned.stoppedBefore = version;
    this.#deps.log.error(
      { partition, version, readsVersion: NEWEST_VERSION },
      'the next frame of a partition has a newer version than this process reads, so that the partition is given up; start a payments process that reads it',
    );
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#endRest = undefined;
        resolve();
      };
      const cancel = this.#deps.clock.startTimer(ms, end);
      this.#endRest = end;
    });
  }

  async #readStreams(
    mayRead: (owned: OwnedPartition) => boolean,
    waitMs: number,
  ): Promise<Frame[]> {
    const { clock, frames: source, log } = this.#deps;
    const readable = [...this.#owned.values()].filter(
      (one) => !one.isLeaving && one.stoppedBefore === undefined && mayRead(one),
    );
    if (readable.length === 0) {
      await this.#rest(waitMs);
      return [];
    }
    try {
      const { frames, newer } = await source.read(readable.map(buildCursor), waitMs);
      this.#isReadFailing = false;
      const read = new Set(readable);
      const isOwned = (partition: number): boolean => {
        const owned = this.#owned.get(partition);
        return owned !== undefined && read.has(owned);
      };
      for (const [partition, version] of newer)
        if (isOwned(partition)) this.#stop(partition, version);
      return frames.filter(({ partition }) => isOwned(partition));
    } catch (error) {
      if (!this.#isReadFailing) {
        log.warn({ err: error }, `command streams cannot be read; retrying every ${RETRY_MS} ms`);
      }
      this.#isReadFailing = true;
      await clock.sleep(RETRY_MS);
      return [];
    }
  }
}

function buildCursor({ partition, position }: OwnedPartition): Cursor {
  return { partition, after: position };
}

/**
 * Splits off the first frames that fit into one commit of `maxCommands`, at least one. Frames stay whole and in order.
 */
export function splitBatch(
  frames: readonly Frame[],
  maxCommands: number,
): { frames: Frame[]; rest: Frame[] } {
  let commands = 0;
  let characters = 0;
  let count = 0;
  for (const frame of frames) {
    commands += frame.commands.length;
    for (const command of frame.commands) characters += command.text.length;
    if (count > 0 && (commands > maxCommands || characters > MAX_CHARACTERS)) break;
    count += 1;
  }
  return { frames: frames.slice(0, count), rest: frames.slice(count) };
}

export interface BatchCommand {
  readonly partition: number;
  /** Of the frame with which the command is committed: a deferred command's own frame was an earlier one. */
  readonly position: Position;
  /** The command's number within its frame. */
  readonly index: number;
  /** When the command was appended to its stream, by Redis' clock: the time at which it is decided. */
  readonly appendedAtMs: number;
  /** null: the frame is not signed. */
  readonly source: CommandSource | null;
  readonly sender: string;
  /** Empty: the sender waits for no reply. */
  readonly correlation: string;
  readonly text: string;
  /** undefined: the text cannot be decoded, or the row that it acts by is not loaded yet. */
  command: PaymentCommand | undefined;
  /** Set: the command acts only as a row of Postgres says (stored-decisions.ts). */
  readonly stored: CommandNeedingRow | undefined;
  /** Set: the command is stored for an operator instead of being applied. */
  quarantineReason: string | undefined;
  /** Set: the partition to which a split has moved the payment. The command is forwarded instead of being applied. */
  readonly movedTo: number | undefined;
  /** Set: the command was deferred, and is resumed. */
  readonly deferred: DeferredCommand | undefined;
  /** Postgres could not commit the command alone in time: it is deferred. */
  isSlow: boolean;
  /** undefined: the command is not traced. */
  span: Span | undefined;
}

export interface DecodeOptions {
  /** The partitions of the frames, as they are owned. */
  readonly partitions: ReadonlyMap<number, Pick<OwnedPartition, 'counts'>>;
  /** By partition: the deferred commands that are resumed with its first frame. */
  readonly resumed: ReadonlyMap<number, readonly DeferredCommand[]>;
}

/** Never throws: a command that cannot be decoded, or was not signed, is marked for quarantine. */
export function decodeFrames(
  frames: readonly Frame[],
  { partitions, resumed }: DecodeOptions,
): BatchCommand[] {
  const decoded: BatchCommand[] = [];
  const begun = new Set<number>();
  for (const frame of frames) {
    const { partition } = frame;
    const counts = partitions.get(partition)?.counts ?? [];
    if (!begun.has(partition)) {
      begun.add(partition);
      for (const deferred of resumed.get(partition) ?? []) {
        decoded.push(decodeCommand(frame, deferred, deferred, counts));
      }
    }
    frame.commands.forEach(({ correlation, text }, index) => {
      const { source, sender } = frame;
      const sent = { partition, index, source, sender, correlation, text };
      decoded.push(decodeCommand(frame, sent, undefined, counts));
    });
  }
  return decoded;
}

type SentCommand = Pick<
  BatchCommand,
  'partition' | 'index' | 'source' | 'sender' | 'correlation' | 'text'
>;

/** Each field is named, since copies by `...` made the decoding of a command take 11 µs instead of 2.5. */
function decodeCommand(
  { partition, position }: Pick<Frame, 'partition' | 'position'>,
  sent: SentCommand,
  deferred: DeferredCommand | undefined,
  counts: readonly number[],
): BatchCommand {
  const { command, stored, quarantineReason, movedTo } = readCommand(sent, counts);
  return {
    partition,
    position,
    index: sent.index,
    appendedAtMs: Number((deferred ?? { position }).position.ms),
    source: sent.source,
    sender: sent.sender,
    correlation: sent.correlation,
    text: sent.text,
    command,
    stored,
    quarantineReason,
    movedTo,
    deferred,
    isSlow: false,
    span: undefined,
  };
}

type ReadCommand = Pick<BatchCommand, 'command' | 'stored' | 'quarantineReason' | 'movedTo'>;

const UNREAD = {
  command: undefined,
  stored: undefined,
  quarantineReason: undefined,
  movedTo: undefined,
} satisfies ReadCommand;

function readCommand(
  { partition, source, text }: SentCommand,
  counts: readonly number[],
): ReadCommand {
  if (source === null) return refuse(NOT_SIGNED);
  try {
    const sent = decodeSentCommand(text);
    if (SOURCES[sent.type] !== source) return refuse(explainWrongSource(source, sent.type));
    const own = partitionFor(sent.paymentId, findCount(counts));
    if (own !== partition) return readMisplaced(sent.paymentId, partition, counts);
    return needsStoredDecision(sent)
      ? { command: undefined, stored: sent, quarantineReason: undefined, movedTo: undefined }
      : { command: sent, stored: undefined, quarantineReason: undefined, movedTo: undefined };
  } catch (error) {
    return refuse(`the command cannot be decoded: ${String(error)}`);
  }
}

/** A sender that does not know of the last split yet takes the partition that the payment had before. */
function readMisplaced(
  paymentId: string,
  partition: number,
  counts: readonly number[],
): ReadCommand {
  const wasHere = counts.some((count) => partitionFor(paymentId, count) === partition);
  if (!wasHere) return refuse('the payment belongs to another partition');
  return { ...UNREAD, movedTo: partitionFor(paymentId, findCount(counts)) };
}

const refuse = (quarantineReason: string): ReadCommand => ({ ...UNREAD, quarantineReason });

/** first_creates: a create whose payment is not remembered is folded as its first. */
export type LoadScope = 'first_creates' | 'everything';

/**
 * Returns the states that exist, by payment id. When a snapshot cannot be decoded (a damaged row, or one of a newer
 * version), the commands of its payment are marked for quarantine. Rejects when Postgres does not answer.
 */
export async function loadStates(
  store: Pick<PaymentStore, 'loadSnapshots'>,
  owned: Ownership,
  commands: readonly BatchCommand[],
  scope: LoadScope,
): Promise<Map<string, PaymentState>> {
  const known = new Map<string, PaymentState>();
  const missing = new Set<string>();
  const decode = (id: string, snapshot: string): void => {
    try {
      known.set(id, decodeSnapshot(snapshot));
    } catch (error) {
      quarantineAll(commands, id, `the stored payment cannot be decoded: ${String(error)}`);
    }
  };
  for (const { command, partition } of commands) {
    if (command === undefined || known.has(command.paymentId)) continue;
    const snapshot = owned.get(partition)?.snapshots.get(command.paymentId);
    if (snapshot !== undefined) decode(command.paymentId, snapshot);
    else if (scope === 'everything' || !isFirstCreate(command)) missing.add(command.paymentId);
  }
  if (missing.size === 0) return known;
  for (const [id, snapshot] of await store.loadSnapshots([...missing])) decode(id, snapshot);
  return known;
}

const isFirstCreate = (command: PaymentCommand): boolean =>
  command.type === 'create' && !isRejectedAsFirst(command);

function quarantineAll(commands: readonly BatchCommand[], id: string, reason: string): void {
  for (const command of commands) {
    if (command.command?.paymentId === id) command.quarantineReason ??= reason;
  }
}
