// Request and response schemas of API logs. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import { PAYMENT_ID_PATTERN } from '#actors/core/ids.js';
import { allowNull, PAYMENT_ID_REQUIREMENT, TimeSchema } from '#actors/core/schemas/fields.js';
import { PayoutIdSchema } from '#actors/core/schemas/payout.js';
import { TIME_REQUIREMENT } from '#gateway/lists/filters.js';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentChoice, closed } from '#gateway/routing/schema-parts.js';

export const REQUEST_ID_PATTERN = '^req_[0-9a-z]{20,40}$';
const EXAMPLE_ID = 'req_4f1f7dc669b8b5d68fc900000a';

const buildTimeSchema = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      description,
      errorMessage: TIME_REQUIREMENT,
      examples: ['2026-08-02T10:00:00.000Z'],
    }),
  );

export const LogsQuery = Type.Object(
  {
    environment: Type.Optional(EnvironmentChoice),
    status: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 599,
        description: 'The HTTP status of the answer.',
        errorMessage: 'must be an HTTP status from 100 to 599',
        examples: [409],
      }),
    ),
    method: Type.Optional(
      Type.String({
        pattern: '^(GET|HEAD|POST|PUT|PATCH|DELETE)$',
        errorMessage: 'must be GET, HEAD, POST, PUT, PATCH or DELETE',
        examples: ['POST'],
      }),
    ),
    path: Type.Optional(
      Type.String({
        pattern: '^/[\\x20-\\x7e]{0,255}$',
        description: 'The beginning of the path.',
        errorMessage: 'must begin with / and have at most 256 printable ASCII characters',
        examples: ['/v1/payments'],
      }),
    ),
    request_id: Type.Optional(
      Type.String({
        pattern: REQUEST_ID_PATTERN,
        errorMessage: 'must be the id of a request, such as req_4f1f7dc669b8b5d68fc900000a',
        examples: [EXAMPLE_ID],
      }),
    ),
    payment_id: Type.Optional(
      Type.String({
        pattern: PAYMENT_ID_PATTERN,
        description: 'The payment that the request was about.',
        errorMessage: PAYMENT_ID_REQUIREMENT,
      }),
    ),
    payout_id: Type.Optional({
      ...PayoutIdSchema,
      description: 'The payout that the request was about. `payment_id` goes before it.',
    }),
    from: buildTimeSchema('At this time or later: ISO 8601, or a day in UTC.'),
    to: buildTimeSchema('Before this time.'),
    ...PAGE_QUERY,
    ...FORMAT_QUERY,
  },
  closed,
);
export type LogsQuery = Static<typeof LogsQuery>;

const buildBodySchema = (description: string) =>
  Type.Unknown({ description, examples: [{ amount: '150000', customer_name: '[masked]' }] });

export const ApiLog = Type.Object(
  {
    id: Type.String({ description: 'The id of the request.', examples: [EXAMPLE_ID] }),
    object: Type.Literal('api_log'),
    at: TimeSchema,
    environment: Type.String({ enum: ['TEST', 'LIVE'] }),
    method: Type.String({ examples: ['POST'] }),
    path: Type.String({ examples: ['/v1/payments'] }),
    query: allowNull(Type.String()),
    status: Type.Integer({ examples: [201] }),
    code: allowNull(Type.String({ description: 'The error code; null for a successful request.' })),
    duration_ms: Type.Integer(),
    key: allowNull(
      Type.String({
        description: 'The first and last characters of the key.',
        examples: ['sk_test_4fR9…x7Qa'],
      }),
    ),
    idempotency_key: allowNull(Type.String()),
    request_body: buildBodySchema('The masked body; null if there was none or it was erased.'),
    response_body: buildBodySchema('The masked body; of lists only the number of rows is kept.'),
  },
  {
    title: 'ApiLog',
    description: 'A request with an API key and its answer, without credentials and customer data.',
  },
);
