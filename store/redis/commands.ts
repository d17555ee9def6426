// The command streams. A frame is one stream entry: the commands of one event-loop turn of one sender
// for one partition, as fields of the entry: first `g` and the sender's name, then for each command its
// correlation (which the reply repeats; empty where nobody waits) and its text.
import {
  comparePositions,
  formatPosition,
  parsePosition,
  type Position,
} from '#actors/core/partition.js';
import { isReady, type RedisClient } from './client.js';
import { buildCommandsKey } from './keys.js';

export interface FramedCommand {
  correlation: string;
  text: string;
}

export interface Frame {
  partition: number;
  position: Position;
  sender: string;
  commands: FramedCommand[];
}

/**
 * accepted: the stream has it, a reply will come. refused: nothing was kept, safe to answer 503.
 * unknown: sent, but not answered.
 */
export type SendResult = 'accepted' | 'refused' | 'unknown';

/** Appends frames in one pipeline; a stream that is missing is not made (that would hide lost data). */
export async function sendFrames(
  redis: RedisClient,
  sender: string,
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
    const fields: string[] = ['g', sender];
    for (const command of commands) fields.push(command.correlation, command.text);
    pipeline.xadd(buildCommandsKey(partition), 'NOMKSTREAM', '*', ...fields);
  }
  const answers = await pipeline.exec().catch(() => null);
  partitions.forEach((partition, index) => {
    const answer = answers?.[index];
    results.set(partition, answer ? classifySend(answer[0], answer[1]) : 'unknown');
  });
  return results;
}

function classifySend(error: Error | null, id: unknown): SendResult {
  if (error === null) return id === null ? 'refused' : 'accepted';
  return error.name === 'ReplyError' ? 'refused' : 'unknown';
}

export interface Cursor {
  partition: number;
  after: Position;
}

/**
 * Reads what stands behind the cursors, at most `count` frames a partition; waits up to `blockMs` when
 * there is nothing. Rejects when Redis cannot be reached.
 */
export async function readFrames(
  redis: RedisClient,
  cursors: readonly Cursor[],
  count: number,
  blockMs: number,
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
    for (const [id, fields] of entries) frames.push(parseFrame(partition, id, fields ?? []));
  }
  return frames;
}

/** An entry that is no frame of ours becomes one command that nobody can read, so that it gets parked. */
function parseFrame(partition: number, id: string, fields: readonly string[]): Frame {
  const position = parsePosition(id);
  if (fields[0] !== 'g' || fields.length < 4) {
    const text = JSON.stringify(fields);
    return { partition, position, sender: '', commands: [{ correlation: '', text }] };
  }
  const commands: FramedCommand[] = [];
  for (let index = 2; index + 1 < fields.length; index += 2) {
    commands.push({ correlation: fields[index] ?? '', text: fields[index + 1] ?? '' });
  }
  return { partition, position, sender: fields[1] ?? '', commands };
}

/** What had to be mended so that nothing appended from now on can be skipped. */
export type StreamRepair = 'sound' | 'remade' | 'raised';

export interface StreamCondition {
  repair: StreamRepair;
  /** Frames that wait: appended and not committed yet. */
  backlog: number;
}

/**
 * Drops what is committed, then compares each stream with the committed position. A stream that is
 * missing is made again, empty, with its last id at the position (two that do so at once are harmless:
 * the trim drops the marker only, never what was appended behind it); one whose last id is behind the position
 * (Redis lost its tail, or a clock went back) has it raised, since a reader never sees what is appended
 * below its position.
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
    const behind = formatPosition({ ms: after.ms, seq: after.seq + 1n });
    await redis.multi().xadd(key, position, 'x', 'x').xtrim(key, 'MINID', behind).exec();
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

/** undefined: the stream is missing. Rejects when Redis cannot be reached. */
async function trimAndRead(
  redis: RedisClient,
  cursors: readonly Cursor[],
): Promise<(StreamState | undefined)[]> {
  const pipeline = redis.pipeline();
  for (const { partition, after } of cursors) {
    const keepFrom = formatPosition({ ms: after.ms, seq: after.seq + 1n });
    pipeline.xtrim(buildCommandsKey(partition), 'MINID', keepFrom);
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
