// The input of a batch: its commands, split off from the frames that were read and decoded, and the committed states that
// they need, remembered or loaded with one query.
//
// Almost every create is the first of its payment, so its state is not loaded: the commit finds a repeat (KS003), and
// the batch is folded again on the stored states. This saves a query per batch. A create that is rejected even as the
// first stores nothing by which a commit could find a repeat, so its state is loaded.
import type { PaymentCommand } from '../core/payment/commands.js';
import { isRejectedAsFirst } from '../core/payment/create.js';
import type { PaymentState } from '../core/payment/state.js';
import { decodeCommand } from '../core/payment/wire/command.js';
import { decodeSnapshot } from '../core/payment/wire/snapshot.js';
import type { Settlement } from '../core/rails/answers.js';
import { partitionFor, type Position } from '../core/partition.js';
import type { Frame } from '#store/redis/commands.js';
import type { Ownership } from './owned-partition.js';
import type { PaymentStore } from './ports.js';

const MAX_COMMANDS = 1_024;
const MAX_CHARACTERS = 4 * 1024 * 1024;

export interface BatchCommand {
  readonly partition: number;
  readonly position: Position;
  /** The command's number within its frame. */
  readonly index: number;
  readonly sender: string;
  /** Empty: the sender waits for no reply. */
  readonly correlation: string;
  readonly text: string;
  /** undefined: the text cannot be decoded. */
  command: PaymentCommand | undefined;
  /** Set: the command is stored for an operator instead of being applied. */
  quarantineReason: string | undefined;
}

/** Splits off the first frames that fit into one commit, at least one. Frames stay whole and in order. */
export function splitBatch(frames: readonly Frame[]): { frames: Frame[]; rest: Frame[] } {
  let commands = 0;
  let characters = 0;
  let count = 0;
  for (const frame of frames) {
    commands += frame.commands.length;
    for (const command of frame.commands) characters += command.text.length;
    if (count > 0 && (commands > MAX_COMMANDS || characters > MAX_CHARACTERS)) break;
    count += 1;
  }
  return { frames: frames.slice(0, count), rest: frames.slice(count) };
}

/** Never throws: a command that cannot be decoded is marked for quarantine. */
export function decodeFrames(frames: readonly Frame[], partitionCount: number): BatchCommand[] {
  const decoded: BatchCommand[] = [];
  for (const { partition, position, sender, commands } of frames) {
    commands.forEach(({ correlation, text }, index) => {
      const command = readCommand(text, partition, partitionCount);
      decoded.push({ partition, position, index, sender, correlation, text, ...command });
    });
  }
  return decoded;
}

/**
 * Marks a command that Postgres refuses. A settlement whose rail transaction is booked on another payment is given to
 * the state machine as disowned; every other command is quarantined.
 */
export function quarantine(item: BatchCommand, reason: string, isTransactionTaken: boolean): void {
  const settlement = isTransactionTaken ? findSettlement(item.command) : undefined;
  if (settlement === undefined || item.command === undefined) item.quarantineReason = reason;
  else {
    item.command = { type: 'disown_settlement', paymentId: item.command.paymentId, settlement };
  }
}

function findSettlement(command: PaymentCommand | undefined): Settlement | undefined {
  if (command?.type === 'settle') return command.settlement;
  if (command?.type !== 'close_answered') return undefined;
  return command.answer.result === 'settled' ? command.answer.settlement : undefined;
}

function readCommand(
  text: string,
  partition: number,
  partitionCount: number,
): Pick<BatchCommand, 'command' | 'quarantineReason'> {
  try {
    const command = decodeCommand(text);
    if (partitionFor(command.paymentId, partitionCount) !== partition) {
      return { command: undefined, quarantineReason: 'the payment belongs to another partition' };
    }
    return { command, quarantineReason: undefined };
  } catch (error) {
    const quarantineReason = `the command cannot be decoded: ${String(error)}`;
    return { command: undefined, quarantineReason };
  }
}

/** first_creates: a create whose payment is not remembered is folded as its first. */
export type LoadScope = 'first_creates' | 'everything';

/**
 * Returns the states that exist, by payment id. When a snapshot cannot be decoded (a damaged row, or one of a newer
 * version), the commands of its payment are marked for quarantine. Rejects when Postgres does not answer.
 */
export async function loadStates(
  store: Pick<PaymentStore, 'loadSnapshots'>,
  owned: Ownership,
  commands: readonly BatchCommand[],
  scope: LoadScope,
): Promise<Map<string, PaymentState>> {
  const known = new Map<string, PaymentState>();
  const missing = new Set<string>();
  const decode = (id: string, snapshot: string): void => {
    try {
      known.set(id, decodeSnapshot(snapshot));
    } catch (error) {
      quarantineAll(commands, id, `the stored payment cannot be decoded: ${String(error)}`);
    }
  };
  for (const { command, partition } of commands) {
    if (command === undefined || known.has(command.paymentId)) continue;
    const snapshot = owned.get(partition)?.snapshots.get(command.paymentId);
    if (snapshot !== undefined) decode(command.paymentId, snapshot);
    else if (scope === 'everything' || !isFirstCreate(command)) missing.add(command.paymentId);
  }
  if (missing.size === 0) return known;
  for (const [id, snapshot] of await store.loadSnapshots([...missing])) decode(id, snapshot);
  return known;
}

const isFirstCreate = (command: PaymentCommand): boolean =>
  command.type === 'create' && !isRejectedAsFirst(command);

function quarantineAll(commands: readonly BatchCommand[], id: string, reason: string): void {
  for (const command of commands) {
    if (command.command?.paymentId === id) command.quarantineReason ??= reason;
  }
}
