// The refund resource: its requests and answers.
import { type Static, Type } from '@sinclair/typebox';
import { AMOUNT_PATTERN, AMOUNT_REQUIREMENT } from '../money.js';
import { REFUND_ORIGINS, type RefundOrigin } from '../statuses.js';
import {
  AmountSchema,
  CurrencySchema,
  allowNull,
  PAYMENT_ID_REQUIREMENT,
  PaymentIdSchema,
  RefundIdSchema,
  TimeSchema,
} from './fields.js';

export const SHOWN_REFUND_STATUSES = ['SUCCEEDED', 'PENDING', 'MANUAL_REQUIRED', 'FAILED'] as const;
export type ShownRefundStatus = (typeof SHOWN_REFUND_STATUSES)[number];

export const CreateRefundRequest = Type.Object(
  {
    payment_id: Type.String({
      description: 'The payment to refund; it must be paid.',
      errorMessage: PAYMENT_ID_REQUIREMENT,
    }),
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'Minor units. Absent: all that is left. `null` is an error.',
        errorMessage: AMOUNT_REQUIREMENT,
        refusesNull: true,
        examples: ['50000'],
      }),
    ),
    reason: Type.Optional(Type.String({ maxLength: 500 })),
    reference_id: Type.Optional(Type.String({ maxLength: 128 })),
  },
  {
    title: 'CreateRefundRequest',
    additionalProperties: false,
    description: 'A whole or partial refund.',
  },
);
export type CreateRefundBody = Static<typeof CreateRefundRequest>;

export const Refund = Type.Object(
  {
    id: RefundIdSchema,
    object: Type.Literal('refund'),
    payment_id: PaymentIdSchema,
    origin: Type.Unsafe<RefundOrigin>(
      Type.String({
        enum: [...REFUND_ORIGINS],
        description:
          '`merchant`: requested through this API. `rail`: made in the dashboard of the rail. `chargeback`: the payer ' +
          'disputed the payment and the rail paid back.',
      }),
    ),
    status: Type.Unsafe<ShownRefundStatus>(
      Type.String({
        enum: [...SHOWN_REFUND_STATUSES],
        description: 'MANUAL_REQUIRED: an administrator pays the customer back.',
      }),
    ),
    amount: AmountSchema,
    currency: CurrencySchema,
    reason: allowNull(Type.String()),
    reference_id: allowNull(Type.String()),
    created_at: TimeSchema,
    completed_at: allowNull(TimeSchema),
  },
  { title: 'Refund', description: 'A refund of a payment.' },
);
export type RefundBody = Static<typeof Refund>;
