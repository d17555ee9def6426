// The webhooks that the events of a payout send: its end, however it came about, and the return of its money.
import { deriveEventId, type EventId } from '../ids.js';
import { formatAmount } from '../money.js';
import { formatTime } from '../payment/view.js';
import { encodeEnvelope } from '../webhooks/envelope.js';
import type { PayoutEventData, PayoutWebhookType } from '../schemas/event.js';
import type { PayoutEvent } from './events.js';
import type { PayoutState } from './state.js';

export interface PayoutWebhook {
  readonly eventId: EventId;
  readonly type: PayoutWebhookType;
  /** The exact text that is stored, signed and sent. */
  readonly envelope: string;
}

export const PAYOUT_WEBHOOKS: Partial<Record<PayoutEvent['type'], PayoutWebhookType>> = {
  payout_completed: 'payout.completed',
  payout_corrected: 'payout.completed',
  payout_failed: 'payout.failed',
  payout_reversed: 'payout.reversed',
};

/** null: the event sends none. `state` is the payout with the event applied, not with later ones. */
export function buildPayoutWebhook(state: PayoutState, event: PayoutEvent): PayoutWebhook | null {
  const type = PAYOUT_WEBHOOKS[event.type];
  if (type === undefined) return null;
  const eventId = deriveEventId(event.payoutId, event.version);
  return { eventId, type, envelope: encodeEnvelope(eventId, type, event.atMs, describe(state)) };
}

function describe(state: PayoutState): PayoutEventData {
  const { request } = state;
  return {
    id: state.id,
    status: state.status,
    amount: formatAmount(request.amountMinor),
    currency: request.currency,
    reference_id: request.referenceId,
    failure_code: state.failureCode,
    completed_at: formatTime(state.completedAtMs),
    failed_at: formatTime(state.failedAtMs),
    reversed_at: formatTime(state.reversedAtMs),
  };
}
