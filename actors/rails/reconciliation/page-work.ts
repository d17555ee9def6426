// A page of a reconciliation that this process has claimed.
import type { PaymentState } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { ReconciledPayment } from '#store/postgres/rails/reconciled-orders.js';
import type { ClaimedReconciliation } from '#store/postgres/rails/reconciliations.js';
import type { Rail } from '../adapters/rail.js';

/** All payments or payouts of a page are inquired at the same time. */
export const INQUIRED_A_PAGE = 32;
export const LIST_TIMEOUT_MS = 30_000;
export const INQUIRY_TIMEOUT_MS = 15_000;

/** A claimed page and its rail. */
export interface PageWork {
  readonly key: ClaimedReconciliation;
  readonly rail: Rail;
  /** False: the rail was silent for too long, so its orders count as unanswered. */
  readonly canPostpone: boolean;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/** undefined: the snapshot cannot be read; it must not keep the others from being compared. */
export function readState({ snapshot }: ReconciledPayment): PaymentState | undefined {
  try {
    return decodeSnapshot(snapshot);
  } catch {
    return undefined;
  }
}
