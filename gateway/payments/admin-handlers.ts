// Payments of all merchants for administrators, with their attempts at rails and their settlements.
import type { MerchantId, PaymentId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import { type Attempt, type PaymentState, sumRefundedMinor } from '#actors/core/payment/state.js';
import { formatTime, findShownMethod } from '#actors/core/payment/view.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { RAIL_NAMES } from '#actors/core/rails/answers.js';
import { findFreeTextError } from '#actors/core/requests/validation.js';
import {
  listTransactions,
  type TransactionFilter,
} from '#store/postgres/payments/list-transactions.js';
import { readPage, buildParameterError, writePage } from '../lists/page.js';
import { readTimes } from '../lists/filters.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import type { TransactionBody, TransactionsQuery } from './admin-schema.js';

const SCOPE = { list: 'transactions', merchantId: 'all', environment: 'all' } as const;

/** 200 with a page, newest first. A page of a search may be shorter than `limit` although more rows follow. */
export async function showTransactions(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, TransactionsQuery>,
): Promise<Answer> {
  const page = readPage(SCOPE, query);
  if ('code' in page) return page;
  const filter = readFilter(query);
  if ('code' in filter) return filter;
  const found = await deps.readList(SCOPE.merchantId, (sql) => listTransactions(sql, filter, page));
  const next = found.rows.length > page.limit ? (found.rows[page.limit - 1] ?? null) : null;
  const rows = found.rows
    .slice(0, page.limit)
    .map((row) => ({ ...row, state: decodeSnapshot(row.snapshot) }))
    .filter(({ state }) => isMatching(state, filter));
  const shown = { rows, stoppedAt: next ?? found.stoppedAt };
  const body = writePage(SCOPE, page.limit, shown, ({ state }) =>
    JSON.stringify(viewTransaction(state)),
  );
  return reply(200, body);
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
    referenceId: query.reference_id ?? null,
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
