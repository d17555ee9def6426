// Takes callbacks from gateways, and answers each when it is stored.
import type { Log } from '#ops/runtime/log.js';
import type { RetryLoop } from '#ops/runtime/retry-loop.js';
import type { CallbackFrame, CallbackOutcome } from '#store/redis/callbacks.js';
import type { Reply } from '#store/redis/replies.js';

const TAKEN_AT_ONCE = 64;

export interface CallbackConsumerDeps {
  readonly stopping: AbortSignal;
  /** Waits a moment for the first. */
  read: (count: number) => Promise<readonly CallbackFrame[]>;
  /** Rejects when it could not be stored. */
  process: (frame: CallbackFrame) => Promise<CallbackOutcome>;
  reply: (replies: ReadonlyMap<string, readonly Reply[]>) => Promise<void>;
  onCallback: (rail: string, outcome: CallbackOutcome) => void;
  readonly retryLoop: RetryLoop;
  readonly log: Log;
}

/** Runs until the process stops. */
export async function runCallbackConsumer(parts: CallbackConsumerDeps): Promise<void> {
  const { stopping, read, retryLoop } = parts;
  while (!stopping.aborted) {
    try {
      const frames = await read(TAKEN_AT_ONCE);
      retryLoop.noteSuccess();
      await answerAll(parts, frames);
    } catch (error) {
      await retryLoop.waitAfter(error);
    }
  }
}

async function answerAll(
  parts: CallbackConsumerDeps,
  frames: readonly CallbackFrame[],
): Promise<void> {
  if (frames.length === 0) return;
  const replies = new Map<string, Reply[]>();
  await Promise.all(
    frames.map(async (frame) => {
      const { gateway, correlation, rail } = frame;
      const outcome = await processSafely(parts, frame);
      parts.onCallback(rail, outcome);
      const reply = { correlation, outcome, body: '' };
      replies.set(gateway, [...(replies.get(gateway) ?? []), reply]);
    }),
  );
  await parts.reply(replies);
}

async function processSafely(
  { process, log }: CallbackConsumerDeps,
  frame: CallbackFrame,
): Promise<CallbackOutcome> {
  try {
    return await process(frame);
  } catch (error) {
    const { rail } = frame;
    log.warn({ err: error, rail }, 'a callback could not be stored; the rail repeats it');
    return 'unavailable';
  }
}
