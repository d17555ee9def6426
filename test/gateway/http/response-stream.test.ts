// Streamed bodies: complete, at the pace of the client, and cut when they cannot be complete.
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { type BodyChunks, replyWithStream } from '#gateway/routing/response.js';
import { defineOpenRoute } from '#gateway/routing/route.js';
import { WAIT_MS, waitUntil } from '#ops/dev/launch/wait-until.js';
import { type OwnTarget, startTarget } from '#test/support/http/target.js';
import { waitUntilQuiet } from '#test/support/waits/quiet.js';

const PIECE = 'é'.repeat(128 * 1024);
const PIECE_BYTES = Buffer.byteLength(PIECE);
const LAST_CHUNK = '\r\n0\r\n\r\n';
/** More than the kernel's buffers of both ends hold. */
const PIECES = 256;
const MAX_AHEAD_BYTES = (PIECES / 2) * PIECE_BYTES;

interface Source {
  readonly pieces: BodyChunks;
  asked: number;
  returned: number;
}

function createSource(count: number, failsAt = Infinity): Source {
  const source: Source = {
    asked: 0,
    returned: 0,
    pieces: {
      next: () => {
        source.asked += 1;
        if (source.asked > failsAt) return Promise.reject(new Error('the store is away'));
        const isOver = source.asked > count;
        return Promise.resolve(
          isOver ? { done: true, value: undefined } : { done: false, value: PIECE },
        );
      },
      return: () => {
        source.returned += 1;
        return Promise.resolve();
      },
    },
  };
  return source;
}

let source = createSource(0);
const target: OwnTarget = await startTarget({
  routes: [
    defineOpenRoute({
      method: 'GET',
      path: '/file',
      cpuUs: 100,
      summary: 'A file',
      answers: { 200: null },
      handle: () => replyWithStream('text/csv', source.pieces),
    }),
    defineOpenRoute({
      method: 'GET',
      path: '/later',
      cpuUs: 100,
      summary: 'A file, after a while',
      answers: { 200: null },
      handle: () =>
        new Promise((resolve) =>
          setImmediate(() => resolve(replyWithStream('text/csv', source.pieces))),
        ),
    }),
  ],
});
const buildUrl = (path: string): string => `http://127.0.0.1:${target.port}${path}`;

interface Reader {
  readonly socket: Socket;
  bytes: number;
  tail: string;
  isClosed: boolean;
}

/** A client that reads nothing until its socket is resumed. */
function openReader(path: string): Reader {
  const socket = connect(target.port, '127.0.0.1');
  const reader: Reader = { socket, bytes: 0, tail: '', isClosed: false };
  socket.on('data', (chunk) => {
    reader.bytes += chunk.length;
    reader.tail = (reader.tail + chunk.toString('latin1')).slice(-LAST_CHUNK.length);
  });
  socket.on('close', () => (reader.isClosed = true));
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return reader;
}

/** Client and server share this process, so a source that is read no more is held up. */
async function waitUntilHeldUp(): Promise<void> {
  await waitUntil('the source is read', () => source.asked > 0);
  await waitUntilQuiet('the source is held up', () => source.asked);
}

const waitUntilIdle = (): Promise<unknown> =>
  waitUntil('nothing is in flight', () => target.server.inFlight === 0);

t.test('a streamed body arrives complete and the connection is kept', async (t) => {
  for (const path of ['/file', '/later']) {
    source = createSource(5);
    const answer = await fetch(buildUrl(path));
    t.equal(answer.headers.get('content-type'), 'text/csv');
    t.equal(await answer.text(), PIECE.repeat(5));
    t.same([source.asked, source.returned], [6, 0]);
    t.equal((await fetch(buildUrl('/healthz'))).status, 200);
  }
  source = createSource(0);
  t.equal(await (await fetch(buildUrl('/file'))).text(), '');
});

t.test('HEAD reads nothing from the source', async (t) => {
  source = createSource(5);
  const answer = await fetch(buildUrl('/file'), { method: 'HEAD' });
  t.same([answer.status, source.asked, source.returned], [200, 0, 1]);
});

t.test('a client that does not read holds the source up', async (t) => {
  source = createSource(PIECES);
  const reader = openReader('/later');
  await waitUntilHeldUp();
  t.ok(source.asked * PIECE_BYTES < MAX_AHEAD_BYTES, `${source.asked} pieces ahead`);
  t.equal(target.server.inFlight, 1);
  reader.socket.resume();
  await waitUntil('the whole is there', () => reader.tail === LAST_CHUNK);
  t.ok(reader.bytes > PIECES * PIECE_BYTES);
  t.same([source.asked, source.returned], [PIECES + 1, 0]);
  reader.socket.destroy();
  await waitUntilIdle();
});

t.test('a client that disconnects ends the source', async (t) => {
  source = createSource(PIECES);
  const reader = openReader('/file');
  await waitUntilHeldUp();
  const { asked } = source;
  reader.socket.destroy();
  await waitUntil('it is told', () => source.returned === 1);
  await waitUntilIdle();
  t.ok(source.asked <= asked + 1, 'no more was asked for');
});

t.test('a source that fails cuts the connection', async (t) => {
  source = createSource(PIECES, 3);
  const reader = openReader('/later');
  reader.socket.resume();
  await waitUntil('it is closed', () => reader.isClosed);
  t.ok(reader.bytes >= PIECE_BYTES, 'something came');
  t.not(reader.tail, LAST_CHUNK);
  t.equal(source.returned, 1);
  t.match(target.failures.at(-1), { err: /the store is away/ });
  source = createSource(PIECES, 3);
  await t.rejects(fetch(buildUrl('/file')).then((answer) => answer.text()));
  await waitUntilIdle();
});

// The last test, because it stops the server.
t.test('a server that stops completes a begun body', async (t) => {
  source = createSource(PIECES);
  const reader = openReader('/file');
  await waitUntilHeldUp();
  const stopped = target.server.stop(WAIT_MS);
  reader.socket.resume();
  await stopped;
  await waitUntil('the whole is there', () => reader.tail === LAST_CHUNK);
  t.ok(reader.bytes > PIECES * PIECE_BYTES);
});
