// The webhooks that the specification names, and what they carry.
import { formatAmount } from '#actors/core/money.js';
import type { PaymentEventData, WebhookType } from '#actors/core/schemas/event.js';
import type { RefundSucceeded } from '../events.js';
import { type PaymentState, refundAmount, refundedMinor } from '../state.js';
import { formatTime, methodShown, orderIdShown, statusShown } from '../view.js';

export interface Webhook {
  readonly type: WebhookType;
  readonly data: PaymentEventData;
}

export function webhook(
  state: PaymentState,
  type: Exclude<WebhookType, 'payment.refunded'>,
): Webhook {
  return { type, data: describe(state) };
}

export function refundWebhook(state: PaymentState, { refundId }: RefundSucceeded): Webhook {
  const refund_amount = formatAmount(refundAmount(state, refundId));
  const data = { ...describe(state), refund_id: refundId, refund_amount };
  return { type: 'payment.refunded', data };
}

function describe(state: PaymentState): PaymentEventData {
  return {
    id: state.id,
    status: statusShown(state),
    amount: formatAmount(state.request.amountMinor),
    currency: state.request.currency,
    reference_id: state.request.referenceId,
    order_id: orderIdShown(state),
    paid_at: formatTime(state.paidAtMs),
    payment_method: methodShown(state),
    refunded_amount: formatAmount(refundedMinor(state)),
    failure_code: state.failureCode,
    late: state.isLate,
    metadata: state.request.metadata,
  };
}
