// The command streams: one per partition, with a frame as each entry. Here frames are written, appended and read;
// stream-repair.ts repairs a stream that lost data.
//
// A frame holds the commands of one event-loop turn of one process, signed by that process. It is the field `f` with one
// text: the MAC, the sender's name, the kind of process, then for each command its correlation (which the reply repeats;
// empty: no reply is wanted) and its text, joined by U+001F, which JSON never contains raw. The owner of a partition appends
// frames without commands, so that a batch begins.
//
// A write to Redis must not be enough to move money, so the payments process takes a command only from a frame whose
// MAC was made with the key of a process that may send it (docs/decisions/0033-signed-commands.md). The MAC is
// HMAC-SHA-256 over the partition and the text behind the MAC. So a frame can be repeated, which has no effect, but not
// changed, and not moved to another partition.
//
// Senders append with NOMKSTREAM, so a stream that Redis lost refuses until it is made again.
import { timingSafeEqual } from 'node:crypto';
import { createKeyedHash, type KeyedHash } from '#actors/core/keyed-hash.js';
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

const MARK = 'f';
/** The fields of a frame without commands. It needs no signature, since it changes nothing. */
const EMPTY_FRAME = ['e', ''] as const;
const SEPARATOR = '\u001f';
/** The MAC, the sender's name and the kind of process. */
const HEAD_PARTS = 3;

/** The one field of a frame. With a field for each text, a create took 2.3 µs more (docs/decisions/0033-signed-commands.md). */
export function encodeFrame(
  { name, source, keys }: FrameSender,
  partition: number,
  commands: readonly FramedCommand[],
): [string, string] {
  const key = keys[0];
  if (key === undefined) throw new Error(`the process ${name} has no key to sign commands with`);
  let content = `${SEPARATOR}${name}${SEPARATOR}${source}`;
  for (const { correlation, text } of commands) {
    if (text.includes(SEPARATOR)) throw new Error('a command is not JSON: it contains U+001F');
    content += `${SEPARATOR}${correlation}${SEPARATOR}${text}`;
  }
  return [MARK, signFrame(key, partition, content) + content];
}

/** An entry that is not a frame becomes one command that cannot be decoded, so that it is quarantined. */
export function decodeFrame(
  partition: number,
  id: string,
  fields: readonly string[],
  keys: FrameKeys,
): Frame {
  const position = parsePosition(id);
  const [mark, value = ''] = fields;
  if (mark === EMPTY_FRAME[0]) {
    return { partition, position, sender: '', source: null, commands: [] };
  }
  const commands = mark === MARK && fields.length === 2 ? readCommands(value) : [];
  if (commands.length === 0) {
    const text = JSON.stringify(fields);
    return { partition, position, sender: '', source: null, commands: [{ correlation: '', text }] };
  }
  const [mac = '', sender = '', source] = value.split(SEPARATOR, HEAD_PARTS);
  const known = COMMAND_SOURCES.find((one) => one === source);
  const content = value.slice(mac.length);
  const isSigned = known !== undefined && isMac(mac, keys[known], partition, content);
  return { partition, position, sender, source: isSigned ? known : null, commands };
}

/** The commands of a frame's text; none: it is no frame. */
export function readCommands(value: string): FramedCommand[] {
  const parts = value.split(SEPARATOR);
  const commands: FramedCommand[] = [];
  if ((parts.length - HEAD_PARTS) % 2 !== 0) return commands;
  for (let index = HEAD_PARTS; index < parts.length; index += 2) {
    commands.push({ correlation: parts[index] ?? '', text: parts[index + 1] ?? '' });
  }
  return commands;
}

function isMac(
  mac: string,
  keys: readonly FrameKey[],
  partition: number,
  content: string,
): boolean {
  const given = Buffer.from(mac);
  return keys.some((key) => {
    const expected = Buffer.from(signFrame(key, partition, content));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** A key is padded once. */
const HASHES = new WeakMap<FrameKey, KeyedHash>();

function signFrame(key: FrameKey, partition: number, content: string): string {
  let hashKeyed = HASHES.get(key);
  if (hashKeyed === undefined) HASHES.set(key, (hashKeyed = createKeyedHash(key.key)));
  return hashKeyed(`${partition}${content}`, 'base64url');
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
    const [mark, value] = encodeFrame(sender, partition, commands);
    pipeline.xadd(buildCommandsKey(partition), 'NOMKSTREAM', '*', mark, value);
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
/** The two connections race, so the server may not know yet of the wait that it is asked to end. */
const MAX_INTERRUPTS = 20;
/** Of all partitions; two batches fit in. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

export interface FrameReaderDeps {
  /** The connection that waits for frames. */
  readonly reading: RedisClient;
  /** Another one, which ends such a wait. */
  readonly redis: RedisClient;
  readonly keys: FrameKeys;
}

/**
 * Reads within a bound on memory. XREAD counts entries and not bytes, and an entry has between a hundred bytes and
 * megabytes. So the count follows the largest frame of the read before: it is doubled at most, and a read of a partition
 * that was not in the read before begins with one frame, since a new owner does not know what waits there.
 */
export class FrameReader {
  readonly #deps: FrameReaderDeps;
  #partitions: ReadonlySet<number> = new Set();
  #count = 1;
  /** The number of the read under way; 0: none is. */
  #reading = 0;
  #reads = 0;
  /** Of the connection that waits, at the server. */
  #clientId: string | undefined;

  constructor(deps: FrameReaderDeps) {
    this.#deps = deps;
    deps.reading.on('ready', () => this.#identify());
    if (isReady(deps.reading)) this.#identify();
  }

  /** Reads the frames behind the cursors, and waits `blockMs` for the first. Rejects when Redis does not answer. */
  async read(cursors: readonly Cursor[], blockMs: number): Promise<Frame[]> {
    if (cursors.some(({ partition }) => !this.#partitions.has(partition))) this.#count = 1;
    this.#partitions = new Set(cursors.map(({ partition }) => partition));
    const { reading, keys } = this.#deps;
    this.#reads += 1;
    this.#reading = this.#reads;
    const frames = await readFrames(reading, cursors, {
      ...{ blockMs, keys },
      count: this.#count,
    }).finally(() => {
      this.#reading = 0;
    });
    const largest = Math.max(0, ...frames.map(countCharacters));
    if (largest > 0) {
      const fitting = Math.floor(MAX_CHARACTERS / (largest * cursors.length));
      this.#count = Math.max(1, Math.min(fitting, this.#count * 2, MAX_FRAMES));
    }
    return frames;
  }

  /** Ends the wait of a read under way, which finds nothing then. If that fails, it waits to its end. */
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
