// Reads the frames behind the positions of the owned partitions, and gives them out in batches. Frames that do not fit
// into a batch wait here, and nothing more is read meanwhile.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { Cursor } from '#store/redis/commands.js';
import type { Frame } from '#store/redis/frames.js';
import { splitBatch } from './batch-input.js';
import type { Ownership, OwnedPartition } from './owned-partition.js';
import type { CommandStreams } from './ports.js';

const IDLE_MS = 20;
const RETRY_MS = 50;

export interface BatchReaderDeps {
  clock: Clock;
  streams: CommandStreams;
  log: Log;
}

export class BatchReader {
  readonly #deps: BatchReaderDeps;
  readonly #owned: Ownership;
  #waiting: readonly Frame[] = [];
  #isReadFailing = false;

  constructor(deps: BatchReaderDeps, owned: Ownership) {
    this.#deps = deps;
    this.#owned = owned;
  }

  /** Waits a moment for frames of the partitions that may be read, unless some wait here. */
  async read(mayRead: (owned: OwnedPartition) => boolean): Promise<void> {
    if (this.#waiting.length === 0) this.#waiting = await this.#readStreams(mayRead);
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

  async #readStreams(mayRead: (owned: OwnedPartition) => boolean): Promise<Frame[]> {
    const { clock, streams, log } = this.#deps;
    const readable = [...this.#owned.values()].filter((one) => !one.isLeaving && mayRead(one));
    if (readable.length === 0) {
      await clock.sleep(IDLE_MS);
      return [];
    }
    try {
      const frames = await streams.read(readable.map(buildCursor));
      this.#isReadFailing = false;
      const read = new Set(readable);
      return frames.filter(({ partition }) => {
        const owned = this.#owned.get(partition);
        return owned !== undefined && read.has(owned);
      });
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
