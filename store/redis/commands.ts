// The command streams: one per partition, with a frame (frames.ts) as each entry. Here frames are appended and read;
// stream-repair.ts repairs a stream that lost data, and cluster-frame-reader.ts reads on a Redis Cluster.
//
// Senders append with NOMKSTREAM, so a stream that Redis lost refuses until it is made again.
import { formatPosition, parsePosition, type Position } from '#actors/core/partition.js';
import { isReady, type RedisClient } from './client.js';
import {
  decodeFrame,
  EMPTY_FRAME,
  encodeFrame,
  type Frame,
  type FramedCommand,
  type FrameKeys,
  type FrameSender,
  isNewer,
} from './frames.js';
import { buildCommandsKey } from './keys.js';
import { NO_ANSWER, Pipelines } from './pipelines.js';

/**
 * accepted: the frame is in the stream. refused: nothing was stored, so the sender may answer 503. unknown: the frame
 * was sent, and Redis did not answer.
 */
export type SendResult = 'accepted' | 'refused' | 'unknown';

/**
 * Appends one frame per partition. A missing stream is not created: that would hide lost data. `onAppended`
 * gets the place of each accepted frame.
 */
export async function sendFrames(
  redis: RedisClient,
  sender: FrameSender,
  frames: ReadonlyMap<number, readonly FramedCommand[]>,
  onAppended?: (partition: number, position: Position) => void,
): Promise<Map<number, SendResult>> {
  const results = new Map<number, SendResult>();
  const partitions = [...frames.keys()];
  if (!isReady(redis)) {
    for (const partition of partitions) results.set(partition, 'refused');
    return results;
  }
  const pipelines = new Pipelines(redis);
  for (const [partition, commands] of frames) {
    const [mark, value] = encodeFrame(sender, partition, commands);
    const key = buildCommandsKey(partition);
    pipelines.to(key).xadd(key, 'NOMKSTREAM', '*', mark, value);
  }
  const answers = await pipelines.exec();
  partitions.forEach((partition, index) => {
    const [error, id] = answers[index] ?? NO_ANSWER;
    if (onAppended && typeof id === 'string') onAppended(partition, parsePosition(id));
    results.set(partition, classifySend(error, id));
  });
  return results;
}

/** Appends a frame without commands to each stream. A missing stream is not created. */
export async function appendEmptyFrames(
  redis: RedisClient,
  partitions: readonly number[],
): Promise<void> {
  if (!isReady(redis)) return;
  const pipelines = new Pipelines(redis);
  for (const key of partitions.map(buildCommandsKey)) {
    pipelines.to(key).xadd(key, 'NOMKSTREAM', '*', ...EMPTY_FRAME);
  }
  for (const [error] of await pipelines.exec()) if (error !== null) throw error;
}

export function classifySend(error: Error | null, id: unknown): SendResult {
  if (error === null) return id === null ? 'refused' : 'accepted';
  return error.name === 'ReplyError' ? 'refused' : 'unknown';
}

/** Returns which of the frames are missing in their streams: Redis lost them, or they were trimmed. */
export async function findMissingFrames(
  redis: RedisClient,
  frames: ReadonlyMap<number, Position>,
): Promise<Set<number>> {
  const pipelines = new Pipelines(redis);
  for (const [partition, position] of frames) {
    const key = buildCommandsKey(partition);
    const id = formatPosition(position);
    pipelines.to(key).xrange(key, id, id);
  }
  const answers = await pipelines.exec();
  const missing = new Set<number>();
  for (const [index, partition] of [...frames.keys()].entries()) {
    const [error, entries] = answers[index] ?? NO_ANSWER;
    if (error !== null) throw error;
    if (Array.isArray(entries) && entries.length === 0) missing.add(partition);
  }
  return missing;
}

export interface Cursor {
  partition: number;
  after: Position;
}

export interface FrameReading {
  /** Frames per partition. */
  readonly count: number;
  /** The wait for the first frame. */
  readonly blockMs: number;
  readonly keys: FrameKeys;
}

export interface ReadFrames {
  /** In the order of their streams; none at or behind a frame of a newer version. */
  readonly frames: Frame[];
  /** The version of the next frame, of partitions whose next frame only a newer build reads. */
  readonly newer: ReadonlyMap<number, number>;
}

/** The two connections race, so the server may not know yet of the wait that it is asked to end. */
const MAX_INTERRUPTS = 20;
/** Per partition. */
const MAX_FRAMES = 64;
/** Of all partitions; two batches fit in. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * How many frames of each partition a read asks for, within a bound on memory. XREAD counts entries and not bytes, and an
 * entry has between a hundred bytes and megabytes. So the count follows the largest frame of the read before, and is
 * doubled at most. It begins with one, since a new owner does not know what waits.
 */
