// Checks that a payment has exactly the postings that its state calls for: the amounts posted for each reason, and the
// balances that they leave. Both are computed anew from the snapshot, not by the code that wrote the postings.
//
// A refund that ends after its payment was reversed finds its reserve used up: a successful one is then taken from
// suspense, a failed one moves nothing. The postings tell which came first.
import { formatMerchantAccount, type MerchantAccount } from '#actors/core/ledger/accounts.js';
import { type PaymentPostingReason } from '#actors/core/ledger/postings.js';
import {
  sumOpenRefundsMinor,
  type PaymentState,
  type Refund,
  sumRefundedMinor,
} from '#actors/core/payment/state.js';

export interface StoredPosting {
  readonly reason: string;
  readonly debit: string;
  readonly credit: string;
  readonly amountMinor: bigint;
  readonly currency: string;
}

type Amounts = readonly bigint[];

/** Returns one sentence per discrepancy; empty: the payment is sound. */
export function findPostingDiscrepancies(
  state: PaymentState,
  postings: readonly StoredPosting[],
): readonly string[] {
  return [...findWrongAmounts(state, postings), ...findWrongBalances(state, postings)];
}

const isReversed = (state: PaymentState): boolean =>
  state.status === 'failed' && state.capture !== null;

function findWrongAmounts(state: PaymentState, postings: readonly StoredPosting[]): string[] {
  const faults: string[] = [];
  for (const [reason, wanted] of Object.entries(listExpectedAmounts(state, postings))) {
    const found = listAmountsWith(postings, reason);
    if (wanted !== null && formatAmounts(found) !== formatAmounts(wanted)) {
      faults.push(`${reason}: ${formatAmounts(found)} is posted, ${formatAmounts(wanted)} must be`);
    }
  }
  return faults;
}

const formatAmounts = (amounts: Amounts): string =>
  `[${amounts.toSorted((a, b) => (a < b ? -1 : 1)).join(' ')}]`;

function listAmountsWith(postings: readonly StoredPosting[], reason: string): bigint[] {
  return postings.filter((row) => row.reason === reason).map((row) => row.amountMinor);
}

const sumAmounts = (amounts: Amounts): bigint =>
  amounts.reduce((total, amount) => total + amount, 0n);

/** By reason; null: the check of balances is enough. */
function listExpectedAmounts(
  state: PaymentState,
  postings: readonly StoredPosting[],
): Record<PaymentPostingReason, Amounts | null> {
  const { refunds, capture, railTransactions, request } = state;
  // A transaction of 0 was reversed before it arrived, or is booked elsewhere: nothing was posted for it.
  const others = railTransactions.filter(
    ({ id, rail, amountMinor }) =>
      amountMinor > 0n && (id !== capture?.railTransactionId || rail !== capture.rail),
  );
  const amounts = (of: readonly { readonly amountMinor: bigint }[]): Amounts =>
    of.map(({ amountMinor }) => amountMinor);
  const ended = (status: Refund['status']): Amounts =>
    amounts(refunds.filter((refund) => refund.status === status && !isCorrected(refund)));
  const corrected = amounts(refunds.filter(isCorrected));
  return {
    payment_paid: capture === null ? [] : [request.amountMinor],
    payment_reversed: isReversed(state) ? null : [],
    hold_released:
      state.environment === 'TEST' ? [] : listAmountsWith(postings, 'hold_released').slice(0, 1),
    refund_requested: amounts(refunds),
    refund_succeeded: ended('succeeded'),
    refund_failed: isReversed(state) ? null : [...ended('failed'), ...corrected],
    refund_corrected: corrected,
    settlement_suspended: amounts(others),
    suspense_reversed: amounts(others.filter(({ state }) => state === 'reversed')),
  };
}

/** It was booked as failed first. */
const isCorrected = ({ status, isContradicted }: Refund): boolean =>
  status === 'succeeded' && isContradicted;

function findWrongBalances(state: PaymentState, postings: readonly StoredPosting[]): string[] {
  const wanted = computeBalances(state, postings);
  const found = new Map<string, bigint>();
  const move = (account: string, amount: bigint): void => {
    if (isRailAccount(account, state)) return;
    found.set(account, (found.get(account) ?? 0n) + amount);
  };
  for (const { debit, credit, amountMinor } of postings) {
    move(debit, -amountMinor);
    move(credit, amountMinor);
  }
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((account) => {
    const [is, must] = [found.get(account) ?? 0n, wanted.get(account) ?? 0n];
    return is === must ? [] : [`${account}: ${is} is left of it, ${must} must be`];
  });
}

/** The rail's side of postings, which is not checked by balance. */
function isRailAccount(account: string, { railTransactions, environment }: PaymentState): boolean {
  return railTransactions.some(({ rail, currency }) =>
    [
      `rail_clearing:${rail}:${environment}:${currency}`,
      `fees:${rail}:${environment}:${currency}`,
    ].includes(account),
  );
}

/** Computes what the payment must leave on the merchant's accounts. */
function computeBalances(
  state: PaymentState,
  postings: readonly StoredPosting[],
): ReadonlyMap<string, bigint> {
  const { merchantId, environment, request, capture, railTransactions } = state;
  const balances = new Map<string, bigint>();
  const put = (name: MerchantAccount, currency: string, amount: bigint): void => {
    const account = formatMerchantAccount(name, merchantId, environment, currency);
    balances.set(account, (balances.get(account) ?? 0n) + amount);
  };
  for (const { state, currency, amountMinor } of railTransactions) {
    if (state === 'suspended') put('suspense', currency, amountMinor);
  }
  if (isReversed(state)) {
    const reserve = formatMerchantAccount(
      'refund_clearing',
      merchantId,
      environment,
      request.currency,
    );
    const late = postings.filter(
      ({ reason, debit }) => reason === 'refund_succeeded' && debit !== reserve,
    );
    put('suspense', request.currency, -sumAmounts(late.map(({ amountMinor }) => amountMinor)));
    return balances;
  }
  if (capture === null) return balances;
  const home = capture.holdUntilMs === null ? 'merchant_available' : 'merchant_pending';
  put(
    home,
    request.currency,
    request.amountMinor - sumRefundedMinor(state) - sumOpenRefundsMinor(state),
  );
  put('refund_clearing', request.currency, sumOpenRefundsMinor(state));
  return balances;
}
