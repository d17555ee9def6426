// Forwards the commands of payments that a split of the partitions has moved (docs/decisions/0082-partitions-are-split.md). A sender
// that still has the former number appends them to the partition where the payment was. Its owner never decides them:
//
//   READ ──▶ FORWARDED (appended to the partition of the payment, as the same sender) ──▶ passed over by the commit
//
// The owner of the other partition decides and answers them. If this process dies between the two steps, the next owner forwards
// again, and a command acts once only. One that Redis does not take is passed over as if Redis had lost it: its sender finds no
// outcome, or sends it again.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import type { ForwardedFrame } from '#store/redis/forward-frames.js';
import type { BatchCommand } from './batch-input.js';
import type { CommandStreams } from './ports.js';

/** As in the frames of a gateway. */
const MAX_FRAME_COMMANDS = 64;
/** A stream may be missing until its partition is claimed. */
const MAX_TRIES = 20;
const RETRY_MS = 50;

export interface ForwarderDeps {
  readonly clock: Clock;
  readonly streams: Pick<CommandStreams, 'forward'>;
  readonly log: Log;
}

/** Resolves when Redis has taken them, or after a second. */
export async function forwardMoved(
  { clock, streams, log }: ForwarderDeps,
  commands: readonly BatchCommand[],
): Promise<void> {
  let frames = buildFrames(commands);
  if (frames.length === 0) return;
  for (let tries = 1; frames.length > 0 && tries <= MAX_TRIES; tries += 1) {
    if (tries > 1) await clock.sleep(RETRY_MS);
    frames = await streams.forward(frames);
  }
  if (frames.length === 0) return;
  const partitions = [...new Set(frames.map(({ partition }) => partition))];
  log.error(
    { partitions },
    'Redis did not take commands that were to be forwarded; they are as lost',
  );
}

/** In the order of the commands. */
function buildFrames(commands: readonly BatchCommand[]): readonly ForwardedFrame[] {
  const frames: ForwardedFrame[] = [];
  const open = new Map<string, ForwardedFrame>();
  for (const { movedTo: partition, source, sender: name, correlation, text } of commands) {
    if (partition === undefined || source === null) continue;
    const key = `${partition} ${source} ${name}`;
    let frame = open.get(key);
    if (frame === undefined || frame.commands.length >= MAX_FRAME_COMMANDS) {
      frame = { partition, name, source, commands: [] };
      open.set(key, frame);
      frames.push(frame);
    }
    frame.commands.push({ correlation, text });
  }
  return frames;
}
