import t from 'tap';
import { createBatcher } from '#ops/runtime/batcher.js';

const double = (items: readonly number[]): Promise<number[]> =>
  Promise.resolve(items.map((item) => 2 * item));

t.test('items of one event-loop turn share a batch, at most maxItems each', async (t) => {
  const sizes: number[] = [];
  const add = createBatcher<number, number>({
    maxItems: 3,
    isSerial: false,
    run: (items) => {
      sizes.push(items.length);
      return double(items);
    },
  });
  t.strictSame(await Promise.all([1, 2, 3, 4].map(add)), [2, 4, 6, 8]);
  t.strictSame(sizes, [3, 1]);
});

t.test('a serial batcher collects while a batch runs', async (t) => {
  const sizes: number[] = [];
  const ends: (() => void)[] = [];
  const add = createBatcher<number, number>({
    maxItems: 10,
    isSerial: true,
    run: async (items) => {
      sizes.push(items.length);
      await new Promise<void>((resolve) => ends.push(resolve));
      return double(items);
    },
  });
  const first = add(1);
  await new Promise((resolve) => setImmediate(resolve));
  const others = [2, 3].map(add);
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(sizes, [1], 'the second batch has not begun');
  ends.shift()?.();
  t.equal(await first, 2);
  await new Promise((resolve) => setImmediate(resolve));
  ends.shift()?.();
  t.strictSame(await Promise.all(others), [4, 6]);
  t.strictSame(sizes, [1, 2]);
});

t.test('a batch that fails rejects each of its items and no other', async (t) => {
  let count = 0;
  const add = createBatcher<number, number>({
    maxItems: 2,
    isSerial: true,
    run: (items) => ((count += 1) === 1 ? Promise.reject(new Error('away')) : double(items)),
  });
  const results = await Promise.allSettled([1, 2, 3].map(add));
  t.strictSame(
    results.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  );
});

t.test('a batch with too few results rejects', async (t) => {
  const add = createBatcher<number, number>({
    maxItems: 2,
    isSerial: false,
    run: () => Promise.resolve([]),
  });
  await t.rejects(add(1), { message: 'a batch of 1 items has 0 results' });
});
