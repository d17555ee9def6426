// Finishes entries: stores their attempts in Postgres, then moves their deliveries on in Redis. Entries that finish
// while a write is under way share the next one. Each write is retried until it succeeds, so an outage of a store delays
// deliveries (their slots stay taken) and loses none. If the process dies before, the delivery is attempted again.
import { createBatcher } from '#ops/runtime/batcher.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import type { Postgres } from '#store/postgres/client.js';
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import { type AttemptRow, recordAttempts } from '#store/postgres/webhooks/record-attempts.js';
import type { RedisClient } from '#store/redis/client.js';
import {
  type EntryOutcome,
  finishEntries,
  type ReadyEntry,
} from '#store/redis/webhooks/ready-entries.js';

const MAX_BATCH = 256;
/** A delivery that is due within this time is attempted now: the due-list's clock may be slightly ahead of Postgres. */
const EARLY_MS = 5;

export interface FinishedEntry {
  readonly outcome: EntryOutcome;
  /** null: no attempt was made. */
  readonly attempt: AttemptRow | null;
}

export interface AttemptRecorderOptions {
  readonly sql: Postgres;
  readonly redis: RedisClient;
  readonly consumer: string;
  readonly onFinished: (entry: ReadyEntry) => void;
  /** Aborted when the process cannot wait for the stores any longer. */
  readonly giveUp: AbortSignal;
  readonly log: Log;
}

export function createAttemptRecorder(
  options: AttemptRecorderOptions,
): (finished: FinishedEntry) => void {
  const { sql, redis, consumer, onFinished, giveUp, log } = options;
  const recording = new RetryLoop(log, 'recording attempts');
  const finishing = new RetryLoop(log, 'finishing deliveries');
  const record = createBatcher<FinishedEntry, void>({
    maxItems: MAX_BATCH,
    isSerial: true,
    run: async (batch) => {
      const rows = batch.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]));
      const outcomes = batch.map(({ outcome }) => outcome);
      if (rows.length > 0) await recording.retry(giveUp, () => recordAttempts(sql, rows));
      await finishing.retry(giveUp, () => finishEntries(redis, consumer, outcomes));
      return outcomes.map(({ entry }) => {
        onFinished(entry);
      });
    },
  });
  return (finished) => void record(finished);
}

/** The outcome of an entry that needs no attempt now; null: attempt it. */
export function decideWithoutAttempt(
  entry: ReadyEntry,
  delivery: DueDelivery | undefined,
  isLoaded: boolean,
): EntryOutcome | null {
  // The process stops: the delivery is due at once for another worker.
  if (!isLoaded) return { entry, step: 'returned', dueInMs: 0 };
  if (delivery === undefined) return { entry, step: 'done' };
  if (delivery.dueInMs <= EARLY_MS) return null;
  return { entry, step: 'returned', dueInMs: delivery.dueInMs };
}

export function decideAfterAttempt(entry: ReadyEntry, attempt: AttemptRow): EntryOutcome {
  const { status, nextInMs, failure } = attempt;
  if (status === 'dead') return { entry, step: 'dead', reason: failure ?? '' };
  if (status === 'delivered') return { entry, step: 'done' };
  return { entry, step: 'retry', dueInMs: nextInMs ?? 0 };
}
