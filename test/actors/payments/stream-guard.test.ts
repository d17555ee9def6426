// How often the streams are maintained, on a clock of the test and modelled stores.
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import { createLoopMetrics } from '#actors/payments/loop-metrics.js';
import { createOwnedPartition } from '#actors/payments/owned-partition.js';
import { StreamClock } from '#actors/payments/stream-clock.js';
import { startStreamGuard, type StreamGuardDeps } from '#actors/payments/stream-guard.js';
import { createRegistry } from '#ops/runtime/metrics.js';
import { SILENT_LOG } from '#test/support/actors/loop.js';
import { at } from '#test/support/actors/batches.js';

const ROUND_MS = 500;

/** Each step is one round of the guard. */
function openScene(t: { teardown: (work: () => Promise<void>) => void }) {
  const time = { ms: 0 };
  const owned = new Map([
    [0, createOwnedPartition({ partition: 0, epoch: 1n, position: at(0, 1), counts: [1] })],
  ]);
  const maintained: number[] = [];
  const registry = createRegistry();
  let isFailing = false;
  let endWait = (): void => {};
  const clock = {
    nowMs: () => time.ms,
    monotonicMs: () => time.ms,
    sleep: () => new Promise<void>((resolve) => (endWait = resolve)),
    startTimer: (_ms: number, onOver: () => void) => {
      endWait = onOver;
      return () => {};
    },
    endTurn: (onOver: () => void) => setImmediate(onOver),
  };
  const streams = {
    isMemoryShort: () => Promise.resolve(false),
    maintain: () => {
      if (isFailing) return Promise.reject(new Error('away'));
      maintained.push(time.ms);
      return Promise.resolve(new Map([[0, { repair: 'sound' as const, backlogMs: 7_000 }]]));
    },
  };
  const guard = startStreamGuard({
    ...{ clock, owned, streams, retainMs: 0, confirmedAtMs: () => 0 },
    ...{ metrics: createLoopMetrics(registry, () => 1), log: SILENT_LOG },
    redis: { status: 'ready' } as unknown as StreamGuardDeps['redis'],
    streamClock: new StreamClock({ clock, readTime: () => Promise.resolve(time.ms) }),
  });
  t.teardown(() => guard.stop());
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 4; turns += 1) await nextTurn();
  };
  return {
    maintained,
    readBacklog: async () =>
      /^kasir_partition_backlog_seconds\{partition="0"\} (\S+)$/m.exec(
        await registry.metrics(),
      )?.[1],
    move: () => owned.delete(0),
    setFailing: (value: boolean) => (isFailing = value),
    commit: (ms: number) => {
      const one = owned.get(0);
      if (one) one.position = at(ms, 0);
    },
    run: async (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        await settle();
        time.ms += ROUND_MS;
        endWait();
      }
      await settle();
    },
  };
}

t.test(
  'streams are maintained in each round for 10 s after a commit, then every 2 s',
  async (t) => {
    const { maintained, run, commit } = openScene(t);
    await run(20);
    t.strictSame(maintained.slice(0, 4), [0, 500, 1_000, 1_500]);
    maintained.length = 0;
    await run(12);
    t.strictSame(
      maintained.map((ms, index) => ms - (maintained[index - 1] ?? ms - 2_000)),
      [2_000, 2_000, 2_000],
    );
    commit(1);
    maintained.length = 0;
    await run(4);
    t.equal(maintained.length, 4, 'a commit ends the rest');
  },
);

t.test('a maintenance that fails is repeated in the next round, also while idle', async (t) => {
  const { maintained, run, setFailing } = openScene(t);
  await run(40);
  setFailing(true);
  await run(8);
  setFailing(false);
  maintained.length = 0;
  await run(1);
  t.equal(maintained.length, 1);
});

t.test('a partition that moved leaves no backlog behind at its former owner', async (t) => {
  const { run, move, readBacklog } = openScene(t);
  await run(1);
  t.equal(await readBacklog(), '7');
  move();
  await run(1);
  t.equal(await readBacklog(), undefined);
});
