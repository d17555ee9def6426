// The queue of costly work: turns between clients, and its bounds.
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { FairQueue } from '#gateway/limits/fair-queue.js';
import { OverloadedError, TooManyWaitingError } from '#gateway/routing/store-failures.js';
import { GivenClock } from '#test/support/waits/given-clock.js';

const BOUNDS = { atOnce: 1, waiting: 6, waitingPerClient: 3 };

/** A queue whose works end when the test says so. */
function openQueue() {
  const queue = new FairQueue(BOUNDS);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const refused: [string, unknown][] = [];
  const works: Promise<void>[] = [];
  const add = (client: string | readonly string[], name: string): void => {
    const work = (): Promise<void> => {
      begun.push(name);
      return new Promise((resolve) => ends.push(resolve));
    };
    const done = queue.run([client].flat(), work).catch((error: unknown) => {
      refused.push([name, (error as Error).constructor]);
    });
    works.push(done);
  };
  const finishAll = async (): Promise<void> => {
    let isOver = false;
    const over = Promise.all(works).then(() => (isOver = true));
    while (!isOver) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
    await over;
  };
  return { add, begun, refused, finishAll };
}

t.test('works of different clients take turns', async (t) => {
  const { add, begun, refused, finishAll } = openQueue();
  for (const name of ['a1', 'a2', 'a3']) add('a', name);
  for (const name of ['b1', 'c1', 'b2']) add(name.slice(0, 1), name);
  await finishAll();
  t.same(begun, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  t.same(refused, []);
});

t.test('a client with too many waiting works is refused, and another one goes on', async (t) => {
  const { add, begun, refused, finishAll } = openQueue();
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) add('a', name);
  add('b', 'b1');
  await finishAll();
  t.same(refused, [['a5', TooManyWaitingError]]);
  t.same(begun, ['a1', 'a2', 'b1', 'a3', 'a4']);
});

t.test(
  'in a full queue the client with the most works makes room for one with fewer',
  async (t) => {
    const { add, begun, refused, finishAll } = openQueue();
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3']) add(name.slice(0, 1), name);
    for (const name of ['c1', 'd1', 'e1']) add(name.slice(0, 1), name);
    await finishAll();
    t.same(
      refused,
      [
        ['b3', TooManyWaitingError],
        ['a4', TooManyWaitingError],
        ['b2', TooManyWaitingError],
      ],
      'of equal ones the one whose turn comes last',
    );
    t.same(begun, ['a1', 'a2', 'b1', 'c1', 'd1', 'e1', 'a3']);
  },
);

t.test('a queue full of clients with one work each is overloaded', async (t) => {
  const { add, refused, finishAll } = openQueue();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) add(name, name);
  await finishAll();
  t.same(refused, [['h', OverloadedError]]);
});

t.test('networks take turns before the clients inside them', async (t) => {
  const { add, begun, refused, finishAll } = openQueue();
  for (const name of ['a', 'b', 'c', 'd']) add(['wide', name], name);
  for (const name of ['e', 'f']) add(name, name);
  add(['wide', 'b'], 'b2');
  await finishAll();
  t.same(begun, ['a', 'b', 'e', 'f', 'c', 'd', 'b2']);
  t.same(refused, []);
});

t.test('a network whose clients fill the queue makes room for another one', async (t) => {
  const { add, begun, refused, finishAll } = openQueue();
  const clients = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  for (const name of clients) add(['wide', name], name);
  add(['other', 'i'], 'i');
  add('j', 'j');
  await finishAll();
  t.same(refused, [
    ['h', OverloadedError],
    ['g', TooManyWaitingError],
    ['f', TooManyWaitingError],
  ]);
  t.same(begun, ['a', 'b', 'i', 'j', 'c', 'd', 'e']);
});

t.test('the networks inside a network have equal parts of it', async (t) => {
  const { add, begun, refused, finishAll } = openQueue();
  const clients = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  for (const name of clients) add(['48', '56', name], name);
  add(['48', 'other 56', 'h'], 'h');
  await finishAll();
  t.same(refused, [['g', TooManyWaitingError]]);
  t.same(begun, ['a', 'b', 'h', 'c', 'd', 'e', 'f']);
});

t.test('a queue that had works of networks is empty afterwards', async (t) => {
  const { add, begun, refused, finishAll } = openQueue();
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) add(['wide', name], name);
  for (const name of ['h', 'i']) add(name, name);
  await finishAll();
  const before = begun.length;
  for (const name of ['k', 'l', 'm', 'n', 'o', 'p', 'q']) add(['wide', name], name);
  await finishAll();
  t.same(begun.slice(before), ['k', 'l', 'm', 'n', 'o', 'p', 'q']);
  t.same(
    refused.map(([name]) => name),
    ['g', 'f'],
  );
});

t.test('a work that fails passes its slot on', async (t) => {
  const queue = new FairQueue(BOUNDS);
  const failing = queue.run(['a'], () => Promise.reject(new Error('no')));
  const next = queue.run(['b'], () => Promise.resolve('done'));
  await t.rejects(failing, { message: 'no' });
  t.equal(await next, 'done');
  t.equal(await queue.run(['c'], () => Promise.resolve('again')), 'again');
});

t.test('a slot rests after more works than need no rest', async (t) => {
  const clock = new GivenClock(1_000);
  const rest = { ms: 50, worksBefore: 2 };
  const queue = new FairQueue({ atOnce: 1, waiting: 4, waitingPerClient: 4, rest }, clock);
  const begun: string[] = [];
  const run = (name: string): Promise<void> =>
    queue.run(['a'], () => {
      begun.push(name);
      return Promise.resolve();
    });
  const works = ['first', 'second', 'third', 'fourth'].map(run);
  await works[2];
  await nextTurn();
  clock.advance(49);
  await nextTurn();
  t.strictSame(begun, ['first', 'second', 'third'], 'it rests');
  clock.advance(1);
  await nextTurn();
  t.strictSame(begun, ['first', 'second', 'third', 'fourth']);
});

for (const [workMs, restMs] of [
  [3, 30],
  [20, 60],
] as const) {
  t.test(`after a work of ${workMs} ms a slot rests for ${restMs} ms`, async (t) => {
    const clock = new GivenClock(1_000);
    const perWork = { times: 10, maxMs: 60 };
    const queue = new FairQueue({ ...BOUNDS, rest: { ms: 1, worksBefore: 0, perWork } }, clock);
    let hasBegun = false;
    void queue.run(['a'], () => clock.sleep(workMs));
    void queue.run(['b'], () => Promise.resolve(void (hasBegun = true)));
    clock.advance(workMs);
    await nextTurn();
    clock.advance(restMs - 1);
    await nextTurn();
    t.notOk(hasBegun, 'it rests');
    clock.advance(1);
    await nextTurn();
    t.ok(hasBegun, 'it has rested');
  });
}
