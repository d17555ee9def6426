// The dispatcher with a stream, replies, a store and a clock that the test controls. Only its sweep runs in real time, four
// times a second.
import t, { type Test } from 'tap';
import { type CommandAnswer, type Dispatch, Dispatcher } from '#gateway/commands/dispatcher.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import type { SendResult } from '#store/redis/commands.js';
import type { FramedCommand } from '#store/redis/frames.js';

const LOOK_UP_AFTER_MS = 1_500;
const WAIT_MS = 10_000;

type Frames = ReadonlyMap<number, readonly FramedCommand[]>;

interface Fixture {
  readonly dispatcher: Dispatcher;
  /** The frames of each pipeline. */
  readonly sent: Frames[];
  readonly state: {
    nowMs: number;
    result: SendResult;
    rejection: 'overloaded' | undefined;
    stored: Map<string, string>;
    isStoreStuck: boolean;
    lookUps: number;
  };
  readonly errors: unknown[];
}

function openFixture(t: Test): Fixture {
  const state: Fixture['state'] = {
    nowMs: 0,
    result: 'accepted',
    rejection: undefined,
    stored: new Map(),
    isStoreStuck: false,
    lookUps: 0,
  };
  const sent: Frames[] = [];
  const errors: unknown[] = [];
  const dispatcher = new Dispatcher({
    findPartition: (paymentId) => Number(/\d+$/.exec(paymentId)?.[0] ?? 0),
    send: (frames) => {
      sent.push(frames);
      return Promise.resolve(new Map([...frames.keys()].map((id) => [id, state.result])));
    },
    loadSnapshots: () => {
      state.lookUps += 1;
      return state.isStoreStuck ? new Promise(() => {}) : Promise.resolve(new Map(state.stored));
    },
    findRejection: () => state.rejection,
    clock: { ...SYSTEM_CLOCK, monotonicMs: () => state.nowMs },
    onError: (error) => errors.push(error),
  });
  t.teardown(() => {
    dispatcher.stop();
  });
  return { dispatcher, sent, state, errors };
}

/** A command for `paymentId`; its stored snapshot is the outcome that it is recognized as. */
const command = (paymentId: string): Dispatch => ({
  paymentId,
  text: `create ${paymentId}`,
  waitMs: WAIT_MS,
  recognize: (snapshot) => {
    if (snapshot === 'damaged') throw new Error('cannot be read');
    return { kind: 'reply', outcome: snapshot, body: 'stored' };
  },
});

const flushed = (fixture: Fixture, count = 1): Promise<unknown> =>
  waitUntil('it is sent', () => fixture.sent.length >= count);

const lookedUp = (fixture: Fixture, count: number): Promise<unknown> =>
  waitUntil('it is looked up', () => fixture.state.lookUps >= count);

const replyTo = (fixture: Fixture, outcome: string): void => {
  const correlation = [...(fixture.sent[0]?.values() ?? [])][0]?.[0]?.correlation ?? '';
  fixture.dispatcher.accept({ correlation, outcome, body: 'replied' });
};

