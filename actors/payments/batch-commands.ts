// The commands of a batch: split off from the frames that were read, then decoded.
import type { PaymentCommand } from '../core/payment/commands.js';
import { decodeCommand } from '../core/payment/wire/command.js';
import type { Settlement } from '../core/rails/answers.js';
import { partitionFor, type Position } from '../core/partition.js';
import type { Frame } from '#store/redis/commands.js';

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
