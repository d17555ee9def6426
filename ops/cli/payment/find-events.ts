// All events of a payment. Those that merchants receive have an index; the others are found by reading the events of the
// partition from the creation of the payment on, until each version is found. A split may have moved the payment, so the partition that it
// had before is read too.
import type { PaymentId } from '#actors/core/ids.js';
import type { Postgres } from '#store/postgres/client.js';
import {
  type EventPlace,
  type FoundEvent,
  listSentEvents,
  readEventPage,
  type StoredPayment,
} from '#store/postgres/operations/payment-story.js';
import type { TellProgress } from '#store/postgres/progress.js';
import { withProgress } from '../base/progress.js';

const EVENTS_A_PAGE = 20_000;
const MS_PER_S = 1_000;
/** The row of the payment is its first event. */
const FIRST_STORED_VERSION = 2;

export interface EventsPlace {
  readonly id: PaymentId;
  /** Those that the payment has had, and has. */
  readonly partitions: readonly number[];
}

export function findEvents(
  sql: Postgres,
  place: EventsPlace,
  stored: StoredPayment,
): Promise<FoundEvent[]> {
  return withProgress((tell) => searchEvents(sql, place, stored, tell));
}

async function searchEvents(
  sql: Postgres,
  { id, partitions }: EventsPlace,
  { version, createdAt }: StoredPayment,
  tell: TellProgress,
): Promise<FoundEvent[]> {
  const events = await listSentEvents(sql, id);
  const found = new Map(events.map((event) => [event.version, event]));
  const wanted = version - FIRST_STORED_VERSION + 1;
  const createdMs = createdAt.getTime();
  const totalS = Math.ceil((Date.now() - createdMs) / MS_PER_S);
  for (const partition of partitions) {
    let place: EventPlace | null = { position: { ms: BigInt(createdMs), seq: 0n }, index: -1 };
    while (found.size < wanted && place !== null) {
      const page = await readEventPage(sql, { id, partition }, place, EVENTS_A_PAGE);
      for (const event of page.events) found.set(event.version, event);
      const readS = page.last === null ? totalS : (page.last.atMs - createdMs) / MS_PER_S;
      const done = Math.min(totalS, Math.max(0, Math.round(readS)));
      tell({ step: `seconds of events in partition ${partition}`, done, total: totalS });
      place = page.last;
    }
  }
  return [...found.values()];
}
