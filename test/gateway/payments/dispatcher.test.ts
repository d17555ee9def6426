// Sending commands and finding out what became of them, with a stream, replies and a store in the hand of
// the test, and a clock that it moves. Only the sweep runs by real time, four times a second.
import t, { type Test } from 'tap';
import { type CommandAnswer, type Dispatch, Dispatcher } from '#gateway/commands/dispatcher.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import type { FramedCommand, SendResult } from '#store/redis/commands.js';

const LOOK_UP_AFTER_MS = 1_500;
const WAIT_MS = 10_000;
const MOMENT_MS = 5_000;

type Frames = ReadonlyMap<number, readonly FramedCommand[]>;

interface Scene {
  readonly dispatcher: Dispatcher;
  /** The frames of each pipeline. */
  readonly sent: Frames[];
  readonly state: {
    nowMs: number;
    result: SendResult;
    refusal: 'overloaded' | undefined;
    stored: Map<string, string>;
    isStoreStuck: boolean;
    lookUps: number;
  };
  readonly errors: unknown[];
}

function openScene(t: Test): Scene {
  const state: Scene['state'] = {
    nowMs: 0,
    result: 'accepted',
    refusal: undefined,
    stored: new Map(),
    isStoreStuck: false,
    lookUps: 0,
  };
  const sent: Frames[] = [];
  const errors: unknown[] = [];
  const dispatcher = new Dispatcher({
    send: (frames) => {
      sent.push(frames);
      return Promise.resolve(new Map([...frames.keys()].map((id) => [id, state.result])));
    },
    loadSnapshots: () => {
      state.lookUps += 1;
      return state.isStoreStuck ? new Promise(() => {}) : Promise.resolve(new Map(state.stored));
    },
    findRejection: () => state.refusal,
    monotonicMs: () => state.nowMs,
    onError: (error) => errors.push(error),
  });
  t.teardown(() => {
    dispatcher.stop();
  });
  return { dispatcher, sent, state, errors };
}

/** A command for `paymentId`; its stored snapshot is the outcome that it is recognized as. */
const command = (paymentId: string, partition = 0): Dispatch => ({
  paymentId,
  partition,
  text: `create ${paymentId}`,
  waitMs: WAIT_MS,
  recognize: (snapshot) => {
    if (snapshot === 'damaged') throw new Error('cannot be read');
    return { kind: 'reply', outcome: snapshot, body: 'stored' };
  },
});

const flushed = (scene: Scene, count = 1): Promise<unknown> =>
  waitUntil('it is sent', MOMENT_MS, () => scene.sent.length >= count);

const lookedUp = (scene: Scene, count: number): Promise<unknown> =>
  waitUntil('it is looked up', MOMENT_MS, () => scene.state.lookUps >= count);

const replyTo = (scene: Scene, outcome: string): void => {
  const correlation = [...(scene.sent[0]?.values() ?? [])][0]?.[0]?.correlation ?? '';
  scene.dispatcher.accept({ correlation, outcome, body: 'replied' });
};

t.test('those who wait for one rail take no places of the others', async (t) => {
  const { dispatcher, state } = openScene(t);
  const waiting = Array.from({ length: 1_536 }, () =>
    dispatcher.dispatch({ ...command('live'), waitsAt: 'midtrans' }),
  );
  const full = await dispatcher.dispatch({ ...command('live'), waitsAt: 'midtrans' });
  t.strictSame(full, { kind: 'not_accepted', code: 'overloaded' });
  const rest = [
    dispatcher.dispatch({ ...command('live'), waitsAt: 'xendit' }),
    ...Array.from({ length: 1_000 }, () => dispatcher.dispatch(command('test'))),
  ];
  t.equal(dispatcher.inFlight, waiting.length + rest.length, 'all of these are taken');
  state.nowMs = WAIT_MS + 1;
  await Promise.all([...waiting, ...rest]);
  const again = dispatcher.dispatch({ ...command('live'), waitsAt: 'midtrans' });
  t.equal(dispatcher.inFlight, 1, 'their places are free again');
  state.nowMs *= 2;
  await again;
});

t.test('the commands of a turn leave in one pipeline, a frame a partition', async (t) => {
  const scene = openScene(t);
  for (const partition of [3, 5, 3]) void scene.dispatcher.dispatch(command('pay', partition));
  await flushed(scene);
  t.strictSame(
    [...(scene.sent[0] ?? [])].map(([partition, commands]) => [partition, commands.length]),
    [
      [3, 2],
      [5, 1],
    ],
  );
  for (let index = 0; index < 65; index += 1) void scene.dispatcher.dispatch(command('pay'));
  await flushed(scene, 3);
  t.strictSame(
    scene.sent.slice(1).map((frames) => frames.get(0)?.length),
    [64, 1],
    'a frame is bounded',
  );
});

