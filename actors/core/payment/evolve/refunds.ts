// Refunds of a payment. A refund is queued when it is asked for; the payment is refunded when refunds that
// succeeded make up its amount, unless it was reversed before.
import { unreachable } from '#actors/core/unreachable.js';
import type { RefundEvent, RefundRequested, RefundSucceeded } from '../events.js';
import { type PaymentState, type Refund, refundedMinor } from '../state.js';

export function evolveRefund(state: PaymentState, event: RefundEvent): PaymentState {
  switch (event.type) {
    case 'refund_requested':
      return requested(state, event);
    case 'refund_submitted':
      return changeRefund(state, event, { status: 'asked' });
    case 'refund_left_pending':
      return changeRefund(state, event, { isLeftPending: true });
    case 'refund_made_manual':
      return changeRefund(state, event, { status: 'manual_required' });
    case 'refund_succeeded':
      return succeeded(state, event);
    case 'refund_failed': {
      const { externalReference } = event;
      return changeRefund(state, event, { status: 'failed', externalReference });
    }
    case 'refund_contradicted':
      return changeRefund(state, event, { isContradicted: true });
    default:
      return unreachable(event);
  }
}

function requested(state: PaymentState, event: RefundRequested): PaymentState {
  const refund: Refund = {
    id: event.refundId,
    status: 'queued',
    amountMinor: event.amountMinor,
    requestedMinor: event.requestedMinor,
    reason: state.erasedAtMs === null ? event.reason : null,
    referenceId: event.referenceId,
    externalReference: null,
    createdAtMs: event.atMs,
    completedAtMs: null,
    isLeftPending: false,
    isContradicted: false,
  };
  return { ...state, version: event.version, refunds: [...state.refunds, refund] };
}

function changeRefund(
  state: PaymentState,
  event: RefundEvent,
  change: Partial<Refund>,
): PaymentState {
  const refunds = state.refunds.map((refund) =>
    refund.id === event.refundId ? { ...refund, ...change } : refund,
  );
  return { ...state, version: event.version, refunds };
}

function succeeded(state: PaymentState, event: RefundSucceeded): PaymentState {
  const { externalReference, atMs: completedAtMs } = event;
  const change = { status: 'succeeded', externalReference, completedAtMs } as const;
  const next = changeRefund(state, event, change);
  const isWhole = refundedMinor(next) === next.request.amountMinor;
  if (next.status !== 'paid' || !isWhole) return next;
  return { ...next, status: 'refunded', refundedAtMs: event.atMs };
}
