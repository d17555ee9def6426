// Trims the command streams (commands.ts), and repairs those that lost data.
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
// A MISSING stream refuses commands. `maintainStreams` makes it SOUND again.
import {
  comparePositions,
  formatPosition,
  parsePosition,
  type Position,
} from '#actors/core/partition.js';
import { readTime, type RedisClient } from './client.js';
import type { Cursor } from './commands.js';
import { buildCommandsKey } from './keys.js';
import { NO_ANSWER, Pipelines } from './pipelines.js';

const IS_ABOVE = 'smaller than the target stream top item';

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
  const [time, streams] = await Promise.all([readTime(redis), trimAndRead(redis, cursors)]);
  const nowMs = Math.floor(time);
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
  return raiseStream(redis, key, position);
}

/** An entry above the position that was appended meanwhile has raised the stream already, and Redis refuses the lower id. */
async function raiseStream(
  redis: RedisClient,
  key: string,
  position: string,
): Promise<StreamRepair> {
  try {
    await redis.call('XSETID', key, position);
    return 'raised';
  } catch (error) {
    if (error instanceof Error && error.message.includes(IS_ABOVE)) return 'sound';
    throw error;
  }
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
  const pipelines = new Pipelines(redis);
  for (const { partition, after, trimTo } of cursors) {
    const key = buildCommandsKey(partition);
    pipelines.to(key).xinfo('STREAM', key);
    pipelines.to(key).xrange(key, `(${formatPosition(after)}`, '+', 'COUNT', 1);
    if (trimTo === undefined) continue;
    const firstKept = { ms: trimTo.ms, seq: trimTo.seq + 1n };
    pipelines.to(key).xtrim(key, 'MINID', formatPosition(firstKept));
  }
  const answers = (await pipelines.exec()).values();
  return cursors.map(({ trimTo }) => {
    const [error, fields] = answers.next().value ?? NO_ANSWER;
    const [, entries] = answers.next().value ?? NO_ANSWER;
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
