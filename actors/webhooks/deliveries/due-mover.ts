// Moves deliveries whose time has come to the ready streams. The reply to each move says when the next one is due, so a due
// time that is IDLE_EVERY_MS away or more is met to the millisecond.
//
//   IDLE ──this process has moved deliveries to a list──▶ ACTIVE ──ACTIVE_MS without any──▶ IDLE
//
//   IDLE    A look every second. Other processes add to the lists too: a former owner of the endpoint returns its deliveries,
//           and the fan-out opens the list of a lane. They wait for that second at most.
//   ACTIVE  A look every 100 ms, because due times are near.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { MovedDeliveries } from '#store/redis/webhooks/due-list.js';

const IDLE_EVERY_MS = 1_000;
const ACTIVE_EVERY_MS = 100;
const ACTIVE_MS = 1_000;
const MIN_REST_MS = 1;

export interface DueMoverDeps {
  readonly move: () => Promise<MovedDeliveries>;
  readonly onDeferredLane: (lane: MovedDeliveries['deferredLanes'][number]) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface DueMover extends Pick<Loop, 'stop'> {
  /** This process has moved deliveries to the due-list, or to the lists of lanes. */
  readonly noteWaiting: () => void;
}

export function startDueMover({ move, onDeferredLane, clock, log }: DueMoverDeps): DueMover {
  let activeUntilMs = -Infinity;
  let nextAtMs = -Infinity;
  const work = async (): Promise<number> => {
    const { nextInMs, deferredLanes } = await move();
    for (const lane of deferredLanes) onDeferredLane(lane);
    const nowMs = clock.monotonicMs();
    const isActive = deferredLanes.length > 0 || nowMs < activeUntilMs;
    const everyMs = isActive ? ACTIVE_EVERY_MS : IDLE_EVERY_MS;
    const restMs = Math.max(MIN_REST_MS, Math.min(everyMs, nextInMs ?? everyMs));
    nextAtMs = nowMs + restMs;
    return restMs;
  };
  const loop = startLoop({ name: 'moving due deliveries', everyMs: 0, work, clock, log });
  return {
    stop: loop.stop,
    noteWaiting: () => {
      const nowMs = clock.monotonicMs();
      activeUntilMs = nowMs + ACTIVE_MS;
      if (nextAtMs - nowMs <= ACTIVE_EVERY_MS) return;
      nextAtMs = nowMs;
      loop.wake();
    },
  };
}
