// The command streams: one per partition, with a frame as each entry. Here frames are written, appended and read;
// stream-repair.ts repairs a stream that lost data.
//
// A frame holds the commands of one event-loop turn of one process, signed by that process. Its fields are `g`, the
// sender's name, the kind of process, the MAC, then for each command its correlation (which the reply repeats; empty: no
// reply is wanted) and its text. The owner of a partition appends frames without commands, so that a batch begins.
//
// A write to Redis must not be enough to move money, so the payments process takes a command only from a frame whose
// MAC was made with the key of a process that may send it (docs/decisions/0033-signed-commands.md). The MAC is
// HMAC-SHA-256 over the partition and all other fields, each with its length in front. So a frame can be repeated, which
// has no effect, but not changed, and not moved to another partition.
//
// Senders append with NOMKSTREAM, so a stream that Redis lost refuses until it is made again.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { formatPosition, parsePosition, type Position } from '#actors/core/partition.js';
import { COMMAND_SOURCES, type CommandSource } from '#actors/core/payment/commands.js';
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
  /** null: no key of the installation has signed the frame. */
  source: CommandSource | null;
  commands: FramedCommand[];
}

/** A process that sends commands. Replies go to its name. */
export interface FrameSender {
  readonly name: string;
  readonly source: CommandSource;
  /** The first signs. */
  readonly keys: readonly FrameKey[];
}

export interface FrameKey {
  readonly key: Buffer;
}

/** The keys that sign for each kind of process. More than one: they are being rotated. */
export type FrameKeys = Readonly<Record<CommandSource, readonly FrameKey[]>>;

const MARK = 'g';
/** The fields of a frame without commands. It needs no signature, since it changes nothing. */
const EMPTY_FRAME = ['e', ''] as const;
const HEAD_FIELDS = 4;

export function encodeFrame(
  { name, source, keys }: FrameSender,
  partition: number,
  commands: readonly FramedCommand[],
): string[] {
  const key = keys[0];
  if (key === undefined) throw new Error(`the process ${name} has no key to sign commands with`);
  const body: string[] = [];
  for (const { correlation, text } of commands) body.push(correlation, text);
  const mac = signFrame(key, { partition, name, source, body }).toString('base64url');
  return [MARK, name, source, mac, ...body];
}

/** An entry that is not a frame becomes one command that cannot be decoded, so that it is quarantined. */
export function decodeFrame(
  partition: number,
  id: string,
  fields: readonly string[],
  keys: FrameKeys,
): Frame {
  const position = parsePosition(id);
  if (fields[0] === EMPTY_FRAME[0]) {
    return { partition, position, sender: '', source: null, commands: [] };
  }
  if (fields[0] !== MARK || fields.length < HEAD_FIELDS + 2) {
    const text = JSON.stringify(fields);
    return { partition, position, sender: '', source: null, commands: [{ correlation: '', text }] };
  }
  const [, name = '', source, mac = ''] = fields;
  const body = fields.slice(HEAD_FIELDS);
  const commands: FramedCommand[] = [];
  for (let index = 0; index + 1 < body.length; index += 2) {
    commands.push({ correlation: body[index] ?? '', text: body[index + 1] ?? '' });
  }
  const known = COMMAND_SOURCES.find((one) => one === source);
  const isSigned =
    known !== undefined && isMac(mac, keys[known], { partition, name, source: known, body });
  return { partition, position, sender: name, source: isSigned ? known : null, commands };
}

interface SignedContent {
  readonly partition: number;
  readonly name: string;
  readonly source: CommandSource;
  readonly body: readonly string[];
}

function isMac(mac: string, keys: readonly FrameKey[], content: SignedContent): boolean {
  const given = Buffer.from(mac, 'base64url');
  return keys.some((key) => {
    const expected = signFrame(key, content);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function signFrame({ key }: FrameKey, { partition, name, source, body }: SignedContent): Buffer {
  let content = `${partition}:${name.length}:${name}${source}`;
  for (const field of body) content += `:${field.length}:${field}`;
  return createHmac('sha256', key).update(content).digest();
}

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
