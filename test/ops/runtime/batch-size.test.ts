// The size of batches: it is halved by failures and grows by full batches that succeed.
import t from 'tap';
import { BatchSize } from '#ops/runtime/batch-size.js';

t.test('a failure halves the size, down to the least', (t) => {
  const batch = new BatchSize({ least: 1, most: 1_024, step: 32 });
  t.equal(batch.size, 1_024);
  batch.shrink(600);
  t.equal(batch.size, 300, 'half of what was tried');
  batch.shrink(5_000);
  t.equal(batch.size, 150, 'one that cannot be divided counts as the size');
  for (let times = 0; times < 10; times += 1) batch.shrink(64);
  t.equal(batch.size, 1);
  t.end();
});

t.test('full batches that succeed grow it, up to the most', (t) => {
  const batch = new BatchSize({ least: 1, most: 1_024, step: 32 });
  batch.shrink(200);
  batch.grow(20);
  t.equal(batch.size, 100, 'a small batch shows nothing');
  batch.grow(60);
  t.equal(batch.size, 132);
  for (let times = 0; times < 100; times += 1) batch.grow(1_024);
  t.equal(batch.size, 1_024);
  t.end();
});

t.test('a round runs with the size, and its failure is thrown on', async (t) => {
  const batch = new BatchSize({ least: 50, most: 100, step: 10 });
  await t.rejects(
    batch.run(() => Promise.reject(new Error('too slow'))),
    /too slow/,
  );
  t.equal(await batch.run((size) => Promise.resolve(size)), 50);
  t.equal(batch.size, 60);
});
