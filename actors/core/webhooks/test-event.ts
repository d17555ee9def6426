// The event of `POST …/test`: one of the four types, of a payment that does not exist, marked with `data.test`.
import { type EventId, eventIdOf, newId, type PaymentId } from '../ids.js';
import type { EventBody, PaymentEventData, WebhookType } from '../schemas/event.js';

export interface TestEvent {
  readonly eventId: EventId;
  readonly paymentId: PaymentId;
  readonly version: number;
  readonly type: WebhookType;
  /** What is signed, stored and sent. */
  readonly body: string;
}

const VERSION = 1;

const BY_TYPE: Readonly<Record<WebhookType, Partial<PaymentEventData>>> = {
  'payment.paid': { status: 'paid' },
  'payment.failed': { status: 'failed', failure_code: 'expired', paid_at: null },
  'payment.cancelled': { status: 'cancelled', paid_at: null },
  'payment.refunded': { status: 'refunded', refunded_amount: '150000', refund_amount: '150000' },
};

/** `random`: 16 bytes. */
export function makeTestEvent(type: WebhookType, random: Uint8Array, nowMs: number): TestEvent {
  const paymentId = newId('pay', random);
  const eventId = eventIdOf(paymentId, VERSION);
  const time = new Date(nowMs).toISOString();
  const data: PaymentEventData = {
    ...{ id: paymentId, status: 'paid', amount: '150000', currency: 'IDR' },
    ...{ reference_id: 'test', order_id: null, paid_at: time, payment_method: 'QRIS' },
    ...{ refunded_amount: '0', failure_code: null, late: false, metadata: {} },
    ...BY_TYPE[type],
    ...(type === 'payment.refunded' ? { refund_id: newId('ref', random) } : {}),
    test: true,
  };
  const envelope: EventBody = { id: eventId, type, created_at: time, data };
  return { eventId, paymentId, version: VERSION, type, body: JSON.stringify(envelope) };
}
