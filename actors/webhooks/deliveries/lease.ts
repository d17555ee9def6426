// The times of leases on deliveries, and how they relate. A worker holds an entry of a ready stream from its read on.
// Each renewal restarts the lease; an entry whose lease has run out is claimed by another worker.
//
//   read ── waits in its lane ──▶ attempt ────────────▶ finished
//    │      MAX_WAIT_MS 1.5 s      TOTAL_DEADLINE_MS 10 s
//    └────────────────── LEASE_MS 12 s ──────────────────▶ stale ── RECONCILE_EVERY_MS 1 s ──▶ claimed
//
// So an attempt ends within the lease of its entry even if no renewal succeeds, and a delivery that was held by a
// crashed worker is attempted again after 13 s at most.
import { TOTAL_DEADLINE_MS } from '#ops/net/post.js';

/** An entry that was not renewed for this long may be claimed by another worker. */
export const LEASE_MS = 12_000;
/** Two renewals in a row may fail before a lease is in doubt. */
export const RENEW_EVERY_MS = LEASE_MS / 4;
/** From the read of an entry to its attempt. An entry that waits longer is deferred. */
export const MAX_WAIT_MS = 1_500;
/** A blocking read; short, because the process stops between two reads. */
export const READ_BLOCK_MS = 500;
/** When the event loop stood still for this long, the process counts as paused, and its leases as doubtful. */
export const PAUSED_MS = 1_000;
/** A lease that was not renewed for this long is in doubt: it may run out during a pause that nobody notices. */
export const DOUBT_AFTER_MS = LEASE_MS - PAUSED_MS;
/** The pause between two scans for stale entries. */
export const RECONCILE_EVERY_MS = 1_000;
/** The reconciler's leader holds its lease for a little less than a round, so that each round elects one. */
export const RECONCILER_LEASE_MS = 900;
/** A lane's list is due again after this time unless its worker fetches it earlier. */
export const RETURN_MS = 1_000;

if (MAX_WAIT_MS + TOTAL_DEADLINE_MS >= LEASE_MS) {
  throw new Error('LEASE_MS must exceed MAX_WAIT_MS + TOTAL_DEADLINE_MS');
}
if (PAUSED_MS + READ_BLOCK_MS + MAX_WAIT_MS >= LEASE_MS) {
  throw new Error('LEASE_MS must exceed PAUSED_MS + READ_BLOCK_MS + MAX_WAIT_MS');
}
