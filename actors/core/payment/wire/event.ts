// Domain events, stored beside columns for payment, version, type and time. Each type lists its stored fields, so that no
// text of a person (the request, the reason of a refund) is stored by default: those texts are in the snapshot only, where
// they can be erased. The stored events tell the history; they do not rebuild the payment. The row of the payment is its
// first event, `payment_created`: its amount, currency, times and first attempt never change.
import { formatAmount } from '#actors/core/money.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { AttemptPlan, EventOf, PaymentEvent, RefundEvents } from '../events.js';
import { formatAmountOf } from './codec.js';

const NOTHING = {};

/** An event that has a row of its own. */
export type StoredEvent = Exclude<PaymentEvent, EventOf<'payment_created'>>;

export function encodeEvent(event: StoredEvent): string {
  return JSON.stringify(listFields(event));
}

function listFields(event: StoredEvent): object {
  switch (event.type) {
    case 'attempt_started':
      return listPlan(event.attempt);
    case 'attempt_accepted':
      return { orderId: event.orderId, railReference: event.railReference ?? undefined };
    case 'attempt_refused':
      return { orderId: event.orderId, isLast: event.isLast };
    case 'attempt_unconfirmed':
    case 'attempt_closed':
      return { orderId: event.orderId };
    case 'method_change_requested':
      return { method: event.method, rail: event.rail };
    case 'close_unconfirmed':
      return { purpose: event.purpose };
    case 'payment_failed':
      return { failureCode: event.failureCode, orderId: event.orderId ?? undefined };
    case 'payment_paid': {
      const { isLate, holdUntilMs } = event;
      const settlement = formatAmountOf(event.settlement);
      return { settlement, isLate, holdUntilMs: holdUntilMs ?? undefined };
    }
    case 'settlement_suspended':
      return { settlement: formatAmountOf(event.settlement), reason: event.reason };
    case 'settlement_unapplied':
      return { settlement: formatAmountOf(event.settlement) };
    case 'suspense_reversed':
      return listTransaction(event);
    case 'reversal_unapplied':
      return { ...listTransaction(event), reason: event.reason };
    case 'cancel_requested':
    case 'cancel_refused':
    case 'expiry_requested':
    case 'method_change_refused':
    case 'payment_cancelled':
    case 'payment_reversed':
    case 'hold_released':
      return NOTHING;
    case 'payment_erased':
      return { withReference: event.withReference };
    default:
      return listRefundFields(event);
  }
}

function listRefundFields(event: EventOf<keyof RefundEvents>): object {
  switch (event.type) {
    case 'refund_requested':
      return { refundId: event.refundId, amount: formatAmount(event.amountMinor) };
    case 'refund_recorded': {
      const { refundId, origin, externalReference } = event;
      return { refundId, origin, amount: formatAmount(event.amountMinor), externalReference };
    }
    case 'refund_submitted':
    case 'refund_left_pending':
    case 'refund_made_manual':
    case 'refund_contradicted':
      return { refundId: event.refundId };
    case 'refund_succeeded':
    case 'refund_failed':
    case 'refund_corrected':
    case 'refund_failure_confirmed':
      return { refundId: event.refundId, externalReference: event.externalReference ?? undefined };
    default:
      return unreachable(event);
  }
}

function listTransaction({
  rail,
  railTransactionId,
}: Record<'rail' | 'railTransactionId', string>) {
  return { rail, railTransactionId };
}

function listPlan(plan: AttemptPlan): object {
  return { orderId: plan.orderId, rail: plan.rail, method: plan.method ?? undefined };
}
