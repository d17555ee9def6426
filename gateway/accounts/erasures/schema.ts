// Request and response schemas of erasures.
import { type Static, Type } from '@sinclair/typebox';
import {
  EnvironmentSchema,
  allowNull,
  PaymentIdSchema,
  TimeSchema,
} from '#actors/core/schemas/fields.js';
import { PayoutIdSchema } from '#actors/core/schemas/payout.js';
import { ERASURE_FIELDS, type ErasureField } from '#store/postgres/payments/erasure-requests.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';
import { FactorCodeSchema } from '#gateway/auth/factor-schema.js';
import { EnvironmentChoice, buildIdSchema, closed } from '#gateway/routing/schema-parts.js';

/** A request names its subject with exactly one of these. */
const SUBJECT_FIELDS = {
  payment_id: Type.Optional(PaymentIdSchema),
  payout_id: Type.Optional(PayoutIdSchema),
  invoice_id: Type.Optional(
    Type.String({
      pattern: '^inv_[0-9a-z]{26}$',
      errorMessage: 'must be the id of an invoice, such as inv_5jz8q4m1n7v2c9k3x6w0t4h8rb',
      examples: ['inv_5jz8q4m1n7v2c9k3x6w0t4h8rb'],
    }),
  ),
  customer_email: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 254,
      typedAs: 'sought',
      examples: ['budi@example.com'],
    }),
  ),
  customer_phone: Type.Optional(
    Type.String({
      maxLength: 32,
      typedAs: 'phone',
      pattern: '[0-9][^0-9]*[0-9][^0-9]*[0-9][^0-9]*[0-9]',
      description: 'In any spelling: `0812…` and `+62 812…` are the same number.',
      errorMessage:
        'must be a phone number of at least 4 digits and at most 32 characters, such as +62 812 3456 7890',
      examples: ['+62 812 3456 7890'],
    }),
  ),
  reference_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      typedAs: 'sought',
      description: 'The `reference_id` of payments.',
      examples: ['ord_1'],
    }),
  ),
} as const satisfies Record<ErasureField, unknown>;

const ERASE_FIELDS = {
  environment: EnvironmentChoice,
  ...SUBJECT_FIELDS,
  with_reference: Type.Optional(
    Type.Boolean({
      description: 'Also erases your own references, which otherwise stay.',
    }),
  ),
};
const NAMED_BY_ONE = 'The subject to erase, named by exactly one field.';

/** Of administrators. */
export const EraseRequest = Type.Object(ERASE_FIELDS, {
  title: 'EraseMerchantCustomerRequest',
  ...closed,
  description: NAMED_BY_ONE,
  examples: [{ environment: 'LIVE', customer_email: 'budi@example.com' }],
});
export type EraseRequest = Static<typeof EraseRequest>;

/** Of owners. */
export const StepUpEraseRequest = Type.Object(
  {
    ...ERASE_FIELDS,
    totp_code: Type.Optional({
      ...FactorCodeSchema,
      description:
        'The current code of the authenticator app, or a recovery code. Required for LIVE.',
    }),
  },
  {
    title: 'EraseCustomerRequest',
    ...closed,
    description: NAMED_BY_ONE,
    examples: [{ environment: 'LIVE', customer_email: 'budi@example.com', totp_code: '123456' }],
  },
);
export type StepUpEraseRequest = Static<typeof StepUpEraseRequest>;

export const ErasuresQuery = Type.Object(PAGE_QUERY, closed);
export type ErasuresQuery = Static<typeof ErasuresQuery>;

const buildCountSchema = (description: string) => Type.Integer({ description, examples: [3] });

export const Erasure = Type.Object(
  {
    id: buildIdSchema('era', 'The request.'),
    object: Type.Literal('erasure'),
    environment: EnvironmentSchema,
    by: Type.Unsafe<ErasureField>(
      Type.String({
        enum: [...ERASURE_FIELDS],
        description: 'The field that named the subject. Its value is not kept.',
      }),
    ),
    with_reference: Type.Boolean(),
    status: Type.String({
      enum: ['pending', 'completed'],
      description:
        '`pending` until everything found is erased; open payments, payouts and invoices are erased once they are closed.',
    }),
    found: buildCountSchema(
      'The number of payments, payouts and invoices found. It may grow until the status is `completed`.',
    ),
    erased: buildCountSchema('How many of them are erased.'),
    created_at: TimeSchema,
    completed_at: allowNull(TimeSchema),
  },
  { title: 'Erasure', description: 'A request to erase the personal data of a customer.' },
);
export type ErasureBody = Static<typeof Erasure>;
