// Queries of a merchant's users about its balance.
import { type Static, Type } from '@sinclair/typebox';
import { closed } from '../accounts/schema.js';
import { ENVIRONMENT } from '../merchants/transaction-schema.js';

export const BalanceQuery = Type.Object(ENVIRONMENT, closed);
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
  },
  closed,
);
export type StatementQuery = Static<typeof StatementQuery>;
