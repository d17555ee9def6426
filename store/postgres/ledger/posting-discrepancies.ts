// Checks that a payment has exactly the postings that its state calls for: the amounts posted for each reason, and the
// balances that they leave. Both are computed anew from the snapshot, not by the code that wrote the postings.
//
// A refund that ends after its payment was reversed finds its reserve used up: a successful one is then taken from
// suspense, a failed one moves nothing. The postings tell which came first. The balances of the rail and of the platform's own
// bank account (rail_clearing:manual) are checked too: a refund that was paid by hand has left the rail's money where it was.
import {
  formatMerchantAccount,
  formatRailAccount,
  MANUAL,
  type MerchantAccount,
} from '#actors/core/ledger/accounts.js';
import { type PaymentPostingReason } from '#actors/core/ledger/postings.js';
import {
  type Capture,
  sumOpenRefundsMinor,
  type PaymentState,
  type Refund,
  sumPaidByHandMinor,
  sumRefundedMinor,
} from '#actors/core/payment/state.js';
import type { RailName } from '#actors/core/rails/rail-names.js';

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
  const requested = refunds.filter(({ origin }) => origin === 'merchant');
  const amounts = (of: readonly { readonly amountMinor: bigint }[]): Amounts =>
    of.map(({ amountMinor }) => amountMinor);
  const ended = (status: Refund['status']): Amounts =>
    amounts(requested.filter((refund) => refund.status === status && !isCorrected(refund)));
  const recorded = (origin: Refund['origin']): Amounts =>
    amounts(refunds.filter((refund) => refund.origin === origin));
  const corrected = amounts(requested.filter(isCorrected));
  return {
    payment_paid: capture === null ? [] : [request.amountMinor],
    payment_reversed: isReversed(state) ? null : [],
    hold_released:
      state.environment === 'TEST' ? [] : listAmountsWith(postings, 'hold_released').slice(0, 1),
    refund_requested: amounts(requested),
    refund_succeeded: ended('succeeded'),
    refund_failed: isReversed(state) ? null : [...ended('failed'), ...corrected],
    refund_corrected: corrected,
    refund_recorded: recorded('rail'),
    charged_back: recorded('chargeback'),
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

type Balances = Map<string, bigint>;

/** Computes what the payment must leave on each account. */
function computeBalances(
  state: PaymentState,
  postings: readonly StoredPosting[],
): ReadonlyMap<string, bigint> {
  const balances: Balances = new Map();
  for (const { state: is, rail, currency, amountMinor } of state.railTransactions) {
    if (is !== 'suspended') continue;
    add(balances, nameMerchantAccount(state, 'suspense', currency), amountMinor);
    add(balances, nameOutside(state, rail, currency), 0n - amountMinor);
  }
  const { capture } = state;
  if (capture === null) return balances;
  add(balances, nameOutside(state, MANUAL), sumPaidByHandMinor(state));
  if (isReversed(state)) addReversed(balances, { state, capture, postings });
  else addCaptured(balances, { state, capture });
  return balances;
}

/** The rail holds what it has not refunded itself; the merchant's accounts hold what is not refunded at all. */
function addCaptured(
  balances: Balances,
  { state, capture }: { readonly state: PaymentState; readonly capture: Capture },
): void {
  const [refunded, open] = [sumRefundedMinor(state), sumOpenRefundsMinor(state)];
  const { amountMinor } = state.request;
  const home = capture.holdUntilMs === null ? 'merchant_available' : 'merchant_pending';
  add(balances, nameMerchantAccount(state, home), amountMinor - refunded - open);
  add(balances, nameMerchantAccount(state, 'refund_clearing'), open);
  const paidByRail = refunded - sumPaidByHandMinor(state);
  add(balances, nameOutside(state, capture.rail), paidByRail - amountMinor);
}

/**
 * The rail has taken back everything that it had not refunded. Suspense is short of the refunds that it made all the same,
 * and of all refunds that were paid by hand.
 */
function addReversed(
  balances: Balances,
  input: {
    readonly state: PaymentState;
    readonly capture: Capture;
    readonly postings: readonly StoredPosting[];
  },
): void {
  const { state, capture, postings } = input;
  const reserve = nameMerchantAccount(state, 'refund_clearing');
  const bank = nameOutside(state, MANUAL);
  const lateByRail = postings.filter(
    ({ reason, debit, credit }) =>
      reason === 'refund_succeeded' && debit !== reserve && credit !== bank,
  );
  const paidLate = sumAmounts(lateByRail.map(({ amountMinor }) => amountMinor));
  add(balances, nameOutside(state, capture.rail), paidLate);
  add(balances, nameMerchantAccount(state, 'suspense'), -paidLate - sumPaidByHandMinor(state));
}

function add(balances: Balances, account: string, amount: bigint): void {
  balances.set(account, (balances.get(account) ?? 0n) + amount);
}

function nameMerchantAccount(
  { merchantId, environment, request }: PaymentState,
  name: MerchantAccount,
  currency: string = request.currency,
): string {
  return formatMerchantAccount(name, merchantId, environment, currency);
}

function nameOutside(
  { environment, request }: PaymentState,
  rail: RailName | typeof MANUAL,
  currency: string = request.currency,
): string {
  return formatRailAccount('rail_clearing', rail, environment, currency);
}
