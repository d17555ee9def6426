// Reads the command streams of a partition loop on a Redis Cluster. XREAD takes keys of one slot, and a read that waits holds
// up its connection, so each partition has a read under way, on connections of its own.
import { comparePositions, type Position } from '#actors/core/partition.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { type RedisClient, waitUntilReady } from './client.js';
import {
  type Cursor,
  FrameCount,
  type FrameReader,
  type ReadFrames,
  readFrames,
} from './commands.js';
import type { Frame, FrameKeys } from './frames.js';

/** The socket of a silent server is given up after 4 s. */
const BLOCK_MS = 1_000;
/** A slot that moves, or whose master died, refuses reads for a while. */
const RETRY_MS = 50;

export interface ClusterFrameReaderDeps {
  /** Opens connections of their own to the nodes. */
  readonly open: () => RedisClient;
  readonly keys: FrameKeys;
  /** The system's by default. */
  readonly clock?: Clock;
}

export class ClusterFrameReader implements FrameReader {
  readonly #deps: ClusterFrameReaderDeps;
  readonly #clock: Clock;
  readonly #readers = new Map<number, PartitionReader>();
  #isInterrupted = false;
  #endWait: (() => void) | undefined;

  constructor(deps: ClusterFrameReaderDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? SYSTEM_CLOCK;
  }

  /** Rejects when no partition can be read. Those of a master that is away are left out. */
  async read(cursors: readonly Cursor[], blockMs: number): Promise<ReadFrames> {
    const endMs = this.#clock.monotonicMs() + blockMs;
    this.#isInterrupted = false;
    for (;;) {
      const readers = cursors.map((cursor) => this.#begin(cursor, cursors.length));
      const found = collect(readers);
      const leftMs = endMs - this.#clock.monotonicMs();
      if (isFound(found) || this.#isInterrupted || leftMs <= 0) return found;
      const errors = readers.map(({ error }) => error).filter((error) => error !== undefined);
      if (errors[0] !== undefined && errors.length === cursors.length) throw errors[0];
      await this.#wait(leftMs);
    }
  }

  interrupt(): Promise<void> {
    this.#isInterrupted = true;
    this.#endWait?.();
    return Promise.resolve();
  }

  close(): void {
    for (const reader of this.#readers.values()) reader.close();
  }

  #begin({ partition, after }: Cursor, partitions: number): PartitionReader {
    let reader = this.#readers.get(partition);
    if (reader === undefined) {
      reader = new PartitionReader(partition, {
        ...this.#deps,
        clock: this.#clock,
        onSettled: () => this.#endWait?.(),
      });
      this.#readers.set(partition, reader);
    }
    reader.begin(after, partitions);
    return reader;
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#endWait = undefined;
        resolve();
      };
      const cancel = this.#clock.startTimer(ms, end);
      this.#endWait = end;
    });
  }
}

interface PartitionReaderDeps {
  readonly open: () => RedisClient;
  readonly keys: FrameKeys;
  readonly clock: Clock;
  readonly onSettled: () => void;
}

/**
 *   IDLE ──begin──▶ READING ──frames──▶ READ ──take──▶ IDLE
 *                    │   ▲ RETRY_MS
 *      nothing ▶ IDLE│   │
 *                    ▼   │
 *                   FAILED
 *
 * A read behind another position than the wanted one, of an earlier claim of the partition, ends with its connections.
 */
class PartitionReader {
  readonly #partition: number;
  readonly #deps: PartitionReaderDeps;
  readonly #count = new FrameCount();
  #redis: RedisClient;
  /** The position of the read under way, or of what it found. */
  #after: Position | undefined;
  #read: ReadFrames | undefined;
  #error: Error | undefined;

  constructor(partition: number, deps: PartitionReaderDeps) {
    this.#partition = partition;
    this.#deps = deps;
    this.#redis = deps.open();
  }

  /** Of the last read; undefined: it succeeded. */
  get error(): Error | undefined {
    return this.#error;
  }

  begin(after: Position, partitions: number): void {
    if (this.#after !== undefined && comparePositions(this.#after, after) !== 0) this.#restart();
    if (this.#after !== undefined) return;
    this.#after = after;
    void this.#run(after, partitions);
  }

  /** The frames that the read found; undefined: it is under way. */
  take(): ReadFrames | undefined {
    const read = this.#read;
    if (read === undefined) return undefined;
    this.#read = undefined;
    this.#after = undefined;
    return read;
  }

  close(): void {
    this.#redis.disconnect();
  }

  #restart(): void {
    this.#redis.disconnect();
    this.#redis = this.#deps.open();
    this.#after = undefined;
    this.#read = undefined;
    this.#count.restart();
  }

  async #run(after: Position, partitions: number): Promise<void> {
    const redis = this.#redis;
    const { keys, clock, onSettled } = this.#deps;
    const isLeft = (): boolean => this.#redis !== redis;
    try {
      await waitUntilReady(redis, BLOCK_MS);
      const reading = { count: this.#count.value, blockMs: BLOCK_MS, keys };
      const read = await readFrames(redis, [{ partition: this.#partition, after }], reading);
      if (isLeft()) return;
      this.#error = undefined;
      this.#count.noteRead(read.frames, partitions);
      if (isFound(read)) this.#read = read;
      else this.#after = undefined;
    } catch (error) {
      if (isLeft()) return;
      this.#error = error instanceof Error ? error : new Error(String(error));
      onSettled();
      await clock.sleep(RETRY_MS);
      if (isLeft()) return;
      this.#after = undefined;
    }
    onSettled();
  }
}

function collect(readers: readonly PartitionReader[]): ReadFrames {
  const frames: Frame[] = [];
  const newer = new Map<number, number>();
  for (const reader of readers) {
    const read = reader.take();
    if (read === undefined) continue;
    frames.push(...read.frames);
    for (const [partition, version] of read.newer) newer.set(partition, version);
  }
  return { frames, newer };
}

const isFound = ({ frames, newer }: ReadFrames): boolean => frames.length > 0 || newer.size > 0;
