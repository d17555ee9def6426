// Reads command streams within a bound on memory. XREAD counts entries and not bytes, and an entry has between a hundred
// bytes and megabytes. So the count follows the largest frame of the read before: it is doubled at most, and a read of a
// partition that was not in the read before begins with one frame, since a new owner does not know what waits there.
import { type Cursor, readFrames } from './commands.js';
import type { RedisClient } from './client.js';
import type { Frame, FrameKeys } from './frames.js';

/** Per partition. */
const MAX_FRAMES = 64;
/** Of all partitions; two batches fit in. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

export interface FrameReaderOptions {
  /** The wait for the first frame. */
  readonly blockMs: number;
  readonly keys: FrameKeys;
}

export class FrameReader {
  readonly #redis: RedisClient;
  readonly #options: FrameReaderOptions;
  #partitions: ReadonlySet<number> = new Set();
  #count = 1;

  constructor(redis: RedisClient, options: FrameReaderOptions) {
    this.#redis = redis;
    this.#options = options;
  }

  /** Reads the frames behind the cursors. Rejects when Redis does not answer. */
  async read(cursors: readonly Cursor[]): Promise<Frame[]> {
    if (cursors.some(({ partition }) => !this.#partitions.has(partition))) this.#count = 1;
    this.#partitions = new Set(cursors.map(({ partition }) => partition));
    const frames = await readFrames(this.#redis, cursors, {
      ...this.#options,
      count: this.#count,
    });
    const largest = Math.max(0, ...frames.map(countCharacters));
    if (largest > 0) {
      const fitting = Math.floor(MAX_CHARACTERS / (largest * cursors.length));
      this.#count = Math.max(1, Math.min(fitting, this.#count * 2, MAX_FRAMES));
    }
    return frames;
  }
}

function countCharacters({ commands }: Frame): number {
  return commands.reduce((sum, { text }) => sum + text.length, 0);
}
