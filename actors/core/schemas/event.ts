// The webhook envelope and its data (docs/guides/webhooks.md).
import { type Static, Type } from '@sinclair/typebox';
import { EVENT_ID_PATTERN, type EventId } from '../ids.js';
import {
  AmountSchema,
  CurrencySchema,
  MetadataSchema,
  MethodSchema,
  allowNull,
  OrderIdSchema,
  PaymentIdSchema,
  RefundIdSchema,
  TimeSchema,
} from './fields.js';
import { FailureCodeSchema, StatusSchema } from './payment.js';
import { PayoutFailureSchema, PayoutIdSchema, PayoutStatusSchema } from './payout.js';

/** payment/state-machine.ts and payout/webhooks.ts tell which events send which of these. */
const DEFAULT_WEBHOOK_TYPES = [
  'payment.paid',
  'payment.failed',
  'payment.cancelled',
  'payment.refunded',
] as const;
export const PAYMENT_WEBHOOK_TYPES = [...DEFAULT_WEBHOOK_TYPES, 'refund.failed'] as const;
export type PaymentWebhookType = (typeof PAYMENT_WEBHOOK_TYPES)[number];
export const PAYOUT_WEBHOOK_TYPES = [
  'payout.completed',
  'payout.failed',
  'payout.reversed',
] as const;
export type PayoutWebhookType = (typeof PAYOUT_WEBHOOK_TYPES)[number];
export const WEBHOOK_TYPES = [...PAYMENT_WEBHOOK_TYPES, ...PAYOUT_WEBHOOK_TYPES] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];
/** The meaning of `*` for an endpoint. It receives the other types only if it names them. */
export const STAR_TYPES: readonly WebhookType[] = DEFAULT_WEBHOOK_TYPES;

/** A type in a request. */
export const WebhookTypeChoice = Type.Unsafe<WebhookType>(
  Type.Union(
    WEBHOOK_TYPES.map((type) => Type.Literal(type)),
    { errorMessage: `must be one of ${WEBHOOK_TYPES.join(', ')}` },
  ),
);

export const PaymentEventDataSchema = Type.Object(
  {
    id: PaymentIdSchema,
    status: StatusSchema,
    amount: AmountSchema,
    currency: CurrencySchema,
    reference_id: allowNull(Type.String()),
    order_id: allowNull(OrderIdSchema),
    paid_at: allowNull(TimeSchema),
    payment_method: allowNull(MethodSchema),
    refunded_amount: AmountSchema,
    failure_code: allowNull(FailureCodeSchema),
    late: Type.Boolean(),
    metadata: MetadataSchema,
    refund_id: Type.Optional(RefundIdSchema),
    refund_amount: Type.Optional(AmountSchema),
    test: Type.Optional(Type.Literal(true)),
  },
  {
    title: 'PaymentEventData',
    description:
      'refund_id and refund_amount belong to payment.refunded and refund.failed, test to a test event.',
  },
);
export type PaymentEventData = Static<typeof PaymentEventDataSchema>;

/** Without the bank account: users who may not read payouts may read events. */
export const PayoutEventDataSchema = Type.Object(
  {
    id: PayoutIdSchema,
    status: PayoutStatusSchema,
    amount: AmountSchema,
    currency: CurrencySchema,
    reference_id: allowNull(Type.String()),
    failure_code: PayoutFailureSchema,
    completed_at: allowNull(TimeSchema),
    failed_at: allowNull(TimeSchema),
    reversed_at: allowNull(TimeSchema),
    test: Type.Optional(Type.Literal(true)),
  },
  {
    title: 'PayoutEventData',
    description:
      'The payout of payout.completed, payout.failed and payout.reversed; test belongs to a test event.',
  },
);
export type PayoutEventData = Static<typeof PayoutEventDataSchema>;

export function isPayoutType(type: WebhookType): type is PayoutWebhookType {
  const types: readonly WebhookType[] = PAYOUT_WEBHOOK_TYPES;
  return types.includes(type);
}

export const EventEnvelope = Type.Object(
  {
    id: Type.Unsafe<EventId>(
      Type.String({
        pattern: EVENT_ID_PATTERN,
        examples: ['evt_5jz8q4m1n7v2c9k3x6w0t4h8rb0002'],
      }),
    ),
    type: Type.Unsafe<WebhookType>(Type.String({ enum: [...WEBHOOK_TYPES] })),
    created_at: TimeSchema,
    data: Type.Union([PaymentEventDataSchema, PayoutEventDataSchema]),
  },
  {
    title: 'Event',
    description: 'What a webhook endpoint receives. Deliveries can repeat: tell them by id.',
  },
);
export type EventBody = Static<typeof EventEnvelope>;
