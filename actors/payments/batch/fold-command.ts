// A command on its way through a batch.
import type { PaymentCommand } from '../../core/payment/commands.js';
import { decodeCommand } from '../../core/payment/wire/command.js';
import { partitionOf, type Position } from '../../core/partition.js';
import type { Frame } from '../../../store/redis/commands.js';

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
  readonly command: PaymentCommand | undefined;
  /** Why it is kept for an operator instead of being applied. */
  parkedFor: string | undefined;
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

function readCommand(
  text: string,
  partition: number,
  partitions: number,
): Pick<FoldCommand, 'command' | 'parkedFor'> {
  try {
    const command = decodeCommand(text);
    if (partitionOf(command.paymentId, partitions) !== partition) {
      return { command: undefined, parkedFor: 'the payment belongs to another partition' };
    }
    return { command, parkedFor: undefined };
  } catch (error) {
    return { command: undefined, parkedFor: `the command cannot be read: ${String(error)}` };
  }
}
