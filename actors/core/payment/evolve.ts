// What an event makes of a payment. Pure, and total over events in their order: an event out of order, or
// for another payment, is a bug (or a store that lies) and throws.
import { unreachable } from '../unreachable.js';
import { closePayable, evolveAttempt, startAttempt } from './evolve/attempts.js';
import { evolveClosing, NOTHING_ASKED } from './evolve/closing.js';
import { evolveErasure } from './evolve/erasure.js';
import { evolveMoney } from './evolve/money.js';
import { evolveRefund } from './evolve/refunds.js';
import type { PaymentCancelled, PaymentCreated, PaymentEvent, PaymentFailed } from './events.js';
import type { PaymentState } from './state.js';

export function evolve(state: PaymentState | undefined, event: PaymentEvent): PaymentState {
  if (state === undefined) {
    if (event.type !== 'payment_created' || event.version !== 1) throw outOfOrder(0, event);
    return created(event);
  }
  if (event.paymentId !== state.id || event.version !== state.version + 1) {
    throw outOfOrder(state.version, event);
  }
  return evolveExisting(state, event);
}

function outOfOrder(version: number, event: PaymentEvent): Error {
  const { type, paymentId } = event;
  return new Error(`${type} ${event.version} of ${paymentId} does not follow version ${version}`);
}

function created(event: PaymentCreated): PaymentState {
  const { attempt, environment } = event;
  return {
    id: event.paymentId,
    version: 1,
    merchantId: event.merchantId,
    environment,
    status: environment === 'LIVE' && attempt !== null ? 'creating' : 'pending',
    request: event.request,
    fingerprint: event.fingerprint,
    attempts: attempt === null ? [] : [startAttempt(attempt, 1, environment)],
    nextRails: attempt?.nextRails ?? [],
    railTransactions: [],
    refunds: [],
    cancelRequest: null,
    expiryRequestedAtMs: null,
    methodChange: null,
    capture: null,
    failureCode: null,
    isLate: false,
    createdAtMs: event.atMs,
    expiresAtMs: event.expiresAtMs,
    paidAtMs: null,
    failedAtMs: null,
    cancelledAtMs: null,
    refundedAtMs: null,
    erasedAtMs: null,
  };
}

function evolveExisting(state: PaymentState, event: PaymentEvent): PaymentState {
  switch (event.type) {
    case 'payment_created':
      throw outOfOrder(state.version, event);
    case 'payment_failed':
      return failed(state, event);
    case 'payment_cancelled':
      return cancelled(state, event);
    case 'payment_erased':
      return evolveErasure(state, event);
    case 'attempt_started':
    case 'attempt_accepted':
    case 'attempt_refused':
    case 'attempt_unconfirmed':
    case 'attempt_closed':
      return evolveAttempt(state, event);
    case 'cancel_requested':
    case 'cancel_refused':
    case 'expiry_requested':
    case 'method_change_requested':
    case 'method_change_refused':
    case 'close_unconfirmed':
      return evolveClosing(state, event);
    case 'payment_paid':
    case 'payment_reversed':
    case 'hold_released':
    case 'settlement_suspended':
    case 'settlement_unapplied':
    case 'suspense_reversed':
    case 'reversal_unapplied':
      return evolveMoney(state, event);
    case 'refund_requested':
    case 'refund_submitted':
    case 'refund_left_pending':
    case 'refund_made_manual':
    case 'refund_succeeded':
    case 'refund_failed':
    case 'refund_contradicted':
      return evolveRefund(state, event);
    default:
      return unreachable(event);
  }
}

function failed(state: PaymentState, event: PaymentFailed): PaymentState {
  const attempts = closePayable(state).map((attempt) =>
    attempt.orderId === event.orderId ? { ...attempt, status: 'failed' as const } : attempt,
  );
  return {
    ...state,
    ...NOTHING_ASKED,
    version: event.version,
    status: 'failed',
    failureCode: event.failureCode,
    capture: null,
    attempts,
    failedAtMs: event.atMs,
  };
}

function cancelled(state: PaymentState, event: PaymentCancelled): PaymentState {
  return {
    ...state,
    ...NOTHING_ASKED,
    version: event.version,
    status: 'cancelled',
    failureCode: null,
    capture: null,
    attempts: closePayable(state),
    cancelledAtMs: event.atMs,
  };
}
