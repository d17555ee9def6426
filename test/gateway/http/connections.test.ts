import { once } from 'node:events';
import t from 'tap';
import { Client } from 'undici';
import { ConnectionLimit, countConnections } from '#gateway/http/connection-limit.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { speak } from '#test/support/http/raw.js';
import { startTarget } from '#test/support/http/target.js';

/** A limit on a socket table that the test writes. */
function createLimit(limit: number) {
  const stage = { nowMs: 0, table: new Map<string, number>(), readings: 0 };
  const connections = new ConnectionLimit({
    limit,
    isExempt: (address) => address === 'proxy',
    count: () => {
      stage.readings += 1;
      return stage.table;
    },
    monotonicMs: () => stage.nowMs,
  });
  const takeAll = (address: string, count: number): number =>
    Array.from({ length: count }, () => connections.take(address)).filter((taken) => taken).length;
  return { connections, stage, takeAll };
}

t.test('the table is not read while the total is within the limit', (test) => {
  const { takeAll, stage } = createLimit(10);
  test.equal(takeAll('a', 10), 10);
  test.equal(stage.readings, 0);
  test.end();
});

t.test('connections in the accept queue are counted once', (test) => {
  const { takeAll, stage } = createLimit(10);
  test.equal(takeAll('b', 10), 10);
  stage.table = new Map([
    ['b', 10],
    ['a', 8],
  ]);
  test.equal(takeAll('a', 8), 8, 'all eight were in the table when the first was taken');
  test.equal(takeAll('a', 5), 2, 'the ones after them are added');
  test.equal(takeAll('b', 1), 0);
  test.equal(stage.readings, 1);
  test.end();
});

t.test('a closed connection frees its place at the next reading', (test) => {
  const { connections, takeAll, stage } = createLimit(2);
  stage.table = new Map([['a', 2]]);
  test.equal(takeAll('a', 3), 2);
  connections.release();
  connections.release();
  takeAll('b', 2);
  stage.nowMs = 1_000;
  stage.table = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  test.equal(takeAll('a', 1), 1);
  test.end();
});

t.test('a network of many IPv6 clients is limited as a whole', (test) => {
  const { takeAll } = createLimit(2);
  const openFrom = (group: number): number => takeAll(`2001:db8:1:${group.toString(16)}::1`, 3);
  const openAll = (groups: readonly number[]): number =>
    groups.map(openFrom).reduce((sum, taken) => sum + taken, 0);
  const firstGroups = Array.from({ length: 8 }, (_, index) => index);
  test.equal(openAll(firstGroups), 4 * 2 + 2, 'one /56, of which two passed before the reading');
  const nextGroups = Array.from({ length: 64 }, (_, index) => (index + 1) * 256);
  test.equal(openAll(nextGroups), 16 * 2 - 4 * 2, 'the rest of the /48');
  test.equal(takeAll('2001:db8:2::1', 3), 2, 'another /48');
  test.end();
});

t.test('a limit of 0 and a trusted proxy are unlimited', (test) => {
  test.equal(createLimit(0).takeAll('a', 100), 100);
  test.equal(createLimit(5).takeAll('proxy', 100), 100);
  test.end();
});

t.test(
  'connections are counted from the socket table of the kernel',
  { skip: process.platform !== 'linux' },
  async (test) => {
    const target = await startTarget();
    test.teardown(() => target.server.stop(0));
    let isCounted = false;
    const leave = (): Promise<unknown> => waitUntil('they are counted', () => isCounted);
    const open = Array.from({ length: 3 }, () =>
      speak(target.port, [leave, { end: 'reset' }], { localAddress: '127.0.0.9' }),
    );
    const count = (): number | undefined => countConnections(target.port)?.get('127.0.0.9');
    await waitUntil('the connections are counted', () => count() === 3);
    isCounted = true;
    await Promise.all(open);
  },
);

t.test(
  'a client that keeps connections for long closes an idle one before the server does',
  async (test) => {
    const { server, port } = await startTarget();
    test.teardown(() => server.stop(0));
    const client = new Client(`http://127.0.0.1:${port}`, { keepAliveTimeout: 600_000 });
    test.teardown(() => client.destroy());
    const disconnected = once(client, 'disconnect');
    const answer = await client.request({ path: '/healthz', method: 'GET' });
    await answer.body.text();
    const [, , reason] = (await disconnected) as unknown[];
    test.match(reason, { message: 'socket idle timeout' });
  },
);
