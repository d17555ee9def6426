// Request and response schemas of webhook endpoints and deliveries. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import {
  ENDPOINT_ID_PATTERN,
  EVENT_ID_PATTERN,
  PAYMENT_ID_PATTERN,
  type PaymentId,
} from '#actors/core/ids.js';
import { STAR_TYPES, WEBHOOK_TYPES, WebhookTypeChoice } from '#actors/core/schemas/event.js';
import {
  allowNull,
  AmountSchema,
  CurrencySchema,
  PAYMENT_ID_REQUIREMENT,
  TimeSchema,
  URL_NORMALIZED,
} from '#actors/core/schemas/fields.js';
import { MAX_URL_CHARACTERS } from '#actors/core/urls.js';
import { DELIVERY_FAILURES } from '#actors/core/webhooks/failures.js';
import { MAX_SUBJECTS } from '#store/postgres/webhooks/delivery-subjects.js';
import { PayoutIdSchema } from '#actors/core/schemas/payout.js';
import { HELD_FOR_DAYS } from '#store/postgres/webhooks/change-endpoints.js';
import { MAX_WAITING_COUNTED } from '#store/postgres/webhooks/list-endpoints.js';
import { PAGE_QUERY } from '../lists/page.js';
import { closed, buildIdSchema, FactorCodeSchema } from '../accounts/schema.js';
import { EnvironmentChoice } from '../api-keys/schema.js';

const MAX_OVERLAP_S = 604_800;
export const DEFAULT_OVERLAP_S = 86_400;

const EventsChoice = Type.Union(
  [
    Type.Array(WebhookTypeChoice, {
      minItems: 1,
      maxItems: WEBHOOK_TYPES.length,
      uniqueItems: true,
    }),
    Type.Array(Type.Literal('*'), { minItems: 1, maxItems: 1 }),
  ],
  {
    description: `Event types, or \`["*"]\` for ${STAR_TYPES.join(', ')}. Other types are sent only to endpoints that name them.`,
    errorMessage: `must be ["*"] or a list of ${WEBHOOK_TYPES.join(', ')}, each at most once`,
    examples: [['payment.paid']],
  },
);

export const URL_FORM = `must be an https:// URL of a public address, of at most ${MAX_URL_CHARACTERS} characters`;
const Url = Type.String({
  maxLength: MAX_URL_CHARACTERS,
  description: `An HTTPS URL of a public address, with port 443 or a port above 1023. ${URL_NORMALIZED}`,
  errorMessage: URL_FORM,
  examples: ['https://toko.example/webhooks'],
});

const AllowMany = Type.Optional(
  Type.Boolean({
    description:
      'Allows several active endpoints in one environment; otherwise only one may be active.',
  }),
);

const ReplaceOthers = Type.Optional(
  Type.Boolean({
    description:
      'Switches off the other active endpoints of the environment in the same step. `allow_many` is ignored then.',
  }),
);

const LiveCode = Type.Optional({
  ...FactorCodeSchema,
  description:
    'The current code of the authenticator app, or a recovery code. Required for a LIVE endpoint.',
});

export const CreateEndpointRequest = Type.Object(
  {
    url: Url,
    environment: EnvironmentChoice,
    events: Type.Optional(EventsChoice),
    allow_many: AllowMany,
    replace_others: ReplaceOthers,
    totp_code: LiveCode,
  },
  { ...closed, title: 'CreateWebhookEndpointRequest' },
);
export type CreateEndpointRequest = Static<typeof CreateEndpointRequest>;

export const ChangeEndpointRequest = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(EventsChoice),
    active: Type.Optional(Type.Boolean({ examples: [true] })),
    allow_many: AllowMany,
    replace_others: ReplaceOthers,
    hold_waiting: Type.Optional(
      Type.Boolean({
        description: `With \`active\` false: deliveries that wait are kept for up to ${HELD_FOR_DAYS} days and sent when the endpoint is active again. Otherwise they become dead letters.`,
      }),
    ),
    totp_code: LiveCode,
  },
  { ...closed, title: 'UpdateWebhookEndpointRequest' },
);
export type ChangeEndpointRequest = Static<typeof ChangeEndpointRequest>;

