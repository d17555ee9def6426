// How many payments match a filter, and what they come to, for the tabs and the sum above a list.
import { type Static, Type } from '@sinclair/typebox';
import type { Currency } from '#actors/core/money.js';
import { AmountSchema, CurrencySchema, EnvironmentSchema } from '#actors/core/schemas/fields.js';
import type { ShownStatus } from '#actors/core/statuses.js';
import {
  MAX_SUMMED,
  type StatusSum,
  summarizePayments,
} from '#store/postgres/payments/summarize-payments.js';
import { closed } from '#gateway/routing/schema-parts.js';
import type { StoreDeps } from '#gateway/lists/listing.js';
import { readFilter } from './list.js';
import type { NoParams } from '#gateway/routing/request.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { PaymentsQuery } from './dashboard-schema.js';

/** Payments have no other currency. */
const CURRENCY: Currency = 'IDR';
const SHOWN = [
  'pending',
  'paid',
  'failed',
  'cancelled',
  'refunded',
] as const satisfies readonly ShownStatus[];
type Shown = (typeof SHOWN)[number];

/** The filters of the list. */
export const SummaryQuery = Type.Omit(
  PaymentsQuery,
  ['status', 'limit', 'cursor', 'separator', 'decimal'],
  closed,
);
export type SummaryQuery = Static<typeof SummaryQuery>;

const buildSum = (description: string) =>
  Type.Object(
    {
      count: Type.Integer(),
      amount: AmountSchema,
      complete: Type.Boolean({
        description: `False: there may be more. At most ${MAX_SUMMED} payments of a status are looked at.`,
      }),
    },
    { description },
  );

export const PaymentSummary = Type.Object(
  {
    object: Type.Literal('payment_summary'),
    environment: EnvironmentSchema,
    currency: CurrencySchema,
    all: buildSum('Payments of all statuses.'),
    pending: buildSum('Payments that can still be paid.'),
    paid: buildSum('Payments that were paid, also those that were refunded in part.'),
    failed: buildSum('Payments that failed or expired.'),
    cancelled: buildSum('Payments that were cancelled.'),
    refunded: buildSum('Payments that were refunded in full.'),
  },
  {
    title: 'PaymentSummary',
    description: 'How many payments match a filter, and the sum of their amounts, by status.',
  },
);
type Summary = Static<typeof PaymentSummary>;
type Sum = Summary['all'];

/** 200 with the figures; 400 names the invalid parameter. */
export async function showPaymentSummary(
  { readList }: Pick<StoreDeps, 'readList'>,
  { session: { merchantId }, query }: MerchantRequest<NoParams, undefined, SummaryQuery>,
): Promise<Answer> {
  const { environment = 'TEST' } = query;
  const filter = readFilter({ merchantId, environment }, query);
  if ('code' in filter) return filter;
  const sums = await readList(merchantId, (sql) => summarizePayments(sql, filter));
  const byStatus = Object.fromEntries(SHOWN.map((status) => [status, findSum(sums, status)]));
  const head = { object: 'payment_summary', environment, currency: CURRENCY } as const;
  const parts = byStatus as Record<Shown, Sum>;
  return reply(
    200,
    JSON.stringify({ ...head, all: addSums(Object.values(parts)), ...parts } satisfies Summary),
  );
}

/** A summary of found rows leaves out a status without payments: it is as complete as the others. */
function findSum(sums: readonly StatusSum[], status: Shown): Sum {
  const found = sums.find((each) => each.status === status);
  if (found === undefined) {
    return { count: 0, amount: '0', complete: sums.every(({ isComplete }) => isComplete) };
  }
  const { count, amount, isComplete: complete } = found;
  return { count, amount, complete };
}

const addSums = (sums: readonly Sum[]): Sum => ({
  count: sums.reduce((sum, { count }) => sum + count, 0),
  amount: sums.reduce((sum, { amount }) => sum + BigInt(amount), 0n).toString(),
  complete: sums.every(({ complete }) => complete),
});
