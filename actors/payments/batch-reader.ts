// Reads the frames behind the positions of the owned partitions, and gives them out in batches of a bounded size. Frames
// that do not fit into a batch wait here, and nothing more is read meanwhile.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { Cursor, Frame } from '#store/redis/commands.js';
import type { Ownership, OwnedPartition } from './owned-partition.js';
import type { CommandStreams } from './ports.js';

const IDLE_MS = 20;
const RETRY_MS = 50;
const MAX_COMMANDS = 1_024;
const STEP_COMMANDS = 32;
/** Half of the limit on a statement, so that the growth itself ends before it. */
const GROWS_BELOW_MS = 2_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;

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

/**
 * The number of commands in one commit. It follows what Postgres can do within the limit on a statement (4 s): a batch that
 * was rolled back is halved, down to single frames, and each commit well below the limit allows some more. So commands
 * are committed as long as Postgres can commit one frame, however slow it has become. A slow commit alone changes
 * nothing: where each commit waits for a slow disk, small batches would only need more of them.
 */
export class BatchSize {
  #maxCommands = MAX_COMMANDS;

  get maxCommands(): number {
    return this.#maxCommands;
  }

  /** Only a batch of nearly the limit shows what more of them would take. */
  onCommitted(commands: number, elapsedMs: number): void {
    if (elapsedMs >= GROWS_BELOW_MS || commands * 2 < this.#maxCommands) return;
    this.#maxCommands = Math.min(MAX_COMMANDS, this.#maxCommands + STEP_COMMANDS);
  }

  /** `commands`: those of the batch, which may be more than the limit when they are one frame. */
  onRolledBack(commands: number): void {
    const tried = Math.min(commands, this.#maxCommands);
    this.#maxCommands = Math.max(1, Math.floor(tried / 2));
  }
}
