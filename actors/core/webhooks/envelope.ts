// Webhook envelopes: of an event, of the event of `POST …/test`, and of an erased payment.
import { type EventId, deriveEventId, makeId, type PaymentId, type PayoutId } from '../ids.js';
import {
  type EventBody,
  isPayoutType,
  type PaymentEventData,
  type PaymentWebhookType,
  type PayoutEventData,
  type PayoutWebhookType,
  type WebhookType,
} from '../schemas/event.js';

/** These very bytes are stored, signed and sent, and sent again on a retry. */
export function encodeEnvelope(
  id: EventId,
  type: WebhookType,
  atMs: number,
  data: EventBody['data'],
): string {
  return JSON.stringify({ id, type, created_at: new Date(atMs).toISOString(), data });
}

export interface TestEvent {
  readonly eventId: EventId;
  /** One of the two is null. */
  readonly paymentId: PaymentId | null;
  readonly payoutId: PayoutId | null;
  readonly version: number;
  readonly type: WebhookType;
  /** The exact text that is signed, stored and sent. */
  readonly body: string;
}

const VERSION = 1;

const OF_PAYMENT: Readonly<Record<PaymentWebhookType, Partial<PaymentEventData>>> = {
  'payment.paid': { status: 'paid' },
  'payment.failed': { status: 'failed', failure_code: 'expired', paid_at: null },
  'payment.cancelled': { status: 'cancelled', paid_at: null },
  'payment.refunded': { status: 'refunded', refunded_amount: '150000', refund_amount: '150000' },
  'refund.failed': { refund_amount: '150000' },
};

type Times = Pick<PayoutEventData, 'completed_at' | 'failed_at' | 'reversed_at'>;
const NO_TIMES: Times = { completed_at: null, failed_at: null, reversed_at: null };

const OF_PAYOUT: Readonly<
  Record<PayoutWebhookType, (time: string) => Partial<PayoutEventData> & Times>
> = {
  'payout.completed': (time) => ({ ...NO_TIMES, completed_at: time }),
  'payout.failed': (time) => ({
    ...{ ...NO_TIMES, failed_at: time },
    ...{ status: 'FAILED', failure_code: 'rejected_by_bank' },
  }),
  'payout.reversed': (time) => ({
    ...{ ...NO_TIMES, completed_at: time, reversed_at: time },
    status: 'REVERSED',
  }),
};

/**
 * An event of a payment or a payout that does not exist, marked with `data.test`. `random` has 16
 * bytes.
 */
export function makeTestEvent(type: WebhookType, random: Uint8Array, nowMs: number): TestEvent {
  const time = new Date(nowMs).toISOString();
  const isPayout = isPayoutType(type);
  const data = isPayout ? sampleOfPayout(type, random, time) : sampleOfPayment(type, random, time);
  const eventId = deriveEventId(data.id, VERSION);
  const envelope: EventBody = { id: eventId, type, created_at: time, data };
  return {
    eventId,
    paymentId: isPayout ? null : makeId('pay', random),
    payoutId: isPayout ? makeId('po', random) : null,
    version: VERSION,
    type,
    body: JSON.stringify(envelope),
  };
}

function sampleOfPayment(
  type: PaymentWebhookType,
  random: Uint8Array,
  time: string,
): PaymentEventData {
  const isOfRefund = type === 'payment.refunded' || type === 'refund.failed';
  return {
    ...{ id: makeId('pay', random), status: 'paid', amount: '150000', currency: 'IDR' },
    ...{ reference_id: 'test', order_id: null, paid_at: time, payment_method: 'QRIS' },
    ...{ refunded_amount: '0', failure_code: null, late: false, metadata: {} },
    ...OF_PAYMENT[type],
    ...(isOfRefund ? { refund_id: makeId('ref', random) } : {}),
    test: true,
  };
}

function sampleOfPayout(
  type: PayoutWebhookType,
  random: Uint8Array,
  time: string,
): PayoutEventData {
  return {
    ...{ id: makeId('po', random), status: 'COMPLETED', amount: '150000', currency: 'IDR' },
    ...{ reference_id: 'test', failure_code: null },
    ...OF_PAYOUT[type](time),
    test: true,
  };
}

/**
 * Removes the merchant's texts from a payment's stored envelope; all other fields and their order stay. The
 * id stays too, so receivers that know the event ignore it. Later deliveries send these bytes and
 * sign them.
 */
export function eraseEnvelope(text: string, withReference: boolean): string {
  const envelope = JSON.parse(text) as EventBody;
  const erased = withReference ? { reference_id: null } : {};
  return JSON.stringify({ ...envelope, data: { ...envelope.data, ...erased, metadata: {} } });
}
