// When a process dies after a change and before the end of its approval, the repeat may find an object that has moved on: a
// payout that was completed, and then reversed by its rail. The conflict is then no refusal, because the change was made.
import { findRefund } from '#actors/core/payment/state.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import type { PayoutEvent } from '#actors/core/payout/events.js';
import { findPaymentOfRefund } from '#store/postgres/payments/list-refunds.js';
import { hasEvent } from '#store/postgres/payouts/has-event.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { PayoutEnd } from '../money/payout-handlers.js';
import { isEndedSo, type RequestedRefundEnd } from '../money/refund-handlers.js';

const EVENTS: Readonly<Record<PayoutEnd['type'], readonly PayoutEvent['type'][]>> = {
  complete: ['payout_completed', 'payout_corrected'],
  fail: ['payout_failed'],
  cancel: ['payout_failed'],
  reverse: ['payout_reversed'],
};

export function isPayoutEnded(deps: AccountDeps, end: PayoutEnd): Promise<boolean> {
  return hasEvent(deps.accounts, end.payoutId, EVENTS[end.type], end.externalReference);
}

/** The open approval keeps others above the limit from ending the refund again, so its snapshot still shows the end. */
export async function isRefundEnded(deps: AccountDeps, end: RequestedRefundEnd): Promise<boolean> {
  const [found] = await findPaymentOfRefund(deps.accounts, end.refundId);
  const refund = found && findRefund(decodeSnapshot(found.snapshot), end.refundId);
  return isEndedSo(refund, end);
}