export class FrameCount {
  #count = 1;

  get value(): number {
    return this.#count;
  }

  restart(): void {
    this.#count = 1;
  }

  /** `partitions`: how many share the bound. */
  noteRead(frames: readonly Frame[], partitions: number): void {
    const largest = Math.max(0, ...frames.map(countCharacters));
    if (largest === 0) return;
    const fitting = Math.floor(MAX_CHARACTERS / (largest * partitions));
    this.#count = Math.max(1, Math.min(fitting, this.#count * 2, MAX_FRAMES));
  }
}

function countCharacters({ commands }: Frame): number {
  return commands.reduce((sum, { text }) => sum + text.length, 0);
}

export interface FrameReader {
  /** Reads behind the cursors, and waits `blockMs` for the first frame. Rejects when Redis does not answer. */
  readonly read: (cursors: readonly Cursor[], blockMs: number) => Promise<ReadFrames>;
  /** Ends the wait of a read under way, which finds nothing then. If that fails, it waits to its end. */
  readonly interrupt: () => Promise<void>;
}

export interface ServerFrameReaderDeps {
  /** The connection that waits for frames; it leads to one server. */
  readonly reading: RedisClient;
  /** Another one, which ends such a wait. */
  readonly redis: RedisClient;
  readonly keys: FrameKeys;
}

/** Reads all partitions by one command. */
export class ServerFrameReader implements FrameReader {
  readonly #deps: ServerFrameReaderDeps;
  #partitions: ReadonlySet<number> = new Set();
  readonly #count = new FrameCount();
  /** The number of the read under way; 0: none is. */
  #reading = 0;
  #reads = 0;
  /** Of the connection that waits, at the server. */
  #clientId: string | undefined;

  constructor(deps: ServerFrameReaderDeps) {
    this.#deps = deps;
    deps.reading.on('ready', () => this.#identify());
    if (isReady(deps.reading)) this.#identify();
  }

  async read(cursors: readonly Cursor[], blockMs: number): Promise<ReadFrames> {
    if (cursors.some(({ partition }) => !this.#partitions.has(partition))) this.#count.restart();
    this.#partitions = new Set(cursors.map(({ partition }) => partition));
    const { reading, keys } = this.#deps;
    this.#reads += 1;
    this.#reading = this.#reads;
    const read = await readFrames(reading, cursors, {
      ...{ blockMs, keys },
      count: this.#count.value,
    }).finally(() => {
      this.#reading = 0;
    });
    this.#count.noteRead(read.frames, cursors.length);
    return read;
  }

  async interrupt(): Promise<void> {
    const { redis } = this.#deps;
    const interrupted = this.#reading;
    for (let tries = 0; tries < MAX_INTERRUPTS; tries += 1) {
      if (interrupted === 0 || this.#reading !== interrupted) return;
      if (this.#clientId === undefined || !isReady(redis)) return;
      if ((await redis.client('UNBLOCK', this.#clientId).catch(() => 1)) !== 0) return;
    }
  }

  #identify(): void {
    this.#clientId = undefined;
    this.#deps.reading.client('ID').then(
      (id) => (this.#clientId = String(id)),
      () => null,
    );
  }
}

/** Reads the frames behind the cursors. Rejects when Redis does not answer. */
export async function readFrames(
  redis: RedisClient,
  cursors: readonly Cursor[],
  { count, blockMs, keys }: FrameReading,
): Promise<ReadFrames> {
  const partitions = new Map<string, number>();
  const ids: string[] = [];
  for (const cursor of cursors) {
    partitions.set(buildCommandsKey(cursor.partition), cursor.partition);
    ids.push(formatPosition(cursor.after));
  }
  const streams = await redis.xread(
    'COUNT',
    count,
    'BLOCK',
    blockMs,
    'STREAMS',
    ...partitions.keys(),
    ...ids,
  );
  const read = { frames: [] as Frame[], newer: new Map<number, number>() };
  for (const [key, entries] of streams ?? []) {
    const partition = partitions.get(key);
    if (partition !== undefined) addFrames(read, partition, entries, keys);
  }
  return read;
}

type Entries = readonly (readonly [id: string, fields: string[] | null])[];

function addFrames(
  { frames, newer }: { readonly frames: Frame[]; readonly newer: Map<number, number> },
  partition: number,
  entries: Entries,
  keys: FrameKeys,
): void {
  for (const [index, [id, fields]] of entries.entries()) {
    const frame = decodeFrame(partition, id, fields ?? [], keys);
    if (!isNewer(frame)) {
      frames.push(frame);
      continue;
    }
    if (index === 0) newer.set(partition, frame.version);
    return;
  }
}
