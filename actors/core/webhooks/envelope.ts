// Webhook envelopes beside those of payment events: the event of `POST …/test`, and the envelope of
// an erased payment.
import { type EventId, deriveEventId, makeId, type PaymentId } from '../ids.js';
import type { EventBody, PaymentEventData, WebhookType } from '../schemas/event.js';

export interface TestEvent {
  readonly eventId: EventId;
  readonly paymentId: PaymentId;
  readonly version: number;
  readonly type: WebhookType;
  /** The exact text that is signed, stored and sent. */
  readonly body: string;
}

const VERSION = 1;

const BY_TYPE: Readonly<Record<WebhookType, Partial<PaymentEventData>>> = {
  'payment.paid': { status: 'paid' },
  'payment.failed': { status: 'failed', failure_code: 'expired', paid_at: null },
  'payment.cancelled': { status: 'cancelled', paid_at: null },
  'payment.refunded': { status: 'refunded', refunded_amount: '150000', refund_amount: '150000' },
  'refund.failed': { refund_amount: '150000' },
};

/** An event of a payment that does not exist, marked with `data.test`. `random` has 16 bytes. */
export function makeTestEvent(type: WebhookType, random: Uint8Array, nowMs: number): TestEvent {
  const paymentId = makeId('pay', random);
  const eventId = deriveEventId(paymentId, VERSION);
  const time = new Date(nowMs).toISOString();
  const data: PaymentEventData = {
    ...{ id: paymentId, status: 'paid', amount: '150000', currency: 'IDR' },
    ...{ reference_id: 'test', order_id: null, paid_at: time, payment_method: 'QRIS' },
    ...{ refunded_amount: '0', failure_code: null, late: false, metadata: {} },
    ...BY_TYPE[type],
    ...(type === 'payment.refunded' || type === 'refund.failed'
      ? { refund_id: makeId('ref', random) }
      : {}),
    test: true,
  };
  const envelope: EventBody = { id: eventId, type, created_at: time, data };
  return { eventId, paymentId, version: VERSION, type, body: JSON.stringify(envelope) };
}

/**
 * Removes the merchant's texts from a stored envelope; all other fields and their order stay. The
 * id stays too, so receivers that know the event ignore it. Later deliveries send these bytes and
 * sign them.
 */
export function eraseEnvelope(text: string, withReference: boolean): string {
  const envelope = JSON.parse(text) as EventBody;
  const erased = withReference ? { reference_id: null } : {};
  return JSON.stringify({ ...envelope, data: { ...envelope.data, ...erased, metadata: {} } });
}