t.test('a reply answers whoever waits for it, once', async (t) => {
  const scene = openScene(t);
  const answer = scene.dispatcher.dispatch(command('pay'));
  await flushed(scene);
  t.equal(scene.dispatcher.inFlight, 1);
  scene.dispatcher.accept({ correlation: 'another', outcome: 'done', body: '' });
  replyTo(scene, 'created');
  replyTo(scene, 'replayed');
  t.strictSame(await answer, { kind: 'reply', outcome: 'created', body: 'replied' });
  t.equal(scene.dispatcher.inFlight, 0);
});

t.test('a late reply never answers another request', async (t) => {
  const scene = openScene(t);
  const first = scene.dispatcher.dispatch(command('first'));
  await flushed(scene);
  replyTo(scene, 'created');
  await first;
  const second = scene.dispatcher.dispatch(command('second'));
  await flushed(scene, 2);
  replyTo(scene, 'created');
  t.equal(scene.dispatcher.inFlight, 1, 'it waits for its own');
  const correlation = scene.sent[1]?.get(0)?.[0]?.correlation ?? '';
  scene.dispatcher.accept({ correlation, outcome: 'done', body: 'its own' });
  t.strictSame(await second, { kind: 'reply', outcome: 'done', body: 'its own' });
});

t.test('what the stream did not take is refused at once', async (t) => {
  const scene = openScene(t);
  scene.state.result = 'refused';
  const refused = { kind: 'not_accepted', code: 'dependency_unavailable' } as const;
  t.strictSame(await scene.dispatcher.dispatch(command('pay')), refused);
  scene.state.refusal = 'overloaded';
  const overloaded = { kind: 'not_accepted', code: 'overloaded' } as const;
  t.strictSame(await scene.dispatcher.dispatch(command('pay')), overloaded);
  t.equal(scene.sent.length, 1);
});

t.test('commands in flight are bounded by number and by size', async (t) => {
  const scene = openScene(t);
  const overloaded = { kind: 'not_accepted', code: 'overloaded' } as const;
  for (let index = 0; index < 2_048; index += 1) void scene.dispatcher.dispatch(command('pay'));
  t.strictSame(await scene.dispatcher.dispatch(command('pay')), overloaded);
  const other = openScene(t);
  const large = { ...command('pay'), text: 'x'.repeat(17 * 1024 * 1024) };
  void other.dispatcher.dispatch(large);
  t.strictSame(await other.dispatcher.dispatch(large), overloaded);
});

t.test('an outcome without a reply is looked up', async (t) => {
  const scene = openScene(t);
  scene.state.result = 'unknown';
  const answer = scene.dispatcher.dispatch(command('pay'));
  const damaged = scene.dispatcher.dispatch(command('damaged'));
  scene.state.stored.set('pay', 'unchanged').set('damaged', 'damaged');
  scene.state.nowMs = LOOK_UP_AFTER_MS;
  t.strictSame(await answer, { kind: 'reply', outcome: 'unchanged', body: 'stored' });
  t.equal(scene.errors.length, 1, 'one that cannot be read keeps no other from its answer');
  scene.state.nowMs = WAIT_MS;
  t.strictSame(await damaged, { kind: 'unanswered' });
});

t.test('what looks like a replay waits for the reply, which can tell', async (t) => {
  const scene = openScene(t);
  const answer = scene.dispatcher.dispatch(command('pay'));
  await flushed(scene);
  scene.state.stored.set('pay', 'replayed');
  scene.state.nowMs = LOOK_UP_AFTER_MS;
  await lookedUp(scene, 1);
  replyTo(scene, 'created');
  t.match(await answer, { outcome: 'created' });
});

t.test('a replay is told when it is found again, or time is over', async (t) => {
  for (const laterMs of [1_000, WAIT_MS - LOOK_UP_AFTER_MS]) {
    const scene = openScene(t);
    let answer: CommandAnswer | undefined;
    void scene.dispatcher.dispatch(command('pay')).then((told) => (answer = told));
    scene.state.stored.set('pay', 'replayed');
    scene.state.nowMs = LOOK_UP_AFTER_MS;
    await lookedUp(scene, 1);
    t.equal(answer, undefined);
    scene.state.isStoreStuck = laterMs > 1_000;
    scene.state.nowMs += laterMs + (scene.state.isStoreStuck ? 1_000 : 0);
    await waitUntil('it is told', MOMENT_MS, () => answer !== undefined);
    t.match(answer, { kind: 'reply', outcome: 'replayed' });
  }
});

t.test('a store that does not answer keeps nobody beyond a deadline', async (t) => {
  const scene = openScene(t);
  scene.state.isStoreStuck = true;
  const answer = scene.dispatcher.dispatch(command('pay'));
  scene.state.nowMs = LOOK_UP_AFTER_MS;
  await lookedUp(scene, 1);
  scene.state.nowMs = WAIT_MS + 1_000;
  t.strictSame(await answer, { kind: 'unanswered' });
  t.equal(scene.dispatcher.inFlight, 0);
});