export const DeleteEndpointRequest = Type.Object(
  { totp_code: LiveCode },
  { ...closed, title: 'DeleteWebhookEndpointRequest' },
);
export type DeleteEndpointRequest = Static<typeof DeleteEndpointRequest>;

export const RotateRequest = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_S,
        description: `How long both secrets sign; 0 ends the old one at once. Absent: ${DEFAULT_OVERLAP_S}; \`null\` is an error.`,
        refusesNull: true,
      }),
    ),
    totp_code: LiveCode,
  },
  { ...closed, title: 'RotateWebhookSecretRequest' },
);
export type RotateRequest = Static<typeof RotateRequest>;

export const TestRequest = Type.Object(
  { type: Type.Optional(WebhookTypeChoice) },
  { ...closed, title: 'SendTestEventRequest' },
);
export type TestRequest = Static<typeof TestRequest>;

export const EndpointsQuery = Type.Object(
  { environment: Type.Optional(EnvironmentChoice) },
  closed,
);
export type EndpointsQuery = Static<typeof EndpointsQuery>;

export const ENDPOINT_STATES = ['active', 'failing', 'paused', 'off'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

const HEALTH = {
  attempts: Type.Integer({ description: 'Attempts of its newest 1,000 deliveries.' }),
  failures: Type.Integer({ description: 'Those of them that failed.' }),
  error_rate: allowNull(Type.Number({ minimum: 0, maximum: 1, examples: [0.25] }), {
    description: 'The part that failed. Null: there was no attempt.',
  }),
  last_success_at: allowNull(TimeSchema),
  last_failure_at: allowNull(TimeSchema),
  reason: allowNull(Type.String({ description: 'The reason of the latest failed attempt.' })),
  meaning: allowNull(Type.String({ description: 'The reason in words.' })),
};

const STATE = {
  state: Type.Unsafe<EndpointState>(
    Type.String({
      enum: [...ENDPOINT_STATES],
      description:
        'failing: the latest attempts failed. paused: five or more failed in a row, so that nothing is sent until ' +
        '`paused_until`; test events are. off: `active` is false.',
    }),
  ),
  consecutive_failures: Type.Integer({ description: 'Failed attempts since the last success.' }),
  paused_until: allowNull(TimeSchema),
  held_until: allowNull(TimeSchema, {
    description: 'Deliveries that wait are kept until then, while it is off. Null: they are not.',
  }),
  waiting: Type.Integer({
    description: `Deliveries that wait for an attempt. ${MAX_WAITING_COUNTED} means at least as many.`,
  }),
  last_24_hours: Type.Object(HEALTH),
};

const ENDPOINT = {
  id: buildIdSchema('we', 'The endpoint.'),
  object: Type.Literal('webhook_endpoint'),
  environment: Type.String({ enum: ['TEST', 'LIVE'] }),
  url: Url,
  events: Type.Array(Type.String({ examples: ['payment.paid'] })),
  active: Type.Boolean(),
  created_at: TimeSchema,
  overlap_ends_at: allowNull(TimeSchema),
};
export const Endpoint = Type.Object(
  { ...ENDPOINT, ...STATE },
  {
    title: 'WebhookEndpoint',
    description: 'A webhook endpoint. `overlap_ends_at` is set while a secret rotation overlaps.',
  },
);
export const NewEndpoint = Type.Object(
  {
    ...ENDPOINT,
    secret: Type.String({
      description: 'Signs the webhooks of this endpoint. Shown only once.',
      examples: [`whsec_${'x'.repeat(43)}=`],
    }),
  },
  { title: 'NewWebhookEndpoint', description: 'A webhook endpoint with its new secret.' },
);

export const OwnerEvent = Type.Object(
  {
    id: Type.String({ examples: ['evt_0f1e2d3c4b5a69788796a5b4c3d2e1f0'] }),
    type: Type.String({ enum: ['endpoint.disabled'] }),
    created_at: TimeSchema,
    data: Type.Object({
      endpoint_id: buildIdSchema('we', 'The endpoint.'),
      environment: Type.String({ enum: ['TEST', 'LIVE'] }),
      url: Url,
      failing_since: TimeSchema,
    }),
  },
  { title: 'WebhookEndpointEvent', description: 'An event about a webhook endpoint.' },
);

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
