// Request and response schemas of webhook endpoints. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import { STAR_TYPES, WEBHOOK_TYPES, WebhookTypeChoice } from '#actors/core/schemas/event.js';
import { allowNull, TimeSchema, URL_NORMALIZED } from '#actors/core/schemas/fields.js';
import { MAX_URL_CHARACTERS } from '#actors/core/urls.js';
import { HELD_FOR_DAYS } from '#store/postgres/webhooks/change-endpoints.js';
import { MAX_WAITING_COUNTED } from '#store/postgres/webhooks/list-endpoints.js';
import { FactorCodeSchema } from '#gateway/auth/factor-schema.js';
import { EnvironmentChoice, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';

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
export const Url = Type.String({
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
