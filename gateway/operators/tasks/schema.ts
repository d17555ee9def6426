// Operator tasks: cases that only an administrator can decide.
import { type Static, Type } from '@sinclair/typebox';
import { MERCHANT_ID_PATTERN, PAYMENT_ID_PATTERN } from '#actors/core/ids.js';
import { AMOUNT_PATTERN, AMOUNT_REQUIREMENT } from '#actors/core/money.js';
import {
  EnvironmentSchema,
  allowNull,
  PAYMENT_ID_REQUIREMENT,
  PaymentIdSchema,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { ACTIONS_OF_KIND, TASK_ACTIONS, type TaskAction } from '#actors/core/tasks/kinds.js';
import { buildIdSchema, buildLinesSchema, closed } from '#gateway/routing/schema-parts.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { ExternalReference } from '../approvals/end-by-hand.js';
import { MerchantIdFilter } from '#gateway/lists/filters.js';

export const TasksQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.Literal('open'), Type.Literal('resolved')], {
        errorMessage: 'must be open or resolved',
      }),
    ),
    kind: Type.Optional(Type.String({ maxLength: 64, examples: ['settlement_suspended'] })),
    environment: Type.Optional(
      Type.Union([Type.Literal('TEST'), Type.Literal('LIVE')], {
        description: 'Default: `LIVE`.',
        errorMessage: 'must be TEST or LIVE',
      }),
    ),
    merchant_id: MerchantIdFilter,
    ...PAGE_QUERY,
  },
  closed,
);
export type TasksQuery = Static<typeof TasksQuery>;

const Action = Type.Unsafe<TaskAction>(
  Type.Union(
    TASK_ACTIONS.map((action) => Type.Literal(action)),
    { errorMessage: `must be one of ${TASK_ACTIONS.join(', ')}` },
  ),
);

export const Task = Type.Object(
  {
    id: buildIdSchema('task', 'The task.'),
    object: Type.Literal('task'),
    kind: Type.String({ examples: Object.keys(ACTIONS_OF_KIND).slice(0, 1) }),
    status: Type.String({ enum: ['open', 'resolved'] }),
    actions: Type.Array(Action, {
      description: 'The actions that are allowed now; empty while its refund or payout is open.',
    }),
    environment: EnvironmentSchema,
    merchant_id: allowNull(buildIdSchema('mer', 'The merchant of the payment or payout.')),
    payment_id: allowNull(PaymentIdSchema),
    details: Type.Unsafe<Readonly<Record<string, string>>>(
      Type.Object(
        {},
        { additionalProperties: Type.String(), description: 'Facts about the task, by name.' },
      ),
    ),
    opened_at: TimeSchema,
    resolved_at: allowNull(TimeSchema),
    action: allowNull(Action),
    note: allowNull(Type.String()),
    external_reference: allowNull(Type.String()),
    target_merchant_id: allowNull(
      buildIdSchema('mer', 'The merchant that was credited or debited.'),
    ),
    target_payment_id: allowNull(PaymentIdSchema),
    resolved_by: allowNull(
      buildIdSchema('usr', 'The administrator; null: it was closed automatically.'),
    ),
  },
  { title: 'OperatorTask', description: 'A case that only an administrator can decide.' },
);
export type TaskBody = Static<typeof Task>;

export const ResolveTaskRequest = Type.Object(
  {
    action: Action,
    note: buildLinesSchema('The reason; it is stored.', 'Pembeli membayar dua kali'),
    external_reference: Type.Optional(ExternalReference),
    merchant_id: Type.Optional(
      Type.String({
        pattern: MERCHANT_ID_PATTERN,
        description: 'With `assign`: the merchant that receives the money.',
        errorMessage: 'must be the id of a merchant, such as mer_5jz8q4m1n7v2c9k3x6w0t4h8rb',
      }),
    ),
    payment_id: Type.Optional(
      Type.String({
        pattern: PAYMENT_ID_PATTERN,
        description:
          'With `assign`: the payment whose merchant receives the money. Its status does not change.',
        errorMessage: PAYMENT_ID_REQUIREMENT,
      }),
    ),
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'A safeguard: it must equal the whole amount of the task. `null` is an error.',
        refusesNull: true,
        errorCode: 'amount_invalid',
        errorMessage: AMOUNT_REQUIREMENT,
        examples: ['15000'],
      }),
    ),
  },
  { ...closed, title: 'ResolveTaskRequest' },
);
export type ResolveTaskRequest = Static<typeof ResolveTaskRequest>;
