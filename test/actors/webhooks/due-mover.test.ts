// The mover of due deliveries: how long it rests, on a clock that the test turns.
import t, { type Test } from 'tap';
import { startDueMover } from '#actors/webhooks/deliveries/due-mover.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Clock, SYSTEM_CLOCK } from '#ops/runtime/clock.js';
import { createLog } from '#ops/runtime/log.js';
import { alignWait } from '#ops/runtime/loop.js';
import type { MovedDeliveries } from '#store/redis/webhooks/due-list.js';

const NOTHING: MovedDeliveries = { nextInMs: null, deferredLanes: [] };

function openScene(t: Test) {
  const scene = {
    moves: 0,
    nowMs: 0,
    restMs: 0,
    moved: NOTHING,
    lanes: [] as string[],
    endRest: (): void => {},
    /** Waits for the rest that follows the move of this number. */
    waitForMove: (move: number) =>
      waitUntil('the move', () => scene.moves === move && scene.restMs > 0),
    advance: (ms: number): void => {
      scene.nowMs += ms;
      scene.endRest();
    },
  };
  const clock: Clock = {
    ...SYSTEM_CLOCK,
    monotonicMs: () => scene.nowMs,
    startTimer: (ms, onOver) => {
      Object.assign(scene, { restMs: ms, endRest: onOver });
      return () => {
        scene.restMs = 0;
      };
    },
  };
  const mover = startDueMover({
    move: () => {
      scene.moves += 1;
      return Promise.resolve(scene.moved);
    },
    onDeferredLane: ({ endpointId }) => scene.lanes.push(endpointId),
    clock,
    log: createLog({ logLevel: 'silent' }, 'test'),
  });
  t.teardown(() => mover.stop());
  return { scene, mover };
}

t.test('an idle mover looks every second, or when the next delivery is due', async (t) => {
  const { scene } = openScene(t);
  await scene.waitForMove(1);
  t.equal(scene.restMs, 1_000);
  for (const [index, [nextInMs = 0, restMs = 0]] of [
    [40, 40],
    [0, 1],
    [7_000, 1_000],
  ].entries()) {
    scene.moved = { ...NOTHING, nextInMs };
    scene.advance(scene.restMs);
    await scene.waitForMove(index + 2);
    t.equal(scene.restMs, alignWait(restMs, scene.nowMs));
  }
});

t.test('deliveries that this process postpones end the rest of an idle mover', async (t) => {
  const { scene, mover } = openScene(t);
  await scene.waitForMove(1);
  mover.noteWaiting();
  await scene.waitForMove(2);
  t.equal(scene.restMs, 100);
  mover.noteWaiting();
  t.equal(scene.restMs, 100, 'an active mover is not hurried');
  scene.advance(100);
  await scene.waitForMove(3);
  t.equal(scene.restMs, 100);
  scene.advance(1_000);
  await scene.waitForMove(4);
  t.equal(scene.restMs, alignWait(1_000, scene.nowMs), 'it is idle again');
});

t.test('lanes with deferred deliveries keep the mover active', async (t) => {
  const { scene } = openScene(t);
  await scene.waitForMove(1);
  scene.moved = { nextInMs: 900, deferredLanes: [{ endpointId: 'we_1', needsRefill: false }] };
  scene.advance(1_000);
  await scene.waitForMove(2);
  t.equal(scene.restMs, 100);
  t.strictSame(scene.lanes, ['we_1']);
});
