// How much is committed at once.
import type { Frame } from '#store/redis/commands.js';

const MAX_COMMANDS = 1_024;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Splits off as many whole frames as fit, at least one, in their order; the rest comes next. */
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
