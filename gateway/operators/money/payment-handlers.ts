// Payments of all merchants for administrators, with their attempts at rails and their settlements.
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import { type Attempt, type PaymentState, sumRefundedMinor } from '#actors/core/payment/state.js';
import { findShownMethod, formatTime, viewChargebacks } from '#actors/core/payment/view.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { RAIL_NAMES } from '#actors/core/rails/rail-names.js';
import { removeHidden } from '#actors/core/hidden-characters.js';
import { findFreeTextError } from '#actors/core/requests/validation.js';
import {
  type ListedTransaction,
  listTransactions,
  type TransactionFilter,
} from '#store/postgres/payments/list-transactions.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import { type FileDeps, isCsvRequested, showPageOrFile } from '#gateway/lists/csv-download.js';
import type { Listing, ListingDeps } from '#gateway/lists/listing.js';
import { buildParameterError } from '#gateway/lists/page.js';
import { readTimes } from '#gateway/lists/filters.js';
import { type Answer, type ApiError, buildApiError } from '#gateway/routing/response.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { Transaction, type TransactionBody, type TransactionsQuery } from './payment-schema.js';

/** A file of all merchants covers at most a month: each of its pages reads the newest payments of every merchant. */
export const MAX_FILE_DAYS = 31;
const DAY_MS = 86_400_000;
/** Each of them is looked up in an index, without reading the payments of every merchant. */
const INDEXED = ['merchant_id', 'payment_id', 'reference_id', 'rail_transaction_id'] as const;
const TOO_WIDE = buildParameterError(
  'created_from',
  `must be at most ${MAX_FILE_DAYS} days before created_to (absent: now) for a CSV file of all merchants. ` +
    `Without it, name ${INDEXED.join(' or ')}`,
);
const SCOPE = { list: 'transactions', merchantId: 'all', environment: 'all' } as const;

interface FoundTransaction extends ListedTransaction {
  readonly state: PaymentState;
}

/**
 * Returns 200 with a page, newest first, or with all matching transactions as CSV. A page of a search may be shorter than
 * `limit` although more rows follow.
 */
export function showTransactions(
  deps: FileDeps,
  { query, preferences }: SessionRequest<NoParams, undefined, TransactionsQuery>,
): Answer | Promise<Answer> {
  const source = { list: 'transactions', merchantId: 'all', environment: null, query } as const;
  const listing = createTransactionListing(deps, query);
  const error = isCsvRequested(preferences) ? checkFileRange(query, deps.nowMs()) : undefined;
  return showPageOrFile(
    deps,
    'code' in listing ? listing : (error ?? listing),
    source,
    preferences,
  );
}

/** The query has been checked. */
function checkFileRange(query: TransactionsQuery, nowMs: number): ApiError | undefined {
  if (INDEXED.some((param) => query[param] !== undefined)) return undefined;
  const times = readTimes(query);
  if ('code' in times || times.createdFromMs === null) return TOO_WIDE;
  const coveredMs = (times.createdToMs ?? nowMs) - times.createdFromMs;
  return coveredMs > MAX_FILE_DAYS * DAY_MS ? TOO_WIDE : undefined;
}

export function createTransactionListing(
  { lists }: Pick<ListingDeps, 'lists'>,
  query: TransactionsQuery,
): Listing<FoundTransaction> | ApiError {
  const filter = readFilter(query);
  if ('code' in filter) return filter;
  return {
    scope: SCOPE,
    columns: listColumns(Transaction),
    find: async (page) => {
      const found = await listTransactions(lists, filter, page);
      const next = found.rows.length > page.limit ? (found.rows[page.limit - 1] ?? null) : null;
      const rows = found.rows
        .slice(0, page.limit)
        .map((row) => ({ ...row, state: decodeSnapshot(row.snapshot) }))
        .filter(({ state }) => isMatching(state, filter));
      return { rows, stoppedAt: next ?? found.stoppedAt };
    },
    view: ({ state }) => viewTransaction(state),
  };
}

/** The store searches the snapshot's text, which may match elsewhere: here the attempts themselves are compared. */
function isMatching({ attempts }: PaymentState, { rail, orderId }: TransactionFilter): boolean {
  const isOne = (attempt: Attempt): boolean =>
    (rail === null || attempt.rail === rail) && (orderId === null || attempt.orderId === orderId);
  return (rail === null && orderId === null) || attempts.some(isOne);
}

function readFilter(query: TransactionsQuery): TransactionFilter | ApiError {
  const times = readTimes(query);
  if ('code' in times) return times;
  const rail = RAIL_NAMES.find((name) => name === query.rail);
  if (query.rail !== undefined && rail === undefined) {
    return buildParameterError('rail', `must be one of ${RAIL_NAMES.join(', ')}`);
  }
  for (const param of ['reference_id', 'rail_transaction_id'] as const) {
    const code = findFreeTextError(query[param] ?? '');
    if (code !== null) return buildApiError(code, { param });
  }
  return {
    merchantId: (query.merchant_id ?? null) as MerchantId | null,
    environment: query.environment ?? null,
    status: query.status ?? null,
    paymentId: (query.payment_id ?? null) as PaymentId | null,
    referenceId: query.reference_id === undefined ? null : removeHidden(query.reference_id),
    rail: rail ?? null,
    orderId: query.order_id ?? null,
    railTransactionId: query.rail_transaction_id ?? null,
    ...times,
  };
}

function viewTransaction(state: PaymentState): TransactionBody {
  const { request, capture } = state;
  return {
    id: state.id,
    object: 'transaction',
    merchant_id: state.merchantId,
    environment: state.environment,
    status: state.status,
    amount: formatAmount(request.amountMinor),
    currency: request.currency,
    payment_method: findShownMethod(state),
    reference_id: request.referenceId,
    failure_code: state.failureCode,
    late: state.isLate,
    refunded_amount: formatAmount(sumRefundedMinor(state)),
    attempts: state.attempts.map(viewAttempt),
    rail_transactions: state.railTransactions.map(
      ({ rail, id, state: standing, amountMinor, currency }) => ({
        rail,
        id,
        standing,
        amount: formatAmount(amountMinor),
        currency,
      }),
    ),
    hold_until: formatTime(capture?.holdUntilMs ?? null),
    created_at: new Date(state.createdAtMs).toISOString(),
    expires_at: new Date(state.expiresAtMs).toISOString(),
    paid_at: formatTime(state.paidAtMs),
    failed_at: formatTime(state.failedAtMs),
    cancelled_at: formatTime(state.cancelledAtMs),
    refunded_at: formatTime(state.refundedAtMs),
    ...viewChargebacks(state),
  };
}

function viewAttempt(attempt: Attempt): TransactionBody['attempts'][number] {
  return {
    order_id: attempt.orderId,
    rail: attempt.rail,
    payment_method: attempt.method,
    status: attempt.status,
    rail_reference: attempt.railReference,
    unconfirmed: attempt.isUnconfirmed,
  };
}
