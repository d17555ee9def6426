// A frame holds the commands of one event-loop turn of one process, signed by that process: one field of a stream entry
// (commands.ts), whose name says the version of its text.
//
// Version 1, the field `f`: the MAC, the sender's name, the kind of process, then for each command its correlation (which
// the reply repeats; empty: no reply is wanted) and its text, joined by U+001F, which JSON never contains raw. Version 2
// would be the field `f2`. A process writes the newest version that all payments processes read, and a payments process
// stops before a frame whose version it does not know (docs/decisions/0058-versions-of-frames.md).
//
// A write to Redis must not be enough to move money, so the payments process takes a command only from a frame whose
// MAC was made with the key of a process that may send it (docs/decisions/0033-signed-commands.md). The MAC is
// HMAC-SHA-256 over the partition and the text behind the MAC. So a frame can be repeated, which has no effect, but not
// changed, and not moved to another partition.
import { timingSafeEqual } from 'node:crypto';
import { createKeyedHash, type KeyedHash } from '#actors/core/keyed-hash.js';
import { parsePosition, type Position } from '#actors/core/partition.js';
import { COMMAND_SOURCES, type CommandSource } from '#actors/core/payment/commands.js';

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

/** A frame that only a newer build reads. */
export interface NewerFrame {
  partition: number;
  version: number;
}

/** A process that sends commands. Replies go to its name. */
export interface FrameSender {
  readonly name: string;
  readonly source: CommandSource;
  /** The version in which it writes now; without it: 1, which every payments process reads. */
  readonly readVersion?: () => number;
  /** The first signs. */
  readonly keys: readonly FrameKey[];
}

export interface FrameKey {
  readonly key: Buffer;
}

/** The keys that sign for each kind of process. More than one: they are being rotated. */
export type FrameKeys = Readonly<Record<CommandSource, readonly FrameKey[]>>;

/** The fields of a frame without commands. It needs no signature, since it changes nothing. */
export const EMPTY_FRAME = ['e', ''] as const;
const SEPARATOR = '\u001f';
/** The MAC, the sender's name and the kind of process. */
const HEAD_PARTS = 3;

type FrameContent = Pick<Frame, 'sender' | 'source' | 'commands'>;

interface FrameCodec {
  encode: (sender: FrameSender, partition: number, commands: readonly FramedCommand[]) => string;
  /** undefined: the text is no frame of this version. */
  decode: (text: string, partition: number, keys: FrameKeys) => FrameContent | undefined;
}

/** By version, from 1. A released one never changes: a new text, or a new command in it, is a new version at the end. */
const CODECS: readonly FrameCodec[] = [{ encode: encodeText, decode: decodeText }];

export const FIRST_VERSION = 1;
/** The newest version that this build reads and writes. */
export const NEWEST_VERSION = CODECS.length;

const MARK = /^f([2-9]|[1-9]\d{1,3})?$/;

/** The one field of a frame. With a field for each text, a create took 2.3 µs more (docs/decisions/0033-signed-commands.md). */
export function encodeFrame(
  sender: FrameSender,
  partition: number,
  commands: readonly FramedCommand[],
): [string, string] {
  const version = Math.min(sender.readVersion?.() ?? FIRST_VERSION, NEWEST_VERSION);
  const codec = CODECS[version - FIRST_VERSION];
  if (codec === undefined) throw new Error(`frames of version ${version} cannot be written`);
  return [buildMark(version), codec.encode(sender, partition, commands)];
}

const buildMark = (version: number): string => (version === FIRST_VERSION ? 'f' : `f${version}`);

/** An entry that is not a frame becomes one command that cannot be decoded, so that it is quarantined. */
export function decodeFrame(
  partition: number,
  id: string,
  fields: readonly string[],
  keys: FrameKeys,
): Frame | NewerFrame {
  const position = parsePosition(id);
  const [mark = '', text = ''] = fields;
  if (mark === EMPTY_FRAME[0]) {
    return { partition, position, sender: '', source: null, commands: [] };
  }
  const version = readMark(mark);
  if (version > NEWEST_VERSION) return { partition, version };
  const codec = fields.length === 2 ? CODECS[version - FIRST_VERSION] : undefined;
  const content = codec?.decode(text, partition, keys);
  if (content !== undefined) return { partition, position, ...content };
  const unread = { correlation: '', text: JSON.stringify(fields) };
  return { partition, position, sender: '', source: null, commands: [unread] };
}

/** The commands of an entry of version 1, whoever signed it; none: it is another entry. */
export const readFrameCommands = ([mark, text = '']: readonly string[]): FramedCommand[] =>
  mark === buildMark(FIRST_VERSION) ? readCommands(text) : [];

export const isNewer = (frame: Frame | NewerFrame): frame is NewerFrame => 'version' in frame;

/** 0: the entry is no frame. */
function readMark(mark: string): number {
  const found = MARK.exec(mark);
  return found === null ? 0 : Number(found[1] ?? FIRST_VERSION);
}

function encodeText(
  { name, source, keys }: FrameSender,
  partition: number,
  commands: readonly FramedCommand[],
): string {
  const key = keys[0];
  if (key === undefined) throw new Error(`the process ${name} has no key to sign commands with`);
  let content = `${SEPARATOR}${name}${SEPARATOR}${source}`;
  for (const { correlation, text } of commands) {
    if (text.includes(SEPARATOR)) throw new Error('a command is not JSON: it contains U+001F');
    content += `${SEPARATOR}${correlation}${SEPARATOR}${text}`;
  }
  return signFrame(key, partition, content) + content;
}

function decodeText(text: string, partition: number, keys: FrameKeys): FrameContent | undefined {
  const commands = readCommands(text);
  if (commands.length === 0) return undefined;
  const [mac = '', sender = '', source] = text.split(SEPARATOR, HEAD_PARTS);
  const known = COMMAND_SOURCES.find((one) => one === source);
  const content = text.slice(mac.length);
  const isSigned = known !== undefined && isMac(mac, keys[known], partition, content);
  return { sender, source: isSigned ? known : null, commands };
}

/** The commands of a text of version 1; none: it is no frame. */
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
