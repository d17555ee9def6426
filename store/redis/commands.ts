// The command streams: one per partition, with a frame as each entry (frames.ts).
//
// A stream is in one of three states, compared with the committed position of its partition:
//
//   SOUND     its last id is at or above the position: entries that are appended will be read
//   MISSING   Redis lost it ──▶ made again, empty, with its last id at the position ──▶ SOUND
//   BEHIND    its last id is below the position (Redis lost the tail, or its clock went back): entries that are appended
//             would be skipped in silence ──▶ the last id is raised to the position ──▶ SOUND
//
// Senders append with NOMKSTREAM, so a MISSING stream refuses. `maintainStreams` makes it SOUND again.
import {
  comparePositions,
  formatPosition,
  parsePosition,
  type Position,
} from '#actors/core/partition.js';
import { isReady, type RedisClient } from './client.js';
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

/** Appends one frame per partition, in one pipeline. A missing stream is not created: that would hide lost data. */
export async function sendFrames(
  redis: RedisClient,
  sender: FrameSender,
  frames: ReadonlyMap<number, readonly FramedCommand[]>,
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
  /** Frames that are appended and not yet committed. */
  backlog: number;
}

/**
 * Trims committed frames and repairs the streams. Two processes may repair one stream at once: making it again trims
 * only the marker entry, never a frame that was appended behind it.
 */
export async function maintainStreams(
  redis: RedisClient,
  cursors: readonly Cursor[],
): Promise<Map<number, StreamCondition>> {
  const streams = await trimAndRead(redis, cursors);
  const conditions = new Map<number, StreamCondition>();
  for (const [index, cursor] of cursors.entries()) {
    const stream = streams[index];
    const repair = await repairStream(redis, cursor, stream?.lastId);
    conditions.set(cursor.partition, { repair, backlog: stream?.length ?? 0 });
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
  lastId: Position;
  length: number;
}

/** undefined: the stream is missing. Rejects when Redis does not answer. */
async function trimAndRead(
  redis: RedisClient,
  cursors: readonly Cursor[],
): Promise<(StreamState | undefined)[]> {
  const pipeline = redis.pipeline();
  for (const { partition, after } of cursors) {
    const firstKept = formatPosition({ ms: after.ms, seq: after.seq + 1n });
    pipeline.xtrim(buildCommandsKey(partition), 'MINID', firstKept);
    pipeline.xinfo('STREAM', buildCommandsKey(partition));
  }
  const answers = (await pipeline.exec()) ?? [];
  return cursors.map((_cursor, index) => {
    const [error, fields] = answers[index * 2 + 1] ?? [null, null];
    if (error !== null && !error.message.includes('no such key')) throw error;
    return parseStreamInfo(fields);
  });
}

function parseStreamInfo(fields: unknown): StreamState | undefined {
  if (!Array.isArray(fields)) return undefined;
  const lastId: unknown = fields[fields.indexOf('last-generated-id') + 1];
  const length: unknown = fields[fields.indexOf('length') + 1];
  if (typeof lastId !== 'string') return undefined;
  return { lastId: parsePosition(lastId), length: Number(length) };
}
