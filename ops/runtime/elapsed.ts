// How long ago something was, by two clocks. The monotonic clock stands still while the machine is suspended, and the wall
// clock can be set forward or back. A thing that must not be used too long is judged by the clock that says more; a step
// of the wall clock makes it old.
import { type Clock, SYSTEM_CLOCK } from './clock.js';

export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const takeInstant = (clock: Clock = SYSTEM_CLOCK): Instant => ({
  monotonicMs: clock.monotonicMs(),
  wallMs: clock.nowMs(),
});

/** Milliseconds since `instant`, or more. */
export const measureElapsedMs = (
  { monotonicMs, wallMs }: Instant,
  clock: Clock = SYSTEM_CLOCK,
): number => Math.max(clock.monotonicMs() - monotonicMs, Math.abs(clock.nowMs() - wallMs));