t.test('commands that wait for one rail leave places for the others', async (t) => {
  const { dispatcher, state } = openFixture(t);
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

t.test('the commands of a turn are sent in one pipeline with a frame per partition', async (t) => {
  const fixture = openFixture(t);
  for (const partition of [3, 5, 3]) void fixture.dispatcher.dispatch(command(`pay_${partition}`));
  await flushed(fixture);
  t.strictSame(
    [...(fixture.sent[0] ?? [])].map(([partition, commands]) => [partition, commands.length]),
    [
      [3, 2],
      [5, 1],
    ],
  );
  for (let index = 0; index < 65; index += 1) void fixture.dispatcher.dispatch(command('pay'));
  await flushed(fixture, 3);
  t.strictSame(
    fixture.sent.slice(1).map((frames) => frames.get(0)?.length),
    [64, 1],
    'a frame is bounded',
  );
});

t.test('a reply answers its command once', async (t) => {
  const fixture = openFixture(t);
  const answer = fixture.dispatcher.dispatch(command('pay'));
  await flushed(fixture);
  t.equal(fixture.dispatcher.inFlight, 1);
  for (const correlation of ['another', '~1', '']) {
    t.notOk(fixture.dispatcher.accept({ correlation, outcome: 'done', body: '' }), 'not its own');
  }
  replyTo(fixture, 'created');
  replyTo(fixture, 'replayed');
  t.strictSame(await answer, { kind: 'reply', outcome: 'created', body: 'replied' });
  t.equal(fixture.dispatcher.inFlight, 0);
});

t.test('a late reply never answers another command', async (t) => {
  const fixture = openFixture(t);
  const first = fixture.dispatcher.dispatch(command('first'));
  await flushed(fixture);
  replyTo(fixture, 'created');
  await first;
  const second = fixture.dispatcher.dispatch(command('second'));
  await flushed(fixture, 2);
  replyTo(fixture, 'created');
  t.equal(fixture.dispatcher.inFlight, 1, 'it waits for its own');
  const correlation = fixture.sent[1]?.get(0)?.[0]?.correlation ?? '';
  t.ok(fixture.dispatcher.accept({ correlation, outcome: 'done', body: 'its own' }));
  t.strictSame(await second, { kind: 'reply', outcome: 'done', body: 'its own' });
});

t.test('a command that the stream did not take is not_accepted at once', async (t) => {
  const fixture = openFixture(t);
  fixture.state.result = 'refused';
  const refused = { kind: 'not_accepted', code: 'dependency_unavailable' } as const;
  t.strictSame(await fixture.dispatcher.dispatch(command('pay')), refused);
  fixture.state.rejection = 'overloaded';
  const overloaded = { kind: 'not_accepted', code: 'overloaded' } as const;
  t.strictSame(await fixture.dispatcher.dispatch(command('pay')), overloaded);
  t.equal(fixture.sent.length, 1);
});

t.test('commands in flight beyond their number or bytes are overloaded', async (t) => {
  const fixture = openFixture(t);
  const overloaded = { kind: 'not_accepted', code: 'overloaded' } as const;
  for (let index = 0; index < 2_048; index += 1) void fixture.dispatcher.dispatch(command('pay'));
  t.strictSame(await fixture.dispatcher.dispatch(command('pay')), overloaded);
  const other = openFixture(t);
  const large = { ...command('pay'), text: 'x'.repeat(17 * 1024 * 1024) };
  void other.dispatcher.dispatch(large);
  t.strictSame(await other.dispatcher.dispatch(large), overloaded);
});

t.test('the outcome of a command without a reply is looked up', async (t) => {
  const fixture = openFixture(t);
  fixture.state.result = 'unknown';
  const answer = fixture.dispatcher.dispatch(command('pay'));
  const damaged = fixture.dispatcher.dispatch(command('damaged'));
  fixture.state.stored.set('pay', 'unchanged').set('damaged', 'damaged');
  fixture.state.nowMs = LOOK_UP_AFTER_MS;
  t.strictSame(await answer, { kind: 'reply', outcome: 'unchanged', body: 'stored' });
  t.equal(fixture.errors.length, 1, 'one that cannot be read keeps no other from its answer');
  fixture.state.nowMs = WAIT_MS;
  t.strictSame(await damaged, { kind: 'unanswered' });
});

t.test('a look-up that looks like a replay waits for the reply', async (t) => {
  const fixture = openFixture(t);
  const answer = fixture.dispatcher.dispatch(command('pay'));
  await flushed(fixture);
  fixture.state.stored.set('pay', 'replayed');
  fixture.state.nowMs = LOOK_UP_AFTER_MS;
  await lookedUp(fixture, 1);
  replyTo(fixture, 'created');
  t.match(await answer, { outcome: 'created' });
});

t.test('a replay is answered when it is found again or the time is over', async (t) => {
  for (const laterMs of [1_000, WAIT_MS - LOOK_UP_AFTER_MS]) {
    const fixture = openFixture(t);
    let answer: CommandAnswer | undefined;
    void fixture.dispatcher.dispatch(command('pay')).then((told) => (answer = told));
    fixture.state.stored.set('pay', 'replayed');
    fixture.state.nowMs = LOOK_UP_AFTER_MS;
    await lookedUp(fixture, 1);
    t.equal(answer, undefined);
    fixture.state.isStoreStuck = laterMs > 1_000;
    fixture.state.nowMs += laterMs + (fixture.state.isStoreStuck ? 1_000 : 0);
    await waitUntil('it is told', () => answer !== undefined);
    t.match(answer, { kind: 'reply', outcome: 'replayed' });
  }
});

t.test('a hanging store leaves the command unanswered at its deadline', async (t) => {
  const fixture = openFixture(t);
  fixture.state.isStoreStuck = true;
  const answer = fixture.dispatcher.dispatch(command('pay'));
  fixture.state.nowMs = LOOK_UP_AFTER_MS;
  await lookedUp(fixture, 1);
  fixture.state.nowMs = WAIT_MS + 1_000;
  t.strictSame(await answer, { kind: 'unanswered' });
  t.equal(fixture.dispatcher.inFlight, 0);
});
