// Bounds of the webhook queues, each for one of the 16 partitions. Postgres has every delivery, so Redis needs only those
// that are attempted soon: however many deliveries an endpoint has pending, and however many endpoints are dead, the
// queues take the memory of their budget (docs/operations/production.md) and leave the rest to the commands.
//
//   queue       entries a partition   bytes an entry   16 partitions
//   ready                    4,000              250          16 MB
//   lists                    8,000              157          20 MB
//   due-list                 4,000              210          14 MB
//   dead letters             2,000               90           3 MB
//
// Beside them, an endpoint whose lane has a list takes 200 bytes.

/** Entries of a ready stream; further deliveries go to the lists of their lanes. */
export const MAX_READY = 4_000;
/** Deliveries in the list of one lane: half a second of the fastest endpoint. */
export const MAX_DEFERRED = 512;
/** Deliveries in the lists of all lanes. They share it: the more lanes have lists, the shorter each list may be. */
export const MAX_ALL_DEFERRED = 8_000;
/** A list with fewer deliveries is refilled from Postgres if it overflowed. */
export const REFILL_BELOW = MAX_DEFERRED / 4;
/** Deliveries in a due-list. The latest of a longer one are dropped; the reconciler finds them when they are due. */
export const MAX_DUE = 4_000;
/** An overdue delivery whose due time in Redis is later than this is made due now. */
export const MAX_LATE_MS = 1_000;
/** A lane that is due later than this is brought forward: no pause of a breaker is as long. */
export const MAX_LANE_PAUSE_MS = 60_000;
/** Entries of a stream of dead letters, approximately. */
export const MAX_DEAD = 2_000;
