// Finishes entries: stores their attempts in Postgres, then moves their deliveries on in Redis. Entries that finish
// while a write is under way share the next one. Each write is retried until it succeeds, so an outage of a store delays
// deliveries (their slots stay taken) and loses none. If the process dies before, the delivery is attempted again.
//
// An attempt that Postgres refuses ends alone (write-attempts.ts). An attempt whose rows are locked moves to a queue
// apart, and so does each later attempt at its endpoint:
//
//   SHARED ──locked──▶ APART ──all attempts of the endpoint recorded──▶ SHARED
//
// The lane of such an endpoint waits for the record of each attempt, so that it does not take the slots of the others.
import { createBatcher } from '#ops/runtime/batcher.js';
import type { Clock } from '#ops/runtime/clock.js';
import type { Log } from '#ops/runtime/log.js';
import { RetryLoop } from '#ops/runtime/retry-loop.js';
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import { type AttemptRow, UNRECORDED } from '#store/postgres/webhooks/record-attempts.js';
import type { RedisClient } from '#store/redis/client.js';
import {
  type EntryOutcome,
  finishEntries,
  type ReadyEntry,
} from '#store/redis/webhooks/ready-entries.js';
import { type AttemptStore, writeAttempts } from './write-attempts.js';

const MAX_BATCH = 256;
/** A delivery that is due within this time is attempted now: the due-list's clock may be slightly ahead of Postgres. */
const EARLY_MS = 5;
const WAITING_STEPS: ReadonlySet<EntryOutcome['step']> = new Set(['retry', 'returned', 'deferred']);

export interface FinishedEntry {
  readonly outcome: EntryOutcome;
  /** null: no attempt was made. */
  readonly attempt: AttemptRow | null;
}

export interface AttemptRecorderOptions {
  readonly store: AttemptStore;
  readonly redis: RedisClient;
  readonly consumer: string;
  readonly onFinished: (entry: ReadyEntry) => void;
  /** Postgres has an attempt at the endpoint. */
  readonly onRecorded: (endpointId: string) => void;
  /** Deliveries of finished entries wait in the due-list, or in the lists of their lanes. */
  readonly onWaiting: () => void;
  /** Aborted when the process cannot wait for the stores any longer. */
  readonly giveUp: AbortSignal;
  /** Attempts that Postgres refused. */
  readonly unrecorded: { inc: () => void };
  /** Deliveries that Postgres has as dead now. */
  readonly deadLetters: { inc: (count: number) => void };
  readonly clock: Clock;
  readonly log: Log;
}

/** Returns what the endpoint's lane must wait for; undefined: nothing. */
export type RecordEntry = (finished: FinishedEntry) => Promise<void> | undefined;

export function createAttemptRecorder(options: AttemptRecorderOptions): RecordEntry {
  /** Numbers of entries that are recorded apart, by endpoint. */
  const apart = new Map<string, number>();
  const { clock, log } = options;
  const locked = new RetryLoop(log, 'recording attempts whose rows are locked', clock);
  const write = createBatchWriter(options);
  const recordApart = createBatcher<FinishedEntry, void>({
    maxItems: MAX_BATCH,
    ...{ isSerial: true, clock },
    run: async (batch) => {
      let left = batch;
      while (left.length > 0 && !options.giveUp.aborted) {
        left = await write(left);
        if (left.length > 0) await locked.waitAfter(new Error('rows of attempts are locked'));
        else locked.noteSuccess();
      }
      // The process stops: another one repeats these attempts.
      for (const { outcome } of left) options.onFinished(outcome.entry);
      return batch.map(() => undefined);
    },
  });
  const moveApart = async (finished: FinishedEntry): Promise<void> => {
    const { endpointId } = finished.outcome.entry;
    apart.set(endpointId, (apart.get(endpointId) ?? 0) + 1);
    await recordApart(finished);
    const left = (apart.get(endpointId) ?? 1) - 1;
    if (left === 0) apart.delete(endpointId);
    else apart.set(endpointId, left);
  };
  const recordShared = createBatcher<FinishedEntry, void>({
    maxItems: MAX_BATCH,
    ...{ isSerial: true, clock },
    run: async (batch) => {
      for (const finished of await write(batch)) void moveApart(finished);
      return batch.map(() => undefined);
    },
  });
  return (finished) => {
    const { attempt, outcome } = finished;
    if (attempt !== null && apart.has(outcome.entry.endpointId)) return moveApart(finished);
    void recordShared(finished);
    return undefined;
  };
}

/** Returns the function that records a batch, and returns those whose rows are locked. */
function createBatchWriter(
  options: AttemptRecorderOptions,
): (batch: readonly FinishedEntry[]) => Promise<readonly FinishedEntry[]> {
  const { redis, consumer, onFinished, onRecorded, onWaiting, giveUp, clock, log } = options;
  const recording = new RetryLoop(log, 'recording attempts', clock);
  const finishing = new RetryLoop(log, 'finishing deliveries', clock);
  return async (batch) => {
    const rows = batch.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]));
    const unwritten =
      rows.length === 0
        ? undefined
        : await recording.retry(giveUp, () => writeAttempts(options, rows));
    const locked = new Set(unwritten?.locked);
    const refused = new Set(unwritten?.refused);
    const isLocked = ({ attempt }: FinishedEntry): boolean =>
      attempt !== null && locked.has(attempt);
    const written = batch.filter((finished) => !isLocked(finished));
    const outcomes = written.map(({ outcome, attempt }) =>
      attempt !== null && refused.has(attempt) ? decideUnrecorded(outcome.entry, attempt) : outcome,
    );
    // Undefined: the process stops, and another one repeats the attempts.
    if (unwritten !== undefined) {
      options.deadLetters.inc(outcomes.filter(({ step }) => step === 'dead').length);
    }
    for (const { outcome, attempt } of written) {
      if (attempt !== null) onRecorded(outcome.entry.endpointId);
    }
    await finishing.retry(giveUp, () => finishEntries(redis, consumer, outcomes));
    if (outcomes.some(({ step }) => WAITING_STEPS.has(step))) onWaiting();
    for (const { entry } of outcomes) onFinished(entry);
    return batch.filter(isLocked);
  };
}

const decideUnrecorded = (entry: ReadyEntry, { failure }: AttemptRow): EntryOutcome =>
  failure === null ? { entry, step: 'done' } : { entry, step: 'dead', reason: UNRECORDED };

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
