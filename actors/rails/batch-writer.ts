// What rails said, on its way to Postgres. While one statement is under way, what comes next collects, so that a
// thousand answers that come at once are a few statements. When the database refuses a batch, each of it is recorded by
// itself: what cannot be stored keeps nothing else from it.
import { classifyFailure } from '#store/postgres/classify-failure.js';

const MAX_BATCH = 256;

interface WaitingItem<Item> {
  readonly item: Item;
  readonly resolve: (counts: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** `record` answers of each, in their order, whether it counts; so does the function that is made here, of one. */
export function createBatchWriter<Item>(
  record: (items: readonly Item[]) => Promise<readonly boolean[]>,
): (item: Item) => Promise<boolean> {
  const waiting: WaitingItem<Item>[] = [];
  let isWriting = false;

  const write = async (batch: readonly WaitingItem<Item>[]): Promise<void> => {
    try {
      const counts = await record(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(counts[index] === true);
    } catch (error) {
      if (batch.length > 1 && classifyFailure(error) === 'refused') {
        for (const one of batch) await write([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  };

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) await write(waiting.splice(0, MAX_BATCH));
    isWriting = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isWriting) void writeAll();
    });
}
