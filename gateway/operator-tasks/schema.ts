// Payments, refunds and operator tasks of all merchants, as administrators see them. Source: the API contract,
// section 4. Rails are named here, and nowhere that merchants see; no customer is.
import { type Static, Type } from '@sinclair/typebox';
import { MERCHANT_ID_PATTERN, PAYMENT_ID_PATTERN } from '#actors/core/ids.js';
import { AMOUNT_PATTERN } from '#actors/core/money.js';
import {
  AmountSchema,
  CurrencySchema,
  EnvironmentSchema,
  MethodSchema,
  allowNull,
  OrderIdSchema,
  PaymentIdSchema,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { Payout, PayoutStatusFilter } from '#actors/core/schemas/payout.js';
import { Refund } from '#actors/core/schemas/refund.js';
import { ACTIONS_OF_KIND, TASK_ACTIONS, type TaskAction } from '#actors/core/tasks/kinds.js';
import { PAGE_QUERY } from '../lists/page.js';
import { closed, buildIdSchema } from '../accounts/schema.js';

const MerchantIdFilter = Type.Optional(
  Type.String({ pattern: MERCHANT_ID_PATTERN, errorMessage: 'must be the id of a merchant' }),
);
const EnvironmentFilter = Type.Optional(
  Type.Union([Type.Literal('TEST'), Type.Literal('LIVE')], {
    errorMessage: 'must be TEST or LIVE',
  }),
);
const buildTextSchema = (maxLength: number, description: string, example: string) =>
  Type.String({ minLength: 1, maxLength, description, examples: [example] });
/** Their names do not stand in the description, which everybody can read. */
const RailSchema = Type.String({ description: 'The rail.', examples: ['sandbox'] });

const buildTimeSchema = (description: string) =>
  Type.Optional(Type.String({ description, examples: ['2026-08-02T00:00:00.000Z'] }));

export const TransactionsQuery = Type.Object(
  {
    merchant_id: MerchantIdFilter,
    environment: EnvironmentFilter,
    status: Type.Optional(
      Type.Union(
        [
          Type.Literal('pending'),
          Type.Literal('paid'),
          Type.Literal('failed'),
          Type.Literal('cancelled'),
          Type.Literal('refunded'),
        ],
        { errorMessage: 'must be pending, paid, failed, cancelled or refunded' },
      ),
    ),
    rail: Type.Optional(
      Type.String({
        pattern: '^[a-z]{1,20}$',
        description: 'That was asked.',
        errorMessage: 'must be the name of a rail',
        examples: ['sandbox'],
      }),
    ),
    payment_id: Type.Optional(
      Type.String({ pattern: PAYMENT_ID_PATTERN, errorMessage: 'must be the id of a payment' }),
    ),
    reference_id: Type.Optional(
      Type.String({ maxLength: 256, description: "The merchant's own id, exact." }),
    ),
    order_id: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        description: 'Of any of its attempts.',
        errorMessage: 'must be an order id, a UUID in small letters',
      }),
    ),
    rail_transaction_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Of a settlement, as its rail numbers it.',
      }),
    ),
    created_from: buildTimeSchema('Created at this time or later: ISO 8601, or a day in UTC.'),
    created_to: buildTimeSchema('Created before this time.'),
    ...PAGE_QUERY,
  },
  closed,
);
export type TransactionsQuery = Static<typeof TransactionsQuery>;

const Attempt = Type.Object(
  {
    order_id: OrderIdSchema,
    rail: RailSchema,
    payment_method: allowNull(MethodSchema),
    status: Type.String({ examples: ['open'] }),
    rail_reference: allowNull(Type.String({ description: "The rail's own id of the order." })),
    unconfirmed: Type.Boolean({ description: 'The rail has not said whether it took it.' }),
  },
  { ...closed, description: 'One try at one rail.' },
);

const RailTransaction = Type.Object(
  {
    rail: RailSchema,
    id: Type.String(),
    standing: Type.String({ examples: ['captured'] }),
    amount: AmountSchema,
    currency: Type.String(),
  },
  { ...closed, description: 'A settlement of a rail that named the payment.' },
);

export const Transaction = Type.Object(
  {
    id: PaymentIdSchema,
    object: Type.Literal('transaction'),
    merchant_id: buildIdSchema('mer', 'The merchant.'),
    environment: EnvironmentSchema,
    status: Type.String({
      examples: ['paid'],
      description: 'As merchants see it, and `creating` while the rail has not answered.',
    }),
    amount: AmountSchema,
    currency: CurrencySchema,
    payment_method: allowNull(MethodSchema),
    reference_id: allowNull(Type.String()),
    failure_code: allowNull(Type.String()),
    late: Type.Boolean(),
    refunded_amount: AmountSchema,
    attempts: Type.Array(Attempt),
    rail_transactions: Type.Array(RailTransaction),
    hold_until: allowNull(TimeSchema),
    created_at: TimeSchema,
    expires_at: TimeSchema,
    paid_at: allowNull(TimeSchema),
    failed_at: allowNull(TimeSchema),
    cancelled_at: allowNull(TimeSchema),
    refunded_at: allowNull(TimeSchema),
  },
  { ...closed, description: 'A payment, as operators see it.' },
);
export type TransactionBody = Static<typeof Transaction>;

