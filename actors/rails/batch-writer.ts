// Writes results of rail calls to Postgres in batches: a thousand answers that arrive together need a few statements.
import { createBatcher } from '#ops/runtime/batcher.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { classifyFailure } from '#store/postgres/classify-failure.js';

const MAX_BATCH = 256;

type RecordItems<Item> = (items: readonly Item[]) => Promise<readonly boolean[]>;

/**
 * `record` returns for each item, in their order, whether it took effect; so does the returned function for its item.
 * When Postgres refuses a batch, each item is recorded alone, so that an item that cannot be stored fails alone.
 */
export function createBatchWriter<Item>(
  record: RecordItems<Item>,
  clock: Clock = SYSTEM_CLOCK,
): (item: Item) => Promise<boolean> {
  const write = createBatcher<Item, boolean | Error>({
    clock,
    maxItems: MAX_BATCH,
    isSerial: true,
    run: async (items) => {
      try {
        return await record(items);
      } catch (error) {
        if (items.length === 1 || classifyFailure(error) !== 'refused') throw error;
        return recordEach(record, items);
      }
    },
  });
  return async (item) => {
    const result = await write(item);
    if (result instanceof Error) throw result;
    return result;
  };
}

async function recordEach<Item>(
  record: RecordItems<Item>,
  items: readonly Item[],
): Promise<(boolean | Error)[]> {
  const results: (boolean | Error)[] = [];
  for (const item of items) {
    try {
      results.push((await record([item]))[0] === true);
    } catch (error) {
      results.push(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return results;
}
