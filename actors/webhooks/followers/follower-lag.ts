// How far the followers of payments are behind, for Prometheus. A follower that fails or hangs notes nothing, so its lag grows.
import type { Clock } from '#ops/runtime/clock.js';
import { createGauge, type Registry } from '#ops/runtime/metrics.js';

const SECOND_MS = 1_000;
const FOLLOWERS = ['links_and_invoices', 'totals', 'search'] as const;

/** Notes that the follower has handled everything that is older than `seconds`, as far as this process is responsible. */
export type NoteProgress = (follower: (typeof FOLLOWERS)[number], seconds: number) => void;

export function openFollowerLag(
  registry: Registry,
  clock: Pick<Clock, 'monotonicMs'>,
): NoteProgress {
  const startedAtMs = clock.monotonicMs();
  const handledAtMs = new Map(FOLLOWERS.map((follower) => [follower, startedAtMs]));
  createGauge(
    registry,
    'payment_followers_lag_seconds',
    'How long ago a follower had handled all payments; the time between its rounds is part of it',
    {
      labels: { follower: FOLLOWERS },
      read: (gauge) => {
        const nowMs = clock.monotonicMs();
        for (const [follower, atMs] of handledAtMs) {
          gauge.set({ follower }, (nowMs - atMs) / SECOND_MS);
        }
      },
    },
  );
  return (follower, seconds) => {
    handledAtMs.set(follower, clock.monotonicMs() - seconds * SECOND_MS);
  };
}