export const AdminRefundsQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union(
        [
          Type.Literal('SUCCEEDED'),
          Type.Literal('PENDING'),
          Type.Literal('MANUAL_REQUIRED'),
          Type.Literal('FAILED'),
        ],
        { errorMessage: 'must be SUCCEEDED, PENDING, MANUAL_REQUIRED or FAILED' },
      ),
    ),
    merchant_id: MerchantIdFilter,
    environment: EnvironmentFilter,
    ...PAGE_QUERY,
  },
  closed,
);
export type AdminRefundsQuery = Static<typeof AdminRefundsQuery>;

export const AdminRefund = Type.Object(
  {
    ...Refund.properties,
    merchant_id: buildIdSchema('mer', 'The merchant.'),
    environment: EnvironmentSchema,
    payment_status: Type.String({ examples: ['paid'] }),
    payment_method: allowNull(MethodSchema),
    rail: allowNull(RailSchema),
    external_reference: allowNull(Type.String()),
  },
  { ...closed, description: 'A refund, as operators see it.' },
);

const ExternalReference = buildTextSchema(
  128,
  'Of the payment by which the money left, as the bank or the rail names it.',
  'TRF-2026-08-02-001',
);

export const EndRefundRequest = Type.Object(
  {
    external_reference: ExternalReference,
    reason: Type.Optional(
      buildTextSchema(500, 'For the audit log.', 'Rekening nasabah tidak aktif'),
    ),
  },
  closed,
);
export type EndRefundRequest = Static<typeof EndRefundRequest>;

export const AdminPayoutsQuery = Type.Object(
  {
    status: Type.Optional(PayoutStatusFilter),
    merchant_id: MerchantIdFilter,
    environment: EnvironmentFilter,
    ...PAGE_QUERY,
  },
  closed,
);
export type AdminPayoutsQuery = Static<typeof AdminPayoutsQuery>;

export const AdminPayout = Type.Object(
  {
    ...Payout.properties,
    merchant_id: buildIdSchema('mer', 'The merchant.'),
    rail: allowNull(RailSchema),
    rail_reference: allowNull(Type.String({ description: "The rail's own id of it." })),
    external_reference: allowNull(Type.String()),
    reversal_reference: allowNull(Type.String({ description: 'By which it came back.' })),
    unresolved: Type.Boolean({
      description: 'The rail has not said for a day what became of it: it may be ended by hand.',
    }),
    contradicted: Type.Boolean({
      description:
        'The rail said the contrary of its status, and nobody has settled which is true.',
    }),
  },
  { ...closed, description: 'A payout, as operators see it.' },
);

export const TasksQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Union([Type.Literal('open'), Type.Literal('resolved')], {
        errorMessage: 'must be open or resolved',
      }),
    ),
    kind: Type.Optional(Type.String({ maxLength: 64, examples: ['settlement_suspended'] })),
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
      description: 'What may be done now; empty while it waits for something else.',
    }),
    environment: allowNull(EnvironmentSchema),
    merchant_id: allowNull(buildIdSchema('mer', 'Of the payment.')),
    payment_id: allowNull(PaymentIdSchema),
    details: Type.Unsafe<Readonly<Record<string, string>>>(
      Type.Object({}, { additionalProperties: Type.String(), description: 'What it is about.' }),
    ),
    opened_at: TimeSchema,
    resolved_at: allowNull(TimeSchema),
    action: allowNull(Action),
    note: allowNull(Type.String()),
    external_reference: allowNull(Type.String()),
    target_merchant_id: allowNull(buildIdSchema('mer', 'Who was credited or debited.')),
    target_payment_id: allowNull(PaymentIdSchema),
    resolved_by: allowNull(buildIdSchema('usr', 'The administrator; null: it closed by itself.')),
  },
  { ...closed, description: 'What only a person can settle.' },
);
export type TaskBody = Static<typeof Task>;

export const ResolveTaskRequest = Type.Object(
  {
    action: Action,
    note: buildTextSchema(500, 'Why; it is kept.', 'Pembeli membayar dua kali'),
    external_reference: Type.Optional(ExternalReference),
    merchant_id: Type.Optional(
      Type.String({
        pattern: MERCHANT_ID_PATTERN,
        description: 'With `assign`: whose the money is.',
        errorMessage: 'must be the id of a merchant',
      }),
    ),
    payment_id: Type.Optional(
      Type.String({
        pattern: PAYMENT_ID_PATTERN,
        description: 'With `assign`: the payment whose merchant gets it. Its status stays.',
        errorMessage: 'must be the id of a payment',
      }),
    ),
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'To be sure: no less and no more than the whole amount is moved.',
        errorCode: 'amount_invalid',
        examples: ['15000'],
      }),
    ),
  },
  closed,
);
export type ResolveTaskRequest = Static<typeof ResolveTaskRequest>;
