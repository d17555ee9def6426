// Queries of a merchant's users about its balance.
import { type Static, Type } from '@sinclair/typebox';
import { MERCHANT_ACCOUNTS, type MerchantAccount } from '#actors/core/ledger/accounts.js';
import { CurrencySchema, EnvironmentSchema, TimeSchema } from '#actors/core/schemas/fields.js';
import { ENVIRONMENT, closed } from '#gateway/routing/schema-parts.js';
import { TIME_REQUIREMENT } from '#gateway/lists/filters.js';
import { FORMAT_QUERY } from '#gateway/lists/csv-format.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';

export const BalanceQuery = Type.Object({ ...ENVIRONMENT, ...FORMAT_QUERY }, closed);
export type BalanceQuery = Static<typeof BalanceQuery>;

export const StatementQuery = Type.Object(
  {
    ...ENVIRONMENT,
    from: Type.String({
      description: 'Movements at this time or later: ISO 8601, or a day in UTC.',
      examples: ['2026-08-01'],
    }),
    to: Type.Optional(
      Type.String({
        description: 'Movements before this time. Absent: until now.',
        examples: ['2026-09-01'],
      }),
    ),
    ...FORMAT_QUERY,
  },
  closed,
);
export type StatementQuery = Static<typeof StatementQuery>;

/** The name of an account in statements: `available` for `merchant_available`. */
export const nameAccount = (account: MerchantAccount): string => account.replace('merchant_', '');
const ACCOUNT_NAMES = MERCHANT_ACCOUNTS.map(nameAccount);

const buildTimeSchema = (description: string, example: string) =>
  Type.Optional(Type.String({ description, errorMessage: TIME_REQUIREMENT, examples: [example] }));

export const MovementsQuery = Type.Object(
  {
    ...ENVIRONMENT,
    account: Type.Optional(
      Type.Union(
        ACCOUNT_NAMES.map((name) => Type.Literal(name)),
        {
          description: 'Only the movements of this account.',
          errorMessage: `must be one of ${ACCOUNT_NAMES.join(', ')}`,
        },
      ),
    ),
    from: buildTimeSchema('Movements at this time or later.', '2026-08-01'),
    to: buildTimeSchema('Movements before this time.', '2026-09-01'),
    ...PAGE_QUERY,
  },
  closed,
);
export type MovementsQuery = Static<typeof MovementsQuery>;

export const BalanceMovement = Type.Object(
  {
    id: Type.String({
      description: 'Unique among the movements.',
      examples: ['pay_5jz8q4m1n7v2c9k3x6w0t4h8rb.2.0.1'],
    }),
    object: Type.Literal('balance_movement'),
    environment: EnvironmentSchema,
    at: TimeSchema,
    account: Type.String({
      enum: ACCOUNT_NAMES,
      description:
        '`pending`, `available` and `reserve` are parts of the balance. `payout_clearing` is in transit. `refund_clearing` ' +
        'holds the money of refunds under way, and `suspense` money that an operator looks at.',
      examples: ['available'],
    }),
    amount: Type.String({
      description: 'Minor units; negative: taken from the account.',
      examples: ['-150000'],
    }),
    currency: CurrencySchema,
    reason: Type.String({ examples: ['payment_paid'] }),
    cause_type: Type.String({ enum: ['payment', 'payout', 'task', 'booking', 'approval'] }),
    cause_id: Type.String({
      description:
        'The payment, payout, operator task, booking or approval that moved the money; a refund moves it for its payment.',
      examples: ['pay_5jz8q4m1n7v2c9k3x6w0t4h8rb'],
    }),
  },
  {
    title: 'BalanceMovement',
    description:
      'Money that an account got, or that was taken from it. From one account of the merchant to another it is two movements.',
  },
);
