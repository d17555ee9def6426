// Webhook endpoints and deliveries on the wire. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { DELIVERY_FAILURES } from '#actors/core/webhooks/failures.js';
import { ENDPOINT_ID_PATTERN } from '#actors/core/ids.js';
import { PAGE_QUERY } from '../lists/page.js';
import { closed, buildIdSchema } from '../accounts/schema.js';
import { EnvironmentChoice } from '../api-keys/schema.js';

const MAX_URL = 2_048;
const MAX_OVERLAP_S = 604_800;
export const DEFAULT_OVERLAP_S = 86_400;

const TypeChoice = Type.Union(
  [
    Type.Literal('payment.paid'),
    Type.Literal('payment.failed'),
    Type.Literal('payment.cancelled'),
    Type.Literal('payment.refunded'),
  ],
  { errorMessage: 'must be one of the four types of events' },
);

const EventsChoice = Type.Union(
  [
    Type.Array(TypeChoice, { minItems: 1, maxItems: 4, uniqueItems: true }),
    Type.Array(Type.Literal('*'), { minItems: 1, maxItems: 1 }),
  ],
  {
    description: 'Types of events, or `["*"]` for all, also those that are added later.',
    errorMessage: 'must be ["*"] or a list of types of events',
    examples: [['payment.paid']],
  },
);

const Url = Type.String({
  maxLength: MAX_URL,
  description: 'HTTPS, port 443 or above 1023, a public address.',
  examples: ['https://toko.example/webhooks'],
});

const AllowMany = Type.Optional(
  Type.Boolean({
    description: 'Others may be active beside it; else one is in each environment.',
    default: false,
  }),
);

export const CreateEndpointRequest = Type.Object(
  {
    url: Url,
    environment: EnvironmentChoice,
    events: Type.Optional(EventsChoice),
    allow_many: AllowMany,
  },
  closed,
);
export type CreateEndpointRequest = Static<typeof CreateEndpointRequest>;

export const ChangeEndpointRequest = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(EventsChoice),
    active: Type.Optional(Type.Boolean({ examples: [true] })),
    allow_many: AllowMany,
  },
  closed,
);
export type ChangeEndpointRequest = Static<typeof ChangeEndpointRequest>;

export const RotateRequest = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_S,
        default: DEFAULT_OVERLAP_S,
        description: 'How long both secrets sign; 0: the old one ends at once.',
      }),
    ),
  },
  closed,
);
export type RotateRequest = Static<typeof RotateRequest>;

export const TestRequest = Type.Object({ type: Type.Optional(TypeChoice) }, closed);
export type TestRequest = Static<typeof TestRequest>;

export const EndpointsQuery = Type.Object(
  { environment: Type.Optional(EnvironmentChoice) },
  closed,
);
export type EndpointsQuery = Static<typeof EndpointsQuery>;

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
export const Endpoint = Type.Object(ENDPOINT, {
  ...closed,
  description:
    'Where events are sent. While a rotation overlaps, `overlap_ends_at` tells until when.',
});
export const NewEndpoint = Type.Object(
  {
    ...ENDPOINT,
    secret: Type.String({
      description: 'Signs what is sent there. Shown this once.',
      examples: [`whsec_${'x'.repeat(43)}=`],
    }),
  },
  { ...closed, description: 'An endpoint, with its new secret.' },
);

