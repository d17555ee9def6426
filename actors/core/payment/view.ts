// A payment as merchants and the sandbox page see it, with the fields in the documented order. Each body is one literal,
// since it is built for every answer.
import { formatAmount, ZERO_MINOR } from '../money.js';
import type { PaymentMethodId } from '../payment-methods.js';
import type { OrderId } from '../ids.js';
import type { PaymentBody, SandboxBody } from '../schemas/payment.js';
import type { RefundBody, ShownRefundStatus } from '../schemas/refund.js';
import {
  findLatestAttempt,
  type PaymentState,
  type Refund,
  computeRefundableMinor,
  sumChargedBackMinor,
  sumRefundedMinor,
} from './state.js';
import type { RefundStatus, ShownStatus } from '../statuses.js';

/** The answer without `checkout_url`, which depends on BASE_URL and so is not stored (wire/snapshot.ts). */
export function viewPayment(state: PaymentState): Omit<PaymentBody, 'checkout_url'> {
  const { request } = state;
  const body: Omit<PaymentBody, 'checkout_url'> = {
    id: state.id,
    object: 'payment',
    environment: state.environment,
    status: findShownStatus(state),
    amount: formatAmount(request.amountMinor),
    currency: request.currency,
    description: request.description,
    reference_id: request.referenceId,
    payment_method: findShownMethod(state),
    customer_name: request.customerName,
    customer_email: request.customerEmail,
    customer_phone: request.customerPhone,
    success_url: request.successUrl,
    cancel_url: request.cancelUrl,
    order_id: findShownOrderId(state),
    refunded_amount: formatAmount(sumRefundedMinor(state)),
    refundable_amount: formatAmount(computeRefundableMinor(state)),
    failure_code: state.failureCode,
    late: state.isLate,
    metadata: request.metadata,
    created_at: formatCreatedAt(state.createdAtMs),
    expires_at: formatExpiresAt(state.expiresAtMs),
    paid_at: formatTime(state.paidAtMs),
    failed_at: formatTime(state.failedAtMs),
    cancelled_at: formatTime(state.cancelledAtMs),
    refunded_at: formatTime(state.refundedAtMs),
  };
  // Most payments have no refund, and a snapshot of a former version lacks the field.
  return state.refunds.length === 0 ? body : { ...body, ...viewChargebacks(state) };
}

/** Absent: the bank took back nothing. */
export function viewChargebacks(state: PaymentState): Pick<PaymentBody, 'charged_back_amount'> {
  const chargedBackMinor = sumChargedBackMinor(state);
  return chargedBackMinor === ZERO_MINOR
    ? {}
    : { charged_back_amount: formatAmount(chargedBackMinor) };
}

/** The public view of a TEST payment; null: the sandbox cannot see LIVE payments. */
export function viewSandbox(state: PaymentState): SandboxBody | null {
  if (state.environment !== 'TEST') return null;
  return {
    id: state.id,
    object: 'payment',
    environment: state.environment,
    status: findShownStatus(state),
    amount: formatAmount(state.request.amountMinor),
    currency: state.request.currency,
    description: state.request.description,
    payment_method: findShownMethod(state),
    expires_at: new Date(state.expiresAtMs).toISOString(),
    paid_at: formatTime(state.paidAtMs),
  };
}

/** Merchants see one status while a refund waits, be it for the rail or for another refund. */
const SHOWN_REFUND_STATUSES = {
  queued: 'PENDING',
  asked: 'PENDING',
  manual_required: 'MANUAL_REQUIRED',
  succeeded: 'SUCCEEDED',
  failed: 'FAILED',
} as const satisfies Record<RefundStatus, ShownRefundStatus>;

export function viewRefund(state: PaymentState, refund: Refund): RefundBody {
  return {
    id: refund.id,
    object: 'refund',
    payment_id: state.id,
    origin: refund.origin,
    status: SHOWN_REFUND_STATUSES[refund.status],
    amount: formatAmount(refund.amountMinor),
    currency: state.request.currency,
    reason: refund.reason,
    reference_id: refund.referenceId,
    created_at: new Date(refund.createdAtMs).toISOString(),
    completed_at: formatTime(refund.completedAtMs),
  };
}

export function findShownStatus(state: PaymentState): ShownStatus {
  return state.status === 'creating' ? 'pending' : state.status;
}

/** The order of the settled attempt, else of the latest one. */
export function findShownOrderId(state: PaymentState): OrderId | null {
  return state.capture?.orderId ?? findLatestAttempt(state)?.orderId ?? null;
}

/** The method that paid, else the one chosen last, else the merchant's. */
export function findShownMethod(state: PaymentState): PaymentMethodId | null {
  const orderId = findShownOrderId(state);
  const attempt = state.attempts.find((candidate) => candidate.orderId === orderId);
  return attempt?.method ?? state.request.paymentMethod;
}

export function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/**
 * All creates of a batch have one time of creation, and most have one expiry, so the latest text is kept. The snapshot and
 * the answer of a create format four times, 0.5 µs each.
 */
export const formatCreatedAt = createTimeFormat();
export const formatExpiresAt = createTimeFormat();

function createTimeFormat(): (ms: number) => string {
  let latestMs = NaN;
  let latest = '';
  return (ms) => {
    if (ms !== latestMs) {
      latest = new Date(ms).toISOString();
      latestMs = ms;
    }
    return latest;
  };
}
