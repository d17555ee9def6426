// Sees to it that Redis holds whatever Postgres says is due. Every second: mend what Redis has lost, take
// over entries whose worker died, then walk over the overdue deliveries and enqueue those that nobody holds
// (the script leaves out those that stand in a stream or in the due-list). One process walks at a time; a walk
// that is longer than its bound goes on from where it stopped. Replays are found the same way.
import type { Backlog, OverdueDelivery } from '../../store/postgres/webhooks/due-deliveries.js';
import type { ReadyEntry } from '../../store/redis/deliveries.js';
import type { Log } from '../../ops/runtime/log.js';
import { Outage, sleep } from './outage.js';

const EVERY_MS = 1_000;
export const RECONCILER_LEASE_MS = 900;
const PAGE = 1_000;
const PAGES_AT_ONCE = 20;
/** In one round; each takes a few entries of every partition. */
const TAKE_OVERS = 8;
/** Rounds. */
const COUNT_EVERY = 5;
const START = { at: '-infinity', id: '' };

export interface ReconcilerParts {
  stopping: AbortSignal;
  mend: () => Promise<unknown>;
  takeOver: () => Promise<ReadyEntry[]>;
  accept: (entries: readonly ReadyEntry[]) => Promise<void>;
  leads: () => Promise<boolean>;
  findOverdue: (after: { at: string; id: string }, limit: number) => Promise<OverdueDelivery[]>;
  enqueue: (deliveries: readonly OverdueDelivery[]) => Promise<number>;
  countBacklog: () => Promise<Backlog>;
  onRefilled: (deliveries: number) => void;
  setBacklog: (backlog: Backlog) => void;
  log: Log;
}

/** Resolves when the process stops. */
export async function runReconciler(parts: ReconcilerParts): Promise<void> {
  const { stopping } = parts;
  const outage = new Outage(parts.log, 'reconciling');
  let after = START;
  for (let round = 0; !stopping.aborted; round += 1) {
    await outage.persist(stopping, async () => {
      await parts.mend();
      await takeOver(parts);
      if (await parts.leads()) after = await walk(parts, after);
      if (round % COUNT_EVERY === 0) parts.setBacklog(await parts.countBacklog());
    });
    await sleep(EVERY_MS);
  }
}

async function takeOver({ takeOver, accept }: ReconcilerParts): Promise<void> {
  for (let time = 0; time < TAKE_OVERS; time += 1) {
    const entries = await takeOver();
    if (entries.length === 0) return;
    await accept(entries);
  }
}

/** Answers where the next walk begins. */
async function walk(
  { findOverdue, enqueue, onRefilled, log }: ReconcilerParts,
  from: typeof START,
): Promise<typeof START> {
  let after = from;
  let refilled = 0;
  let isAtEnd = false;
  for (let page = 0; page < PAGES_AT_ONCE && !isAtEnd; page += 1) {
    const overdue = await findOverdue(after, PAGE);
    if (overdue.length > 0) refilled += await enqueue(overdue);
    const last = overdue.at(-1);
    isAtEnd = overdue.length < PAGE;
    if (last !== undefined) after = { at: last.at, id: last.id };
  }
  if (refilled > 0) {
    onRefilled(refilled);
    log.info({ deliveries: refilled }, 'deliveries that nobody held were enqueued');
  }
  return isAtEnd ? START : after;
}
