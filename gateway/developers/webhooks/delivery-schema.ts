// Request and response schemas of webhook deliveries. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import {
  ENDPOINT_ID_PATTERN,
  EVENT_ID_PATTERN,
  PAYMENT_ID_PATTERN,
  type PaymentId,
} from '#actors/core/ids.js';
import { WebhookTypeChoice } from '#actors/core/schemas/event.js';
import {
  allowNull,
  AmountSchema,
  CurrencySchema,
  PAYMENT_ID_REQUIREMENT,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { DELIVERY_FAILURES } from '#actors/core/webhooks/failures.js';
import { MAX_SUBJECTS } from '#store/postgres/webhooks/delivery-subjects.js';
import { PayoutIdSchema } from '#actors/core/schemas/payout.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentChoice, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { Url } from './schema.js';

export const DeliveriesQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.Literal('pending'), Type.Literal('delivered'), Type.Literal('dead')], {
        errorMessage: 'must be pending, delivered or dead',
      }),
    ),
    ...PAGE_QUERY,
  },
  closed,
);
export type DeliveriesQuery = Static<typeof DeliveriesQuery>;

const PaymentOfEvent = Type.Optional(
  Type.Unsafe<PaymentId>(
    Type.String({
      pattern: PAYMENT_ID_PATTERN,
      description: 'The deliveries of the events of this payment.',
      errorMessage: PAYMENT_ID_REQUIREMENT,
    }),
  ),
);

/** The payment or payout that an event is about. */
export const SUBJECT_FILTER = {
  payment_id: PaymentOfEvent,
  reference_id: Type.Optional(
    Type.String({
      description: `The \`reference_id\` of the payment or payout, exact: the newest ${MAX_SUBJECTS} with it are looked at.`,
      examples: ['order-5'],
    }),
  ),
  amount: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,15}$',
      description: 'The amount of the payment or payout, in minor units.',
      errorMessage: 'must be a whole number of minor units, of at most 15 digits, such as 150000',
      examples: ['150000'],
    }),
  ),
};

/** The reason of the last attempt. */
export const ReasonFilter = Type.Optional(
  Type.String({
    pattern: `^(${DELIVERY_FAILURES.join('|')})$`,
    description: 'The reason of the last attempt.',
    errorMessage: `must be one of ${DELIVERY_FAILURES.join(', ')}`,
    examples: ['http_405'],
  }),
);

export const EndpointFilter = Type.Optional(
  Type.String({
    pattern: ENDPOINT_ID_PATTERN,
    errorMessage: 'must be the id of an endpoint, such as we_5jz8q4m1n7v2c9k3x6w0t4h8rb',
    examples: ['we_5jz8q4m1n7v2c9k3x6w0t4h8rb'],
  }),
);

export const MerchantDeliveriesQuery = Type.Object(
  {
    environment: Type.Optional(EnvironmentChoice),
    endpoint_id: EndpointFilter,
    type: Type.Optional(WebhookTypeChoice),
    reason: ReasonFilter,
    ...SUBJECT_FILTER,
    event_id: Type.Optional(
      Type.String({
        pattern: EVENT_ID_PATTERN,
        description: 'The deliveries of this event.',
        errorMessage: 'must be the id of an event',
        examples: ['evt_5jz8q4m1n7v2c9k3x6w0t4h8rb0002'],
      }),
    ),
    payout_id: Type.Optional({
      ...PayoutIdSchema,
      description: 'The deliveries of the events of this payout. `payment_id` goes before it.',
    }),
    ...DeliveriesQuery.properties,
  },
  closed,
);
export type MerchantDeliveriesQuery = Static<typeof MerchantDeliveriesQuery>;

const DELIVERY = {
  id: Type.String({ examples: ['del_0f1e2d3c4b5a69788796a5b4c3d2e1f0'] }),
  object: Type.Literal('webhook_delivery'),
  event_id: Type.String({ examples: ['evt_5jz8q4m1n7v2c9k3x6w0t4h8rb0002'] }),
  endpoint_id: buildIdSchema('we', 'The endpoint.'),
  environment: Type.String({ enum: ['TEST', 'LIVE'] }),
  url: Url,
  type: Type.String({ examples: ['payment.paid'] }),
  payment_id: allowNull(buildIdSchema('pay', 'The payment; null: the event is of a payout.')),
  payout_id: allowNull(buildIdSchema('po', 'The payout; null: the event is of a payment.')),
  reference_id: allowNull(
    Type.String({ description: 'Of the payment or payout; null also for a test event.' }),
  ),
  amount: allowNull(AmountSchema, {
    description: 'Of the payment or payout; null: it does not exist, as that of a test event.',
  }),
  currency: allowNull(CurrencySchema),
  status: Type.String({ enum: ['pending', 'delivered', 'dead'] }),
  attempts: Type.Integer(),
  reason: allowNull(Type.String({ description: 'The reason of the latest failed attempt.' })),
  meaning: allowNull(Type.String({ description: 'The reason in words.' })),
  created_at: TimeSchema,
  next_attempt_at: allowNull(TimeSchema, {
    description:
      'Never in the past: a delivery that is due waits for its turn, or for the end of the pause of its endpoint. Null: no ' +
      'attempt follows by itself, also because the endpoint is off.',
  }),
  settled_at: allowNull(TimeSchema),
};
export const Delivery = Type.Object(DELIVERY, {
  title: 'WebhookDelivery',
  description: 'The delivery of an event to an endpoint.',
});

const Attempt = Type.Object(
  {
    attempt: Type.Integer(),
    at: TimeSchema,
    duration_ms: Type.Integer(),
    status_code: allowNull(Type.Integer()),
    reason: allowNull(Type.String()),
    meaning: allowNull(Type.String()),
    error: allowNull(Type.String()),
    response: allowNull(Type.String({ description: 'The first 1 KiB of the answer.' })),
    request_headers: allowNull(Type.Record(Type.String(), Type.String()), {
      description:
        'The headers of the request as they were sent, with its signatures. Empty: no request was sent, because no connection ' +
        'was made. Null: they are not stored, because the attempt is older than this field, or data of its event was erased.',
    }),
  },
  { title: 'DeliveryAttempt' },
);
export const DeliveryDetails = Type.Object(
  {
    ...DELIVERY,
    body: Type.String({ description: 'The request body, byte for byte.' }),
    attempts_made: Type.Array(Attempt, { description: 'The latest 50 attempts, newest first.' }),
  },
  { title: 'WebhookDeliveryDetails', description: 'A delivery with its attempts.' },
);
