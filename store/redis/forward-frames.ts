// Appends commands again, to the partition to which a split has moved their payments (actors/payments/forwarder.ts). The frames have the
// name and the kind of the first sender, so that replies go to it. The payments process has the keys of all kinds, with which it checks
// frames. Version 1 is written: a build with a newer version must carry the version of the frame along.
import type { CommandSource } from '#actors/core/payment/commands.js';
import { isReady, type RedisClient } from './client.js';
import { encodeFrame, type FramedCommand, type FrameKeys } from './frames.js';
import { buildCommandsKey } from './keys.js';
import { classifySend } from './commands.js';
import { NO_ANSWER, Pipelines } from './pipelines.js';

export interface ForwardedFrame {
  /** To which it is appended. */
  readonly partition: number;
  /** Of the first sender. */
  readonly name: string;
  readonly source: CommandSource;
  readonly commands: FramedCommand[];
}

/**
 * Returns the frames that Redis refused, of which nothing was stored. One without an answer is not among them: it may be in the
 * stream.
 */
export async function forwardFrames(
  redis: RedisClient,
  keys: FrameKeys,
  frames: readonly ForwardedFrame[],
): Promise<readonly ForwardedFrame[]> {
  if (!isReady(redis)) return frames;
  const pipelines = new Pipelines(redis);
  for (const { partition, name, source, commands } of frames) {
    const [mark, value] = encodeFrame({ name, source, keys: keys[source] }, partition, commands);
    const key = buildCommandsKey(partition);
    pipelines.to(key).xadd(key, 'NOMKSTREAM', '*', mark, value);
  }
  const answers = await pipelines.exec();
  return frames.filter((_, index) => classifySend(...(answers[index] ?? NO_ANSWER)) === 'refused');
}
