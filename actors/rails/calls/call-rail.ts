// Translates a stored call into one request to its rail, and the rail's answer into the command that follows from it. A
// charge that must not be made any more counts as refused: it was never sent, so another rail may be tried.
import type {
  ChargeCall,
  CloseCall,
  RailCall,
  RefundCall,
} from '#actors/core/payment/rail-calls.js';
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { findAttempt, findRefund, isOpen, type PaymentState } from '#actors/core/payment/state.js';
import type { CloseAnswer } from '#actors/core/rails/answers.js';
import { unreachable } from '#actors/core/unreachable.js';
import type {
  BeginRefund,
  ChargeCallAnswer,
  Payer,
  Rail,
  RefundCallAnswer,
  UnknownAnswer,
} from '../adapters/rail.js';

/**
 * answered: the call is over; `isInquired`: status inquiries follow its order. open: the outcome is unknown or pending, so
 * status inquiries decide; `command` is null while payments learn nothing yet. unsent: the rail was not asked, so the
 * refund's call is due again.
 */
export type CallOutcome =
  | {
      readonly kind: 'answered';
      readonly command: PaymentCommand;
      readonly isInquired: boolean;
      /** The rail could not be reached: it has refused nothing. */
      readonly isUnreachable?: boolean;
    }
  | {
      readonly kind: 'open';
      readonly isUnknown: boolean;
      /** The rail answered that it knows no such order. */
      readonly isAbsent?: boolean;
      /** The rail's own id of an order that nobody can be shown how to pay: the next inquiry closes it. */
      readonly unusable?: string;
      readonly command: PaymentCommand | null;
    }
  | { readonly kind: 'unsent'; readonly command: PaymentCommand };

/** Returns the id under which status inquiries follow the call: a refund's call, else the order. */
export function findInquiryId(call: RailCall): string {
  return call.operation === 'refund' ? call.id : call.orderId;
}

function buildPayer({ request }: PaymentState): Payer {
  return {
    name: request.customerName,
    email: request.customerEmail,
    phone: request.customerPhone,
    description: request.description,
  };
}

/** Returns whether the payment still waits for this charge. */
export function isChargeWanted(state: PaymentState, call: ChargeCall, nowMs: number): boolean {
  const attempt = findAttempt(state, call.orderId);
  return attempt?.status === 'charging' && isOpen(state) && nowMs < call.expiresAtMs;
}

/** Returns whether the refund still waits for its rail: a reversal or an administrator may have ended it. */
export function isRefundWanted(state: PaymentState, { refundId }: RefundCall): boolean {
  return findRefund(state, refundId)?.status === 'asked';
}

export async function callRail(
  rail: Rail,
  call: RailCall,
  state: PaymentState,
  { signal, begin }: { readonly signal: AbortSignal; readonly begin: BeginRefund },
): Promise<CallOutcome> {
  switch (call.operation) {
    case 'charge':
      return buildChargeOutcome(call, await rail.charge(call, buildPayer(state), signal));
    case 'close':
      return buildCloseOutcome(call, await rail.close(call, signal));
    case 'refund':
      return buildRefundOutcome(call, await rail.refund(call, signal, begin));
    default:
      return unreachable(call);
  }
}

/** The outcome of a call whose answer is lost. */
export function buildUnknownOutcome(call: RailCall): CallOutcome {
  if (call.operation === 'charge') return buildChargeOutcome(call, { result: 'unknown' });
  if (call.operation === 'close') return buildCloseOutcome(call, { result: 'unknown' });
  return buildRefundOutcome(call, { result: 'unknown' });
}

/** The outcome of a charge that was not made. */
export function buildNotChargedOutcome(call: ChargeCall): CallOutcome {
  return buildChargeOutcome(call, { result: 'refused' });
}

/** The outcome of a call that its process did not make, since it was paused after the claim. */
export function buildNotMadeOutcome(call: RailCall): CallOutcome {
  if (call.operation === 'charge') return buildNotChargedOutcome(call);
  if (call.operation === 'close') return buildUnknownOutcome(call);
  return buildRefundOutcome(call, { result: 'not_sent' });
}

/** The outcome of a refund that was not requested since it has ended; its command changes nothing. */
export function buildNotRefundedOutcome({ paymentId, refundId }: RefundCall): CallOutcome {
  const answer = { result: 'unknown' } as const;
  const command = { type: 'refund_answered', paymentId, refundId, answer } as const;
  return { kind: 'answered', command, isInquired: false };
}

function buildChargeOutcome(
  { paymentId, orderId }: ChargeCall,
  given: ChargeCallAnswer,
): CallOutcome {
  // Payments learn that the outcome is unknown only when the first status inquiry has found nothing either.
  if (given.result === 'unknown') return { kind: 'open', isUnknown: true, command: null };
  if (given.result === 'unusable') {
    return { kind: 'open', isUnknown: false, unusable: given.railReference, command: null };
  }
  const isUnreachable = given.result === 'not_sent';
  const answer = isUnreachable ? ({ result: 'refused' } as const) : given;
  const command = { type: 'charge_answered', paymentId, orderId, answer } as const;
  return { kind: 'answered', command, isInquired: answer.result === 'accepted', isUnreachable };
}

function buildCloseOutcome(
  { paymentId, orderId, purpose }: CloseCall,
  answer: CloseAnswer | UnknownAnswer,
): CallOutcome {
  if (answer.result === 'unknown') {
    const isAbsent = 'isAbsent' in answer && answer.isAbsent === true;
    return { kind: 'open', isUnknown: true, isAbsent, command: null };
  }
  const command = { type: 'close_answered', paymentId, orderId, purpose, answer } as const;
  return { kind: 'answered', command, isInquired: true };
}

function buildRefundOutcome(
  { paymentId, refundId }: RefundCall,
  given: RefundCallAnswer,
): CallOutcome {
  const isUnsent = given.result === 'not_sent';
  const answer = isUnsent ? ({ result: 'unknown' } as const) : given;
  const command = { type: 'refund_answered', paymentId, refundId, answer } as const;
  if (isUnsent) return { kind: 'unsent', command };
  const isUnknown = answer.result === 'unknown';
  if (isUnknown || answer.result === 'pending') return { kind: 'open', isUnknown, command };
  return { kind: 'answered', command, isInquired: false };
}
