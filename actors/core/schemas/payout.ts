// The payout resource: its requests and answers.
import { type Static, Type } from '@sinclair/typebox';
import { PAYOUT_ID_PATTERN, type PayoutId } from '../ids.js';
import { AMOUNT_PATTERN, AMOUNT_REQUIREMENT, CURRENCY_REQUIREMENT } from '../money.js';
import { BANK_CODES, BANK_REQUIREMENT, type BankCode, PAYOUT_BANKS } from '../payout-banks.js';
import {
  PAYOUT_FAILURE_CODES,
  PAYOUT_STATUSES,
  type PayoutFailureCode,
  type PayoutStatus,
} from '../statuses.js';
import {
  AmountSchema,
  CurrencySchema,
  EnvironmentSchema,
  allowNull,
  TimeSchema,
} from './fields.js';

const BankCodeSchema = Type.Unsafe<BankCode>(
  Type.Union(
    BANK_CODES.map((code) => Type.Literal(code)),
    {
      description: 'The bank. `GET /v1/payout-banks` lists the names.',
      errorMessage: BANK_REQUIREMENT,
      examples: ['BCA'],
    },
  ),
);

export const PayoutBank = Type.Object(
  {
    object: Type.Literal('payout_bank'),
    code: Type.String({ description: 'The `bank_code` of a payout.', examples: ['BCA'] }),
    name: Type.String({ examples: [PAYOUT_BANKS.BCA] }),
  },
  { title: 'PayoutBank', description: 'A bank to which payouts can go.' },
);
/** Digits that look like a card number are accepted here, since they may be an account number. */
const AccountNumber = Type.String({
  pattern: '^[0-9]{5,34}$',
  description:
    'Digits. Blanks, dashes and dots among them are ignored, so that the answer has none. TEST: numbers that end in `0000` are refused by the bank.',
  errorMessage: 'must be a string of 5 to 34 digits',
  examples: ['1234567890'],
});
const AccountHolder = Type.String({ minLength: 1, maxLength: 128, examples: ['Budi Santoso'] });

export const CreatePayoutRequest = Type.Object(
  {
    amount: Type.String({
      pattern: AMOUNT_PATTERN,
      description: 'Minor units; at most the available balance.',
      errorMessage: AMOUNT_REQUIREMENT,
      examples: ['50000'],
    }),
    currency: Type.Optional(
      Type.String({
        description: 'ISO 4217 code. Absent: `IDR`.',
        errorMessage: CURRENCY_REQUIREMENT,
        examples: ['IDR'],
      }),
    ),
    bank_code: BankCodeSchema,
    account_number: AccountNumber,
    account_holder: AccountHolder,
    reference_id: Type.Optional(
      Type.String({ maxLength: 128, description: "The merchant's own id.", examples: ['pay-17'] }),
    ),
    description: Type.Optional(Type.String({ maxLength: 500 })),
  },
  {
    title: 'CreatePayoutRequest',
    additionalProperties: false,
    description: 'Money to be sent to a bank account.',
  },
);
export type CreatePayoutBody = Static<typeof CreatePayoutRequest>;

export const PayoutIdSchema = Type.Unsafe<PayoutId>(
  Type.String({
    pattern: PAYOUT_ID_PATTERN,
    description: 'The payout.',
    errorMessage: 'must be the id of a payout, such as po_6c1n8v4x2m9w7k3q5z0t1j4hbr',
    examples: ['po_6c1n8v4x2m9w7k3q5z0t1j4hbr'],
  }),
);

export const PayoutStatusSchema = Type.Unsafe<PayoutStatus>(
  Type.String({
    enum: [...PAYOUT_STATUSES],
    description:
      'PENDING, then PROCESSING until the rail has said how it ended: COMPLETED, or FAILED with the money back. ' +
      'MANUAL_REQUIRED: an administrator pays it. REVERSED: the bank sent it back after it was completed.',
  }),
);

/** For queries. */
export const PayoutStatusFilter = Type.Unsafe<PayoutStatus>(
  Type.String({
    enum: [...PAYOUT_STATUSES],
    pattern: `^(${PAYOUT_STATUSES.join('|')})$`,
    errorMessage: `must be one of ${PAYOUT_STATUSES.join(', ')}`,
  }),
);

export const PayoutFailureSchema = allowNull(
  Type.Unsafe<PayoutFailureCode>(
    Type.String({ enum: [...PAYOUT_FAILURE_CODES], description: 'Why it is FAILED.' }),
  ),
);

/** Administrators see these fields too. */
export const PAYOUT_PROPERTIES = {
  id: PayoutIdSchema,
  object: Type.Literal('payout'),
  environment: EnvironmentSchema,
  status: PayoutStatusSchema,
  amount: AmountSchema,
  currency: CurrencySchema,
  bank_code: Type.String({ examples: ['BCA'] }),
  account_number: Type.String({ examples: ['1234567890'] }),
  account_holder: Type.String({ examples: ['Budi Santoso'] }),
  reference_id: allowNull(Type.String()),
  description: allowNull(Type.String()),
  failure_code: PayoutFailureSchema,
  created_at: TimeSchema,
  completed_at: allowNull(TimeSchema),
  failed_at: allowNull(TimeSchema),
  reversed_at: allowNull(TimeSchema),
};

export const Payout = Type.Object(PAYOUT_PROPERTIES, {
  title: 'Payout',
  description: 'Money of a merchant that is sent to a bank account.',
});
export type PayoutBody = Static<typeof Payout>;
