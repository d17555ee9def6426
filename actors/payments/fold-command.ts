// A command on its way through a batch.
import type { PaymentCommand } from '../core/payment/commands.js';
import { decodeCommand } from '../core/payment/wire/command.js';
import type { Settlement } from '../core/rails/answers.js';
import { partitionFor, type Position } from '../core/partition.js';
import type { Frame } from '#store/redis/commands.js';

export interface FoldCommand {
  readonly partition: number;
  readonly position: Position;
  /** Of the command within its frame. */
  readonly index: number;
  readonly sender: string;
  /** Empty when nobody waits for a reply. */
  readonly correlation: string;
  readonly text: string;
  /** Undefined when the text is none that we would write. */
  command: PaymentCommand | undefined;
  /** Why it is kept for an operator instead of being applied. */
  quarantineReason: string | undefined;
}

/** All commands of the frames, in order. Never throws: what cannot be read is marked to be parked. */
export function decodeFrames(frames: readonly Frame[], partitions: number): FoldCommand[] {
  const decoded: FoldCommand[] = [];
  for (const { partition, position, sender, commands } of frames) {
    commands.forEach(({ correlation, text }, index) => {
      const read = readCommand(text, partition, partitions);
      decoded.push({ partition, position, index, sender, correlation, text, ...read });
    });
  }
  return decoded;
}

/**
 * What becomes of a command that the database refuses. A settlement whose rail transaction is booked on
 * another payment is given to the machine as such; everything else is parked.
 */
export function quarantine(item: FoldCommand, reason: string, isTransactionTaken: boolean): void {
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
  partitions: number,
): Pick<FoldCommand, 'command' | 'quarantineReason'> {
  try {
    const command = decodeCommand(text);
    if (partitionFor(command.paymentId, partitions) !== partition) {
      return { command: undefined, quarantineReason: 'the payment belongs to another partition' };
    }
    return { command, quarantineReason: undefined };
  } catch (error) {
    return { command: undefined, quarantineReason: `the command cannot be read: ${String(error)}` };
  }
}
