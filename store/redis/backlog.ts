// The frames behind the committed positions of partitions: they wait for the owner.
import { formatPosition, parsePosition, type Position } from '#actors/core/partition.js';
import { readTime, type RedisClient } from './client.js';
import type { Cursor } from './commands.js';
import { readFrameCommands } from './frames.js';
import { buildCommandsKey } from './keys.js';

/** Frames of a partition that are counted. */
export const MAX_COUNTED = 1_000;
/** A frame may have megabytes. */
const FRAMES_A_READ = 50;

export interface Backlog {
  /** MAX_COUNTED at most. */
  readonly frames: number;
  /** The age of the first one, by Redis' clock; 0: none waits. */
  readonly oldestMs: number;
}

/** By partition. Rejects when Redis does not answer, or the user may not read the streams. */
export async function readBacklogs(
  redis: RedisClient,
  cursors: readonly Cursor[],
): Promise<Map<number, Backlog>> {
  const nowMs = await readTime(redis);
  const backlogs = new Map<number, Backlog>();
  for (const cursor of cursors) {
    let frames = 0;
    let oldestMs = 0;
    for await (const { position } of readEntries(redis, cursor)) {
      if (frames === 0) oldestMs = Math.max(0, Math.round(nowMs - Number(position.ms)));
      frames += 1;
    }
    backlogs.set(cursor.partition, { frames, oldestMs });
  }
  return backlogs;
}

export interface WaitingCommand {
  readonly position: Position;
  readonly text: string;
}

/** The commands that name a payment, among the first MAX_COUNTED frames of its partition. */
export async function findWaitingCommands(
  redis: RedisClient,
  cursor: Cursor,
  paymentId: string,
): Promise<WaitingCommand[]> {
  const found: WaitingCommand[] = [];
  for await (const { position, fields } of readEntries(redis, cursor)) {
    for (const { text } of readFrameCommands(fields)) {
      if (text.includes(`"${paymentId}"`)) found.push({ position, text });
    }
  }
  return found;
}

interface Entry {
  readonly position: Position;
  readonly fields: readonly string[];
}

async function* readEntries(
  redis: RedisClient,
  { partition, after }: Cursor,
): AsyncGenerator<Entry> {
  let from = formatPosition(after);
  for (let read = 0; read < MAX_COUNTED; read += FRAMES_A_READ) {
    const key = buildCommandsKey(partition);
    const entries = await redis.xrange(key, `(${from}`, '+', 'COUNT', FRAMES_A_READ);
    for (const [id, fields] of entries) yield { position: parsePosition(id), fields };
    const last = entries.at(-1);
    if (last === undefined || entries.length < FRAMES_A_READ) return;
    [from] = last;
  }
}
