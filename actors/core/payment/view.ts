// What merchants and the sandbox see of a payment: bodies in the order of fields of the contract. Literals,
// since they are written for every answer; `creating` is shown as pending.
import { formatAmount } from '../money.js';
import type { PaymentMethodId } from '../payment-methods.js';
import type { OrderId } from '../ids.js';
import type { PaymentBody, SandboxBody, ShownStatus } from '../schemas/payment.js';
import type { RefundBody, ShownRefundStatus } from '../schemas/refund.js';
import {
  findLatestAttempt,
  type PaymentState,
  type Refund,
  computeRefundableMinor,
  sumRefundedMinor,
} from './state.js';
import { type RefundStatus } from '../statuses.js';

export function viewPayment(state: PaymentState, baseUrl: string): PaymentBody {
  const { request } = state;
  return {
    id: state.id,
    object: 'payment',
    environment: state.environment,
    status: statusShown(state),
    amount: formatAmount(request.amountMinor),
    currency: request.currency,
    description: request.description,
    reference_id: request.referenceId,
    payment_method: methodShown(state),
    customer_name: request.customerName,
    customer_email: request.customerEmail,
    customer_phone: request.customerPhone,
    success_url: request.successUrl,
    cancel_url: request.cancelUrl,
    checkout_url: `${baseUrl}/checkout/${state.id}`,
    order_id: orderIdShown(state),
    refunded_amount: formatAmount(sumRefundedMinor(state)),
    refundable_amount: formatAmount(computeRefundableMinor(state)),
    failure_code: state.failureCode,
    late: state.isLate,
    metadata: request.metadata,
    created_at: new Date(state.createdAtMs).toISOString(),
    expires_at: new Date(state.expiresAtMs).toISOString(),
    paid_at: formatTime(state.paidAtMs),
    failed_at: formatTime(state.failedAtMs),
    cancelled_at: formatTime(state.cancelledAtMs),
    refunded_at: formatTime(state.refundedAtMs),
  };
}

/** The public view of a TEST payment; null for a LIVE one, which does not exist for the sandbox. */
export function viewSandbox(state: PaymentState): SandboxBody | null {
  if (state.environment !== 'TEST') return null;
  return {
    id: state.id,
    object: 'payment',
    environment: state.environment,
    status: statusShown(state),
    amount: formatAmount(state.request.amountMinor),
    currency: state.request.currency,
    description: state.request.description,
    payment_method: methodShown(state),
    expires_at: new Date(state.expiresAtMs).toISOString(),
    paid_at: formatTime(state.paidAtMs),
  };
}

/** Merchants do not see whether a refund waits for the rail or for another refund. */
const REFUND_STATUSES = {
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
    status: REFUND_STATUSES[refund.status],
    amount: formatAmount(refund.amountMinor),
    currency: state.request.currency,
    reason: refund.reason,
    reference_id: refund.referenceId,
    created_at: new Date(refund.createdAtMs).toISOString(),
    completed_at: formatTime(refund.completedAtMs),
  };
}

export function statusShown(state: PaymentState): ShownStatus {
  return state.status === 'creating' ? 'pending' : state.status;
}

/** The order of the attempt that settled, else of the latest. */
export function orderIdShown(state: PaymentState): OrderId | null {
  return state.capture?.orderId ?? findLatestAttempt(state)?.orderId ?? null;
}

/** What was paid with, else what was chosen last, else what the merchant asked for. */
export function methodShown(state: PaymentState): PaymentMethodId | null {
  const orderId = orderIdShown(state);
  const attempt = state.attempts.find((candidate) => candidate.orderId === orderId);
  return attempt?.method ?? state.request.paymentMethod;
}

export function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
