// Derives what follows from an event: work for the commit that stores it (postings, rail calls, tasks, the
// webhook) and answers for after that commit. The result is a value; nothing is done here.
import { formatAmount } from '../money.js';
import type { PaymentEventData, WebhookType } from '../schemas/event.js';
import { deriveCreateEffects } from './create.js';
import type { EventType, PaymentEvent } from './events.js';
import { findHandler } from './evolve.js';
import type { Effects } from './slice.js';
import { type PaymentState, findRefundAmount, sumRefundedMinor } from './state.js';
import { formatTime, methodShown, orderIdShown, statusShown } from './view.js';

/** The webhook that each event sends to the merchant; the other events send none. */
const WEBHOOKS: Partial<Record<EventType, WebhookType>> = {
  payment_paid: 'payment.paid',
  payment_failed: 'payment.failed',
  payment_reversed: 'payment.failed',
  payment_cancelled: 'payment.cancelled',
  refund_succeeded: 'payment.refunded',
};

/** `state` is the payment with the event applied, not with later events of the same decision. */
export function deriveEffects(state: PaymentState, event: PaymentEvent): Effects {
  if (event.type === 'payment_created') return deriveCreateEffects(state, event);
  const own = findHandler(event).effects(state, event);
  const type = WEBHOOKS[event.type];
  return type === undefined ? own : { ...own, webhook: { type, data: describe(state, event) } };
}

function describe(state: PaymentState, event: PaymentEvent): PaymentEventData {
  const data: PaymentEventData = {
    id: state.id,
    status: statusShown(state),
    amount: formatAmount(state.request.amountMinor),
    currency: state.request.currency,
    reference_id: state.request.referenceId,
    order_id: orderIdShown(state),
    paid_at: formatTime(state.paidAtMs),
    payment_method: methodShown(state),
    refunded_amount: formatAmount(sumRefundedMinor(state)),
    failure_code: state.failureCode,
    late: state.isLate,
    metadata: state.request.metadata,
  };
  if (event.type !== 'refund_succeeded') return data;
  const refund_amount = formatAmount(findRefundAmount(state, event.refundId));
  return { ...data, refund_id: event.refundId, refund_amount };
}
