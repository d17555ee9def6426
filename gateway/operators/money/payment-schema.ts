// Payments of all merchants, as administrators see them: with rails, which merchants never see; without customers.
import { type Static, Type } from '@sinclair/typebox';
import { ChargedBackAmountSchema } from '#actors/core/schemas/payment.js';
import { PAYMENT_ID_PATTERN } from '#actors/core/ids.js';
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
import { RailSchema, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';
import { EnvironmentFilter, MerchantIdFilter, TIMES_QUERY } from '#gateway/lists/filters.js';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { PaymentStatusFilter } from '#gateway/money/payments/list.js';

export const TransactionsQuery = Type.Object(
  {
    merchant_id: MerchantIdFilter,
    environment: EnvironmentFilter,
    status: PaymentStatusFilter,
    rail: Type.Optional(
      Type.String({
        pattern: '^[a-z]{1,20}$',
        description: 'The rail of any of its attempts.',
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
        description: 'The order id of any of its attempts.',
        errorMessage: 'must be an order id, a UUID in small letters',
      }),
    ),
    rail_transaction_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The rail's id of a settlement.",
      }),
    ),
    ...TIMES_QUERY,
    ...PAGE_QUERY,
    ...FORMAT_QUERY,
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
    unconfirmed: Type.Boolean({
      description: 'The rail has not confirmed that it accepted the order.',
    }),
  },
  { title: 'TransactionAttempt', description: 'One attempt at one rail.' },
);

const RailTransaction = Type.Object(
  {
    rail: RailSchema,
    id: Type.String(),
    standing: Type.String({ examples: ['captured'] }),
    amount: AmountSchema,
    currency: Type.String(),
  },
  { title: 'RailTransaction', description: 'A settlement of a rail that named the payment.' },
);

export const Transaction = Type.Object(
  {
    id: PaymentIdSchema,
    object: Type.Literal('transaction'),
    merchant_id: buildIdSchema('mer', 'The merchant.'),
    environment: EnvironmentSchema,
    status: Type.String({
      examples: ['paid'],
      description: 'The status that merchants see, or `creating` until the rail has answered.',
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
    charged_back_amount: ChargedBackAmountSchema,
  },
  { title: 'Transaction', description: 'A payment, as operators see it.' },
);
export type TransactionBody = Static<typeof Transaction>;
