// Request and response schemas of dead letters and replays. Source: the API contract, section 4.
import { type Static, Type } from '@sinclair/typebox';
import { allowNull, TimeSchema } from '#actors/core/schemas/fields.js';
import { TIME_REQUIREMENT } from '#gateway/lists/filters.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { EnvironmentChoice, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { WebhookTypeChoice } from '#actors/core/schemas/event.js';
import { EndpointFilter, ReasonFilter, SUBJECT_FILTER } from '../webhooks/delivery-schema.js';

const buildTimeSchema = (description: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      description,
      errorMessage: TIME_REQUIREMENT,
      examples: ['2026-08-02T10:00:00.000Z'],
    }),
  );

/** Selects dead letters, in lists and replays. */
const DEAD_LETTER_FILTER = {
  from: buildTimeSchema('Dead since this time or later: ISO 8601, or a day in UTC.'),
  to: buildTimeSchema('Dead since this time or earlier.'),
  type: Type.Optional(WebhookTypeChoice),
  endpoint_id: EndpointFilter,
  environment: Type.Optional(EnvironmentChoice),
  reason: ReasonFilter,
};

export const DeadLettersQuery = Type.Object(
  {
    ...DEAD_LETTER_FILTER,
    ...SUBJECT_FILTER,
    ...PAGE_QUERY,
  },
  closed,
);
export type DeadLettersQuery = Static<typeof DeadLettersQuery>;

export const ReplayRequest = Type.Object(
  {
    ...DEAD_LETTER_FILTER,
    dry_run: Type.Optional(Type.Boolean({ description: 'Only count what would be replayed.' })),
  },
  { ...closed, title: 'ReplayDeadLettersRequest' },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

export const Replay = Type.Object(
  {
    id: buildIdSchema('rpl', 'The replay.'),
    object: Type.Literal('webhook_replay'),
    status: Type.String({ enum: ['running', 'completed'] }),
    total: Type.Integer({ description: 'The number of matching dead letters at the start.' }),
    done: Type.Integer({ description: 'The number made due again so far.' }),
    failed: Type.Integer({
      description:
        'The number left dead because their endpoint is inactive, or has failed for an hour.',
    }),
    created_at: TimeSchema,
    completed_at: allowNull(TimeSchema),
  },
  {
    title: 'Replay',
    description: 'A job that sends dead letters again, as fast as their endpoints answer.',
  },
);

export const ReplayCount = Type.Object(
  { count: Type.Integer({ description: 'The number of dead letters that would be replayed.' }) },
  { title: 'ReplayCount' },
);
