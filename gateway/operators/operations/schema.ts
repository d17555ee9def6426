// Suspense, reconciliations and rails, as administrators see them.
import { type Static, Type } from '@sinclair/typebox';
import {
  allowNull,
  AmountSchema,
  CurrencySchema,
  PaymentIdSchema,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { DIFFERENCE_FIELDS, DIFFERENCE_KINDS } from '#actors/core/tasks/rail-differences.js';
import { RailSchema, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';

const RAIL = {
  pattern: '^[a-z]{1,20}$',
  errorMessage: 'must be the name of a rail',
  examples: ['sandbox'],
};
const DaySchema = Type.String({ description: 'A day in Jakarta.', examples: ['2026-08-02'] });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const ReconciliationsQuery = Type.Object(
  { rail: Type.Optional(Type.String(RAIL)), ...PAGE_QUERY },
  closed,
);
export type ReconciliationsQuery = Static<typeof ReconciliationsQuery>;

export const Reconciliation = Type.Object(
  {
    object: Type.Literal('reconciliation'),
    rail: RailSchema,
    day: DaySchema,
    status: Type.String({
      enum: ['running', 'ended'],
      description: '`running`: it is not done, or was asked for again.',
    }),
    asked_at: TimeSchema,
    ended_at: allowNull(TimeSchema),
    matched: Count('Orders, refunds and payouts about which both sides agree.'),
    missing: Count('Only the service has them.'),
    orphan: Count('Only the rail has them.'),
    differing: Count('Status, amount or currency differ.'),
    unanswered: Count('Orders about which the rail gave no answer.'),
  },
  { title: 'Reconciliation', description: 'The comparison of one day with one rail.' },
);

export const DifferencesQuery = Type.Object(
  {
    rail: Type.String(RAIL),
    day: Type.String({
      pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
      description: 'A day in Jakarta.',
      errorMessage: 'must be a day: 2026-08-02',
      examples: ['2026-08-02'],
    }),
    limit: PAGE_QUERY.limit,
    cursor: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,9}$',
        description: 'The `next_cursor` of the previous page.',
        errorMessage: 'is not a cursor of this list',
        examples: ['20'],
      }),
    ),
  },
  closed,
);
export type DifferencesQuery = Static<typeof DifferencesQuery>;

export const ReconciliationDifference = Type.Object(
  {
    object: Type.Literal('reconciliation_difference'),
    kind: Type.String({ enum: [...DIFFERENCE_KINDS] }),
    field: Type.String({ enum: [...DIFFERENCE_FIELDS] }),
    order_id: Type.String({ description: 'The order or the payout, or what the rail calls it.' }),
    subject: allowNull(
      Type.String({ description: 'The transaction or refund of the order that differs.' }),
    ),
    payment_id: allowNull(PaymentIdSchema),
    ours: Type.String({ description: 'The value here.', examples: ['paid'] }),
    theirs: Type.String({ description: 'The value at the rail.', examples: ['pending'] }),
    found_at: TimeSchema,
  },
  { title: 'ReconciliationDifference', description: 'What a reconciliation found.' },
);

const OfferedMethod = Type.Object(
  {
    payment_method: Type.String({ examples: ['QRIS'] }),
    rank: Type.Integer({ description: 'Rails of a method are tried in this order.' }),
    min_amount: AmountSchema,
    max_amount: AmountSchema,
    refundable: Type.Boolean(),
  },
  { title: 'OfferedMethod', description: 'A payment method that a rail offers.' },
);

export const RAIL_STATUSES = ['available', 'paused', 'silent'] as const;

export const RailHealth = Type.Object(
  {
    object: Type.Literal('rail'),
    rail: RailSchema,
    status: Type.String({
      enum: [...RAIL_STATUSES],
      description:
        '`paused`: the rail did not answer charges and gets none until `paused_until`. `silent`: no rails process offers it.',
    }),
    paused_until: allowNull(TimeSchema),
    seen_at: TimeSchema,
    unknown_outcomes: Count('Calls whose outcome the rail has not told; status inquiries go on.'),
    unknown_since: allowNull(TimeSchema),
    payment_methods: Type.Array(OfferedMethod),
  },
  { title: 'RailHealth', description: 'A rail, and what it offers now.' },
);

export const SuspenseAccount = Type.Object(
  {
    object: Type.Literal('suspense_account'),
    merchant_id: allowNull(
      buildIdSchema('mer', 'The merchant; null: the account of the platform, for unknown orders.'),
    ),
    currency: CurrencySchema,
    amount: AmountSchema,
    open_tasks: Count('The open operator tasks about its money.'),
  },
  {
    title: 'SuspenseAccount',
    description: 'LIVE money that is not booked to a payment. Below zero: the account is short.',
  },
);
