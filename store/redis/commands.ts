// The command streams: one per partition, with a frame as each entry (frames.ts).
//
// A stream is in one of three states, compared with the committed position of its partition:
//
//   SOUND     its last id is at or above the position: entries that are appended will be read
//   MISSING   Redis lost it ──▶ made again, empty, with its last id at the position ──▶ SOUND
//   BEHIND    its last id is below the position (Redis lost the tail, or its clock went back): entries that are appended
//             would be skipped in silence ──▶ the last id is raised to the position ──▶ SOUND
//
// Committed frames stay for a while (actors/payments/retention.ts). A failover of Postgres that loses its last commits takes
// positions back, and the frames behind them are read and applied again.
//
// Senders append with NOMKSTREAM, so a MISSING stream refuses. `maintainStreams` makes it SOUND again.
import {
  comparePositions,
  formatPosition,
  parsePosition,
  type Position,
} from '#actors/core/partition.js';
import { isReady, readTime, type RedisClient } from './client.js';
import {
  decodeFrame,
  EMPTY_FRAME,
  encodeFrame,
  type Frame,
  type FramedCommand,
  type FrameKeys,
  type FrameSender,
} from './frames.js';
import { buildCommandsKey } from './keys.js';

/**
 * accepted: the frame is in the stream. refused: nothing was stored, so the sender may answer 503. unknown: the frame
 * was sent, and Redis did not answer.
 */
export type SendResult = 'accepted' | 'refused' | 'unknown';

/**
 * Appends one frame per partition, in one pipeline. A missing stream is not created: that would hide lost data. `onAppended`
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
  const pipeline = redis.pipeline();
  for (const [partition, commands] of frames) {
    const fields = encodeFrame(sender, partition, commands);
    pipeline.xadd(buildCommandsKey(partition), 'NOMKSTREAM', '*', ...fields);
  }
  const answers = await pipeline.exec().catch(() => null);
  partitions.forEach((partition, index) => {
    const answer = answers?.[index];
    if (onAppended && typeof answer?.[1] === 'string')
      onAppended(partition, parsePosition(answer[1]));
    results.set(partition, answer ? classifySend(answer[0], answer[1]) : 'unknown');
  });
  return results;
}

/** Appends a frame without commands to each stream. A missing stream is not created. */
export async function appendEmptyFrames(
  redis: RedisClient,
  partitions: readonly number[],
): Promise<void> {
  if (!isReady(redis)) return;
  const pipeline = redis.pipeline();
  for (const partition of partitions) {
    pipeline.xadd(buildCommandsKey(partition), 'NOMKSTREAM', '*', ...EMPTY_FRAME);
  }
  for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
}

function classifySend(error: Error | null, id: unknown): SendResult {
  if (error === null) return id === null ? 'refused' : 'accepted';
  return error.name === 'ReplyError' ? 'refused' : 'unknown';
}

