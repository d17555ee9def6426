// A delayed pipe keeps the order of chunks, also when the delay ends while some wait.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { createDelayedPipe } from './delayed-pipe.js';

t.test('a chunk without a delay waits for the delayed ones before it', async (t) => {
  const passed: string[] = [];
  const pipe = createDelayedPipe((chunk) => passed.push(chunk.toString()));
  pipe(Buffer.from('first'), 0);
  t.strictSame(passed, ['first'], 'nothing waits, so it passes at once');
  pipe(Buffer.from('second'), 30);
  pipe(Buffer.from('third'), 0);
  pipe(Buffer.from('fourth'), 10);
  t.strictSame(passed, ['first']);
  await waitUntil('all have passed', () => passed.length === 4);
  t.strictSame(passed, ['first', 'second', 'third', 'fourth']);
});
