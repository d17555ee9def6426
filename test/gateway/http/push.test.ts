// WebSockets: admission, pushed texts, and the count of connections.
import { get, type IncomingMessage } from 'node:http';
import t from 'tap';
import { WebSocket } from 'undici';
import { buildApiError } from '#gateway/routing/response.js';
import type { Limit } from '#gateway/limits/limits.js';
import type { PushClient, PushRoute } from '#gateway/routing/route.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { startTarget } from '#test/support/http/target.js';

function createPush(): { route: PushRoute; clients: Map<string, PushClient>; left: string[] } {
  const clients = new Map<string, PushClient>();
  const left: string[] = [];
  const route: PushRoute = {
    path: '/watch/:name/live',
    accepts: (segment) => segment !== 'nobody',
    open: (segment, client) => {
      clients.set(segment, client);
      client.send('hello');
      return () => left.push(segment);
    },
  };
  return { route, clients, left };
}

interface Listener {
  readonly socket: WebSocket;
  readonly heard: string[];
  readonly ended: string[];
}

function listenTo(port: number, path: string): Listener {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  const heard: string[] = [];
  const ended: string[] = [];
  socket.addEventListener('message', ({ data }) => heard.push(String(data)));
  socket.addEventListener('close', () => ended.push('close'));
  socket.addEventListener('error', () => ended.push('error'));
  return { socket, heard, ended };
}

t.test('pushed texts reach their client and a closed connection is counted', async (test) => {
  const { route, clients, left } = createPush();
  const target = await startTarget({ options: { pushes: [route] } });
  test.teardown(() => target.server.stop(0));
  const { socket, heard } = listenTo(target.port, '/watch/one/live');
  await waitUntil('hello', () => heard.length === 1);
  clients.get('one')?.send('news');
  await waitUntil('news', () => heard.length === 2);
  test.same(heard, ['hello', 'news']);
  socket.send('whatever');
  socket.close();
  await waitUntil('the end', () => left.length === 1);
  clients.get('one')?.send('too late');
  await waitUntil('no connection', () => target.server.connections === 0);
  test.same(target.failures, []);
});

t.test('a WebSocket that is not accepted is answered as a plain request', async (test) => {
  const { route } = createPush();
  const target = await startTarget({ options: { pushes: [route] } });
  test.teardown(() => target.server.stop(0));
  const { ended } = listenTo(target.port, '/watch/nobody/live');
  await waitUntil('the refusal', () => ended.length > 0);
  const plain = await fetch(`http://127.0.0.1:${target.port}/watch/one/live`);
  test.equal(plain.status, 404);
  test.match(await plain.json(), { error: { code: 'path_not_found' } });
});

t.test('a WebSocket counts once against its limit, and none opens beyond it', async (test) => {
  const { route, clients } = createPush();
  const subjects: string[] = [];
  const limit: Limit = (kind, { path, address }) => {
    subjects.push(`${kind} ${path} ${address()}`);
    const isWithin = subjects.length === 1;
    return isWithin
      ? { code: null, lines: '' }
      : buildApiError('rate_limited', { retryAfterSeconds: 7 });
  };
  const options = { pushes: [{ ...route, limit: 'checkout' as const }], limit };
  const target = await startTarget({ options });
  test.teardown(() => target.server.stop(0));
  const { heard, socket } = listenTo(target.port, '/watch/one/live');
  await waitUntil('hello', () => heard.length === 1);
  clients.get('one')?.send('news');
  await waitUntil('news', () => heard.length === 2);
  test.strictSame(subjects, ['checkout /watch/one/live 127.0.0.1']);
  const refused = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const url = `http://127.0.0.1:${target.port}/watch/one/live`;
    get(url, { headers }, resolve).on('error', reject);
  });
  test.equal(refused.statusCode, 429);
  test.equal(refused.headers['retry-after'], '7');
  refused.resume();
  socket.close();
  test.same(target.failures, []);
});

t.test('a push route that throws does not end the process', async (test) => {
  const { route } = createPush();
  const open = (): never => {
    throw new Error('bug');
  };
  const target = await startTarget({ options: { pushes: [{ ...route, open }] } });
  test.teardown(() => target.server.stop(0));
  const { socket } = listenTo(target.port, '/watch/one/live');
  await waitUntil('the report', () => target.failures.length > 0);
  socket.close();
  test.equal((await fetch(`http://127.0.0.1:${target.port}/healthz`)).status, 200);
});

t.test('a stop does not wait for open WebSockets', async (test) => {
  const { route } = createPush();
  const target = await startTarget({ options: { pushes: [route] } });
  const { heard, ended } = listenTo(target.port, '/watch/one/live');
  await waitUntil('hello', () => heard.length === 1);
  await target.server.stop(60_000);
  await waitUntil('the close', () => ended.includes('close'));
  test.pass('within its time');
});
