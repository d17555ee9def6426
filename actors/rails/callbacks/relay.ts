// Takes callbacks from gateways, and answers each when it is stored.
import type { Log } from '#ops/runtime/log.js';
import type { Outage } from '#ops/runtime/retry-loop.js';
import type { CallbackFrame, CallbackOutcome } from '#store/redis/callbacks.js';
import type { Reply } from '#store/redis/replies.js';

const TAKEN_AT_ONCE = 64;

export interface CallbackDeskParts {
  readonly stopping: AbortSignal;
  /** Waits a moment for the first. */
  take: (count: number) => Promise<readonly CallbackFrame[]>;
  /** Rejects when it could not be stored. */
  judge: (frame: CallbackFrame) => Promise<CallbackOutcome>;
  reply: (replies: ReadonlyMap<string, readonly Reply[]>) => Promise<void>;
  onCallback: (rail: string, outcome: CallbackOutcome) => void;
  readonly outage: Outage;
  readonly log: Log;
}

/** Runs until the process stops. */
export async function runCallbackDesk(parts: CallbackDeskParts): Promise<void> {
  const { stopping, take, outage } = parts;
  while (!stopping.aborted) {
    try {
      const frames = await take(TAKEN_AT_ONCE);
      outage.over();
      await answerAll(parts, frames);
    } catch (error) {
      await outage.wait(error);
    }
  }
}

async function answerAll(
  parts: CallbackDeskParts,
  frames: readonly CallbackFrame[],
): Promise<void> {
  if (frames.length === 0) return;
  const replies = new Map<string, Reply[]>();
  await Promise.all(
    frames.map(async (frame) => {
      const { gateway, correlation, rail } = frame;
      const outcome = await judgeSafely(parts, frame);
      parts.onCallback(rail, outcome);
      const reply = { correlation, outcome, body: '' };
      replies.set(gateway, [...(replies.get(gateway) ?? []), reply]);
    }),
  );
  await parts.reply(replies);
}

async function judgeSafely(
  { judge, log }: CallbackDeskParts,
  frame: CallbackFrame,
): Promise<CallbackOutcome> {
  try {
    return await judge(frame);
  } catch (error) {
    const { rail } = frame;
    log.warn({ err: error, rail }, 'a callback could not be stored; the rail repeats it');
    return 'unavailable';
  }
}
