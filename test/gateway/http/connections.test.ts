import t from 'tap';
import { ConnectionLimit, countConnections } from '#gateway/http/connection-limit.js';
import { speak } from '#test/support/http/raw.js';
import { startTarget } from '#test/support/http/target.js';

/** A limit on a kernel's table that the test writes. */
function stand(limit: number) {
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

t.test('the table is not read while all connections together are within the bound', (test) => {
  const { takeAll, stage } = stand(10);
  test.equal(takeAll('a', 10), 10);
  test.equal(stage.readings, 0);
  test.end();
});

t.test('connections that wait in the queue are in the table, and not counted twice', (test) => {
  const { takeAll, stage } = stand(10);
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

t.test('what closed is free again at the next reading', (test) => {
  const { connections, takeAll, stage } = stand(2);
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

t.test('0 is no bound, and proxies have none', (test) => {
  test.equal(stand(0).takeAll('a', 100), 100);
  test.equal(stand(5).takeAll('proxy', 100), 100);
  test.end();
});

t.test('the kernel’s table', { skip: process.platform !== 'linux' }, async (test) => {
  const target = await startTarget();
  test.teardown(() => target.server.stop(0));
  const open = Array.from({ length: 3 }, () =>
    speak(target.port, [300], { localAddress: '127.0.0.9', forMs: 400 }),
  );
  await new Promise((resolve) => setTimeout(resolve, 150));
  test.equal(countConnections(target.port)?.get('127.0.0.9'), 3);
  await Promise.all(open);
});
