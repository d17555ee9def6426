// How an entry of a ready stream ends: what becomes of its delivery.
import type { DueDelivery } from '#store/postgres/webhooks/due-deliveries.js';
import type { AttemptRow } from '#store/postgres/webhooks/record-attempts.js';
import type { EntryOutcome, ReadyEntry } from '#store/redis/webhooks/ready-entries.js';

/** What comes back from the due-list this little too early is attempted all the same. */
const EARLY_MS = 5;

/** How it ends without an attempt; null: it is to be attempted now. */
export function decideWithoutAttempt(
  entry: ReadyEntry,
  delivery: DueDelivery | undefined,
  isLoaded: boolean,
): EntryOutcome | null {
  // Stopping: whoever moves the due-list next has it at once.
  if (!isLoaded) return { entry, step: 'back', dueAtMs: Date.now() };
  if (delivery === undefined) return { entry, step: 'done' };
  if (delivery.dueInMs <= EARLY_MS) return null;
  return { entry, step: 'back', dueAtMs: Date.now() + delivery.dueInMs };
}

/** How it ends with an attempt. */
export function decideAfterAttempt(entry: ReadyEntry, attempt: AttemptRow): EntryOutcome {
  const { status, nextInMs, failure } = attempt;
  if (status === 'dead') return { entry, step: 'dead', reason: failure ?? '' };
  if (status === 'delivered') return { entry, step: 'done' };
  return { entry, step: 'later', dueAtMs: Date.now() + (nextInMs ?? 0) };
}
