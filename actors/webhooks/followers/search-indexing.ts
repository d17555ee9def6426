// Makes new payments searchable within a second. One process does it for all: the one whose share has the first partition.
// While shares change it can be two or none; then rounds are repeated, or follow later.
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { createIdleRest, type Loop, startLoop } from '#ops/runtime/loop.js';
import type { Postgres } from '#store/postgres/client.js';
import { followSearch } from '#store/postgres/payments/follow-search.js';
import { BatchSize } from '#ops/runtime/batch-size.js';
import type { NoteProgress } from './follower-lag.js';
import type { WorkShare } from './work-share.js';

const LOOK_EVERY_MS = 250;
const IDLE_MS = 500;
/** A round looks at each merchant, so with many of them it takes long: it rests this many times as long as it took. */
const RESTS_PER_ROUND = 4;
const FIRST_PARTITION = 0;
/** Rows that are read from a slow disk may take longer than a statement may. */
const PAYMENTS_AT_ONCE = { least: 50, most: 1_000, step: 50 } as const;

export interface SearchDeps {
  /** A pool for statements that find rows by key (BY_KEY). */
  readonly sql: Postgres;
  readonly share: Pick<WorkShare, 'listPaymentPartitions'>;
  readonly noteProgress: NoteProgress;
  readonly clock: Clock;
  readonly log: Log;
}

export function startSearch({ sql, share, noteProgress, clock, log }: SearchDeps): Loop {
  const batch = new BatchSize(PAYMENTS_AT_ONCE);
  const rest = createIdleRest(LOOK_EVERY_MS, IDLE_MS);
  const work = async (): Promise<number> => {
    if (!share.listPaymentPartitions().includes(FIRST_PARTITION)) {
      noteProgress('search', 0);
      return rest(false);
    }
    const beganAtMs = clock.monotonicMs();
    const { payments, hasMore, unreadable } = await batch.run((most) => followSearch(sql, most));
    const tookMs = clock.monotonicMs() - beganAtMs;
    if (unreadable.length > 0) {
      log.error(
        { payments: unreadable },
        'payments cannot be searched: their snapshots cannot be read',
      );
    }
    if (hasMore) return 0;
    noteProgress('search', 0);
    return Math.max(rest(payments > 0), tookMs * RESTS_PER_ROUND);
  };
  return startLoop({
    name: 'making payments searchable',
    everyMs: LOOK_EVERY_MS,
    work,
    clock,
    log,
  });
}