/** Returns which of the frames are missing in their streams: Redis lost them, or they were trimmed. */
export async function findMissingFrames(
  redis: RedisClient,
  frames: ReadonlyMap<number, Position>,
): Promise<Set<number>> {
  const pipeline = redis.pipeline();
  for (const [partition, position] of frames) {
    const id = formatPosition(position);
    pipeline.xrange(buildCommandsKey(partition), id, id);
  }
  const answers = (await pipeline.exec()) ?? [];
  const missing = new Set<number>();
  for (const [index, partition] of [...frames.keys()].entries()) {
    const [error, entries] = answers[index] ?? [null, undefined];
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

/** Per partition. */
const MAX_FRAMES = 64;
/** Of all partitions; two batches fit in. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

/**
 * Reads within a bound on memory. XREAD counts entries and not bytes, and an entry has between a hundred bytes and
 * megabytes. So the count follows the largest frame of the read before: it is doubled at most, and a read of a partition
 * that was not in the read before begins with one frame, since a new owner does not know what waits there.
 */
export class FrameReader {
  readonly #redis: RedisClient;
  readonly #options: Omit<FrameReading, 'count'>;
  #partitions: ReadonlySet<number> = new Set();
  #count = 1;

  constructor(redis: RedisClient, options: Omit<FrameReading, 'count'>) {
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

/** Reads the frames behind the cursors. Rejects when Redis does not answer. */
export async function readFrames(
  redis: RedisClient,
  cursors: readonly Cursor[],
  { count, blockMs, keys }: FrameReading,
): Promise<Frame[]> {
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
  const frames: Frame[] = [];
  for (const [key, entries] of streams ?? []) {
    const partition = partitions.get(key);
    if (partition === undefined) continue;
    for (const [id, fields] of entries) frames.push(decodeFrame(partition, id, fields ?? [], keys));
  }
  return frames;
}

/** sound: nothing was repaired. remade: the stream was missing. raised: it was behind. */
export type StreamRepair = 'sound' | 'remade' | 'raised';

export interface StreamCondition {
  repair: StreamRepair;
  /** The age of the first frame behind the position, by Redis' clock; 0: all are committed. */
  backlogMs: number;
}

export interface MaintainedStream extends Cursor {
  /** Frames up to here are trimmed; undefined: none are. */
  readonly trimTo?: Position | undefined;
}

/**
 * Trims frames that need not be kept any more, and repairs the streams. Two processes may repair one stream at once: making
 * it again trims only the marker entry, never a frame that was appended behind it.
 */
export async function maintainStreams(
  redis: RedisClient,
  cursors: readonly MaintainedStream[],
): Promise<Map<number, StreamCondition>> {
  const nowMs = Math.floor(await readTime(redis));
  const streams = await trimAndRead(redis, cursors);
  const conditions = new Map<number, StreamCondition>();
  for (const [index, cursor] of cursors.entries()) {
    const stream = streams[index];
    const repair = await repairStream(redis, cursor, stream?.lastId);
    const backlogMs = stream?.next === undefined ? 0 : nowMs - Number(stream.next.ms);
    conditions.set(cursor.partition, { repair, backlogMs: Math.max(0, backlogMs) });
  }
  return conditions;
}

async function repairStream(
  redis: RedisClient,
  { partition, after }: Cursor,
  lastId: Position | undefined,
): Promise<StreamRepair> {
  const key = buildCommandsKey(partition);
  const position = formatPosition(after);
  if (lastId === undefined) {
    const firstKept = formatPosition({ ms: after.ms, seq: after.seq + 1n });
    await redis.multi().xadd(key, position, 'x', 'x').xtrim(key, 'MINID', firstKept).exec();
    return 'remade';
  }
  if (comparePositions(lastId, after) >= 0) return 'sound';
  await redis.call('XSETID', key, position);
  return 'raised';
}

interface StreamState {
  readonly lastId: Position;
  /** The first frame behind the cursor. */
  readonly next: Position | undefined;
}

/** Returns undefined for a missing stream. Rejects when Redis does not answer. */
async function trimAndRead(
  redis: RedisClient,
  cursors: readonly MaintainedStream[],
): Promise<(StreamState | undefined)[]> {
  const pipeline = redis.pipeline();
  for (const { partition, after, trimTo } of cursors) {
    const key = buildCommandsKey(partition);
    pipeline.xinfo('STREAM', key);
    pipeline.xrange(key, `(${formatPosition(after)}`, '+', 'COUNT', 1);
    if (trimTo === undefined) continue;
    const firstKept = { ms: trimTo.ms, seq: trimTo.seq + 1n };
    pipeline.xtrim(key, 'MINID', formatPosition(firstKept));
  }
  const answers = ((await pipeline.exec()) ?? []).values();
  return cursors.map(({ trimTo }) => {
    const [error, fields] = answers.next().value ?? [null, null];
    const [, entries] = answers.next().value ?? [null, null];
    if (trimTo !== undefined) answers.next();
    if (error !== null && !error.message.includes('no such key')) throw error;
    const lastId = parseLastId(fields);
    if (lastId === undefined) return undefined;
    const next: unknown = Array.isArray(entries)
      ? (entries[0] as unknown[] | undefined)?.[0]
      : null;
    return { lastId, next: typeof next === 'string' ? parsePosition(next) : undefined };
  });
}

function parseLastId(fields: unknown): Position | undefined {
  if (!Array.isArray(fields)) return undefined;
  const lastId: unknown = fields[fields.indexOf('last-generated-id') + 1];
  return typeof lastId === 'string' ? parsePosition(lastId) : undefined;
}
