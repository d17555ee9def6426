// A worker: one kind of work at one rail, with slots of its own. A rail that hangs fills its own slots and no others, and
// refunds do not queue behind charges. A worker claims work only when it has a free slot, so claimed work is under way.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { startLoop } from '#ops/runtime/loop.js';

/** Between two claims when no wake-up arrives: a lost wake-up costs this time. */
const CLAIM_EVERY_MS = 500;

export interface RailWorkerOptions<Item> {
  /** For the log. */
  readonly name: string;
  readonly slots: number;
  /** Returns how many of the free slots may be filled now. */
  readonly allow: (free: number) => number;
  readonly claim: (limit: number) => Promise<readonly Item[]>;
  /** Never rejects. */
  readonly run: (item: Item) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RailWorker {
  /** Claims at once: work may be due. */
  readonly wake: () => void;
  /** As `wake`, after `ms`. */
  readonly wakeIn: (ms: number) => void;
  /** Claims nothing more; resolves when nothing is under way. */
  readonly stop: () => Promise<void>;
}

/** A claim whose answer is lost leaves claimed work undone; its lease ends and the work is claimed again. */
export function startRailWorker<Item>(options: RailWorkerOptions<Item>): RailWorker {
  const { name, slots, allow, claim, run, clock, log } = options;
  let inFlight = 0;
  let isWaitingForSlot = false;
  let onIdle: (() => void) | undefined;
  let isStopped = false;
  /** As many as calls are under way, at most. */
  const timers = new Set<() => void>();

  const runItem = async (item: Item): Promise<void> => {
    inFlight += 1;
    await run(item);
    inFlight -= 1;
    if (isWaitingForSlot) loop.wake();
    if (inFlight === 0) onIdle?.();
  };

  const loop = startLoop({
    name,
    everyMs: CLAIM_EVERY_MS,
    clock,
    log,
    work: async () => {
      const limit = allow(slots - inFlight);
      isWaitingForSlot = limit <= 0;
      if (isWaitingForSlot) return undefined;
      const items = await claim(limit);
      for (const item of items) void runItem(item);
      return items.length === limit ? 0 : undefined;
    },
  });

  return {
    wake: loop.wake,
    wakeIn: (ms) => {
      if (isStopped) return;
      const cancel = clock.startTimer(ms, () => {
        timers.delete(cancel);
        loop.wake();
      });
      timers.add(cancel);
    },
    stop: async () => {
      isStopped = true;
      for (const cancel of timers) cancel();
      await loop.stop();
      if (inFlight === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    },
  };
}
