// Carries stored replays on: a step of each open part, then its deliveries go to the queues. Every webhooks process
// does this; a part that one has in hand is left out by the others. WINDOW bounds how many deliveries of an
// endpoint a replay puts in front of its lane, so a replay goes at the pace of the lane and delays nobody else.
import type { ReplayPart } from '#store/postgres/webhooks/dead-letters/step-replays.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop, sleep } from '#ops/runtime/retry-loop.js';

const EVERY_MS = 500;
const PARTS_AT_ONCE = 64;
const WINDOW = 256;

export interface ReplaysDeps {
  stopping: AbortSignal;
  findOpen: (limit: number) => Promise<readonly ReplayPart[]>;
  step: (part: ReplayPart, most: number) => Promise<readonly { id: string; endpointId: string }[]>;
  /** Must leave alone what is queued already. */
  enqueue: (deliveries: readonly { id: string; endpointId: string }[]) => Promise<unknown>;
  complete: () => Promise<void>;
  log: Log;
}

/** Resolves when the process stops. */
export async function runReplays(parts: ReplaysDeps): Promise<void> {
  const { stopping, log } = parts;
  const outage = new RetryLoop(log, 'replaying');
  while (!stopping.aborted) {
    await outage.retry(stopping, () => stepAll(parts));
    await sleep(EVERY_MS);
  }
}

async function stepAll({
  stopping,
  findOpen,
  step,
  enqueue,
  complete,
}: ReplaysDeps): Promise<void> {
  for (const part of await findOpen(PARTS_AT_ONCE)) {
    if (stopping.aborted) return;
    const waiting = await step(part, WINDOW);
    if (waiting.length > 0) await enqueue(waiting);
  }
  await complete();
}
