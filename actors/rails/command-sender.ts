// Sends commands to payments: those of one event-loop turn in one pipeline. Nobody waits for a reply, and what Redis
// does not take is sent again by whoever keeps it (facts.ts, the next look-up).
import { partitionFor } from '../core/partition.js';
import type { PaymentCommand } from '../core/payment/commands.js';
import { encodeCommand } from '../core/payment/wire/command.js';
import type { FramedCommand, SendResult } from '#store/redis/commands.js';

export interface CommandSenderDeps {
  send: (
    frames: ReadonlyMap<number, readonly FramedCommand[]>,
  ) => Promise<ReadonlyMap<number, SendResult>>;
  partitions: number;
  onError: (error: unknown) => void;
}

/** Answers a function that sends its command a moment later. */
export function createCommandSender(parts: CommandSenderDeps): (command: PaymentCommand) => void {
  let frames = new Map<number, FramedCommand[]>();
  const flush = (): void => {
    const full = frames;
    frames = new Map();
    parts.send(full).catch(parts.onError);
  };
  return (command) => {
    if (frames.size === 0) setImmediate(flush);
    const partition = partitionFor(command.paymentId, parts.partitions);
    const frame = frames.get(partition);
    const framed = { correlation: '', text: encodeCommand(command) };
    if (frame === undefined) frames.set(partition, [framed]);
    else frame.push(framed);
  };
}
