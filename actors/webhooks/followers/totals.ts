// Keeps the totals of merchants up to date for their home pages. It is no part of the other followers of the outbox, which run
// at each commit: it looks seldom and adds many events at once, because that costs a fraction for each event.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { followTotals } from '#store/postgres/payments/follow-totals.js';
import { BatchSize } from '#ops/runtime/batch-size.js';
import type { NoteProgress } from './follower-lag.js';
import type { WorkShare } from './work-share.js';

const LOOK_EVERY_MS = 5_000;
/** Rows that are read from a slow disk may take longer than a statement may. */
const EVENTS_AT_ONCE = { least: 64, most: 4_096, step: 64 } as const;
const NOTHING = { hasMore: false } as const;

export interface TotalsDeps {
  /** A pool for statements that find rows by key (BY_KEY). */
  readonly sql: Postgres;
  readonly share: Pick<WorkShare, 'listPaymentPartitions'>;
  readonly noteProgress: NoteProgress;
  readonly clock: Clock;
  readonly log: Log;
}

/** Follows the partitions of this process. */
export function startTotals({ sql, share, noteProgress, clock, log }: TotalsDeps): Loop {
  const batch = new BatchSize(EVENTS_AT_ONCE);
  const work = async (): Promise<number> => {
    const partitions = share.listPaymentPartitions();
    const { hasMore } =
      partitions.length === 0
        ? NOTHING
        : await batch.run((most) => followTotals(sql, partitions, most));
    if (hasMore) return 0;
    noteProgress('totals', 0);
    return LOOK_EVERY_MS;
  };
  return startLoop({ name: 'adding up totals', everyMs: LOOK_EVERY_MS, work, clock, log });
}
