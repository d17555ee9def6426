// How long ago something was, by two clocks. The monotonic clock stands still while the machine is suspended, and the wall
// clock can be set forward or back. A thing that must not be used too long is judged by the clock that says more; a step
// of the wall clock makes it old.

export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const takeInstant = (): Instant => ({
  monotonicMs: performance.now(),
  wallMs: Date.now(),
});

/** Milliseconds since `instant`, or more. */
export const measureElapsedMs = ({ monotonicMs, wallMs }: Instant): number =>
  Math.max(performance.now() - monotonicMs, Math.abs(Date.now() - wallMs));
