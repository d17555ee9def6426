// Receivers can cost this process little: compressed bodies stay compressed, a broken or closed response costs one
// connection, and many origins do not mean many sockets.
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { parseRanges } from '#ops/net/address.js';
import { createPoster, type Poster } from '#ops/net/post.js';
import type { Resolve } from '#ops/net/target.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { answerWith, startReceiver, testCertificates } from '#test/support/webhooks/receiver.js';

const BODY = Buffer.from('{}');
const KEPT_BYTES = 16_384;
/** Origins with kept connections (ops/net/post.ts). */
const ORIGINS = 256;
/** With a connection for each, they would be more than a third too many. */
const MANY = 400;
const AT_ONCE = 20;
const { ca: extraCa } = await testCertificates();

const TO_LOOPBACK: Resolve = (_hostname, _options, answer) => {
  answer(null, [{ address: '127.0.0.1', family: 4 }]);
};

function open(t: Test, deadlineMs = 5_000): Poster {
  const allowed = parseRanges(['127.0.0.0/8']);
  const poster = createPoster({ allowed, extraCa, resolve: TO_LOOPBACK, deadlineMs });
  t.teardown(() => poster.close());
  return poster;
}

t.test('a gzip bomb is kept as it came', async (t) => {
  const receiver = await startReceiver(t);
  const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
  receiver.behave((_received, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  const before = process.memoryUsage().rss;
  const result = await open(t).post(receiver.url, {}, BODY);
  t.match(result, { kind: 'answer', status: 200 });
  t.ok(result.kind === 'answer' && result.excerpt.length <= KEPT_BYTES);
  t.ok(process.memoryUsage().rss - before < 16 * 1024 * 1024, 'it was not unpacked');
});

t.test('a body that breaks off: the status stands', async (t) => {
  const receiver = await startReceiver(t);
  receiver.behave((_received, response) => {
    response.writeHead(503, { 'content-length': '100' });
    response.write('some', () => response.destroy());
  });
  t.match(await open(t).post(receiver.url, {}, BODY), { kind: 'answer', status: 503 });
});

t.test('a connection for each request, again and again', async (t) => {
  const receiver = await startReceiver(t);
  receiver.behave(answerWith(200, { connection: 'close' }));
  const poster = open(t);
  for (let round = 0; round < 50; round += 1) {
    t.match(await poster.post(receiver.url, {}, BODY), { kind: 'answer', status: 200 });
  }
  await waitUntil('no connection is left', () => receiver.connections() === 0);
});

t.test('many origins: sockets are bounded', async (t) => {
  const receiver = await startReceiver(t);
  // Hundreds of TLS handshakes in one process: on a busy machine some take longer than a delivery may.
  const poster = open(t, 30_000);
  let most = 0;
  for (let from = 0; from < MANY; from += AT_ONCE) {
    const results = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        poster.post(`https://o${from + index}.many.test:${receiver.port}/`, {}, BODY),
      ),
    );
    if (!results.every((result) => result.kind === 'answer')) t.match(results, { length: 0 });
    most = Math.max(most, receiver.connections());
  }
  t.equal(receiver.received.length, MANY);
  t.ok(most <= ORIGINS + 2 * AT_ONCE, `${most} connections at once`);
  await poster.close();
  await waitUntil('none is left', () => receiver.connections() === 0);
});