export const OwnerEvent = Type.Object(
  {
    id: Type.String({ examples: ['evt_0f1e2d3c4b5a69788796a5b4c3d2e1f0'] }),
    type: Type.String({ enum: ['endpoint.disabled'] }),
    created_at: TimeSchema,
    data: Type.Object(
      {
        endpoint_id: buildIdSchema('we', 'The endpoint.'),
        environment: Type.String({ enum: ['TEST', 'LIVE'] }),
        url: Url,
        failing_since: TimeSchema,
      },
      closed,
    ),
  },
  { ...closed, description: 'What the service did to an endpoint by itself, and why.' },
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

const DELIVERY = {
  id: Type.String({ examples: ['del_0f1e2d3c4b5a69788796a5b4c3d2e1f0'] }),
  object: Type.Literal('webhook_delivery'),
  event_id: Type.String({ examples: ['evt_5jz8q4m1n7v2c9k3x6w0t4h8rb0002'] }),
  endpoint_id: buildIdSchema('we', 'The endpoint.'),
  url: Url,
  type: Type.String({ examples: ['payment.paid'] }),
  payment_id: buildIdSchema('pay', 'The payment.'),
  status: Type.String({ enum: ['pending', 'delivered', 'dead'] }),
  attempts: Type.Integer(),
  reason: allowNull(Type.String({ description: 'Of the latest attempt that failed.' })),
  meaning: allowNull(Type.String({ description: 'The reason in words.' })),
  created_at: TimeSchema,
  next_attempt_at: allowNull(TimeSchema),
  settled_at: allowNull(TimeSchema),
};
export const Delivery = Type.Object(DELIVERY, {
  ...closed,
  description: 'An event for an endpoint.',
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
    response: allowNull(
      Type.String({ description: 'The beginning of the answer, 1 KiB at most.' }),
    ),
  },
  closed,
);
export const DeliveryDetails = Type.Object(
  {
    ...DELIVERY,
    body: Type.String({ description: 'What is sent, byte for byte.' }),
    attempts_made: Type.Array(Attempt, { description: 'The latest 50, the newest first.' }),
  },
  { ...closed, description: 'A delivery with its attempts.' },
);

const buildTimeSchema = (description: string) =>
  Type.Optional(
    Type.String({ maxLength: 40, description, examples: ['2026-08-02T10:00:00.000Z'] }),
  );

/** Which dead letters are meant: of lists and of replays. */
const DEAD_LETTER_FILTER = {
  from: buildTimeSchema('Died at this time or later: ISO 8601, or a day in UTC.'),
  to: buildTimeSchema('Died at this time or before.'),
  type: Type.Optional(TypeChoice),
  endpoint_id: Type.Optional(
    Type.String({
      pattern: ENDPOINT_ID_PATTERN,
      errorMessage: 'must be the id of an endpoint',
      examples: ['we_5jz8q4m1n7v2c9k3x6w0t4h8rb'],
    }),
  ),
  environment: Type.Optional(EnvironmentChoice),
};

export const DeadLettersQuery = Type.Object(
  {
    ...DEAD_LETTER_FILTER,
    reason: Type.Optional(
      Type.String({
        pattern: `^(${DELIVERY_FAILURES.join('|')})$`,
        description: 'Of the last attempt.',
        errorMessage: `must be one of ${DELIVERY_FAILURES.join(', ')}`,
        examples: ['http_405'],
      }),
    ),
    ...PAGE_QUERY,
  },
  closed,
);
export type DeadLettersQuery = Static<typeof DeadLettersQuery>;

export const ReplayRequest = Type.Object(
  {
    ...DEAD_LETTER_FILTER,
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Only count what would be replayed.', default: false }),
    ),
  },
  closed,
);
export type ReplayRequest = Static<typeof ReplayRequest>;

export const Replay = Type.Object(
  {
    id: buildIdSchema('rpl', 'The replay.'),
    object: Type.Literal('webhook_replay'),
    status: Type.String({ enum: ['running', 'completed'] }),
    total: Type.Integer({ description: 'When it began.' }),
    done: Type.Integer({ description: 'Made due again so far.' }),
    failed: Type.Integer({ description: 'Left dead, since their endpoint is switched off.' }),
    created_at: TimeSchema,
    completed_at: allowNull(TimeSchema),
  },
  {
    ...closed,
    description: 'Dead letters that are sent once more, at the pace of their endpoints.',
  },
);

export const ReplayCount = Type.Object(
  { count: Type.Integer({ description: 'How many would be replayed.' }) },
  closed,
);
