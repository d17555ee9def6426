// Domain events as they are stored, beside columns for payment, version, type and time. What people wrote
// (the request, reasons) is left out: it stands in the snapshot only, where it can be erased. So the stored
// events tell the history; they do not rebuild the payment.
import { formatAmount } from '#actors/core/money.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { AttemptPlan, EventOf, PaymentEvent } from '../events.js';
import { encodeSettlement } from './parts.js';

const NOTHING = {};

export function encodeEvent(event: PaymentEvent): string {
  return JSON.stringify(describe(event));
}

function describe(event: PaymentEvent): object {
  switch (event.type) {
    case 'payment_created': {
      const { attempt, expiresAtMs, request } = event;
      const amount = formatAmount(request.amountMinor);
      return { amount, currency: request.currency, expiresAtMs, ...describePlan(attempt) };
    }
    case 'attempt_started':
      return describePlan(event.attempt);
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
      const holdUntilMs = event.holdUntilMs ?? undefined;
      return { settlement: encodeSettlement(event.settlement), isLate: event.isLate, holdUntilMs };
    }
    case 'settlement_suspended':
      return { settlement: encodeSettlement(event.settlement), reason: event.reason };
    case 'settlement_unapplied':
      return { settlement: encodeSettlement(event.settlement) };
    case 'suspense_reversed':
      return describeTransaction(event);
    case 'reversal_unapplied':
      return { ...describeTransaction(event), reason: event.reason };
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
    case 'refund_requested':
      return { refundId: event.refundId, amount: formatAmount(event.amountMinor) };
    case 'refund_submitted':
    case 'refund_left_pending':
    case 'refund_made_manual':
    case 'refund_contradicted':
      return { refundId: event.refundId };
    case 'refund_succeeded':
    case 'refund_failed': {
      const { refundId } = event;
      return { refundId, externalReference: event.externalReference ?? undefined };
    }
    default:
      return unreachable(event);
  }
}

function describeTransaction({
  rail,
  railTransactionId,
}: EventOf<'suspense_reversed' | 'reversal_unapplied'>) {
  return { rail, railTransactionId };
}

function describePlan(plan: AttemptPlan | null): object {
  if (plan === null) return NOTHING;
  return { orderId: plan.orderId, rail: plan.rail, method: plan.method ?? undefined };
}
