// The one way to turn many small calls into few large ones. DataLoader batches one event-loop turn too, but not one
// batch at a time, which is what collects thousands of writes while a statement is under way.
import { type Clock, SYSTEM_CLOCK } from './clock.js';

export interface BatcherOptions<Item, Result> {
  readonly maxItems: number;
  /** true: one batch at a time, and what arrives meanwhile collects. false: each event-loop turn is a batch. */
  readonly isSerial: boolean;
  /** Returns one result for each item, in their order. When it throws, each item of the batch rejects with its error. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** The system's by default. */
  readonly clock?: Clock;
}

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Returns the function that adds one item and resolves with its result. */
export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { maxItems, isSerial, run, clock = SYSTEM_CLOCK } = options;
  const waiting: WaitingItem<Item, Result>[] = [];
  let isScheduled = false;

  const runBatch = async (batch: readonly WaitingItem<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      if (results.length !== batch.length) {
        throw new Error(`a batch of ${batch.length} items has ${results.length} results`);
      }
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const runWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const running = runBatch(waiting.splice(0, maxItems));
      if (isSerial) await running;
    }
    isScheduled = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isScheduled) return;
      isScheduled = true;
      clock.endTurn(() => void runWaiting());
    });
}
