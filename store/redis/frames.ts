// A frame is one entry of a command stream: the commands of one event-loop turn of one process, signed by that process.
// Its fields are `g`, the sender's name, the kind of process, the MAC, then for each command its correlation (which the
// reply repeats; empty: no reply is wanted) and its text. The owner of a partition appends frames without commands, so that
// a batch begins.
//
// A write to Redis must not be enough to move money, so the payments process takes a command only from a frame whose
// MAC was made with the key of a process that may send it (docs/decisions/0033-signed-commands.md). The MAC is
// HMAC-SHA-256 over the partition and all other fields, each with its length in front. So a frame can be repeated, which
// has no effect, but not changed, and not moved to another partition.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { COMMAND_SOURCES, type CommandSource } from '#actors/core/payment/commands.js';
import { parsePosition, type Position } from '#actors/core/partition.js';

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
export const EMPTY_FRAME = ['e', ''] as const;
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
