// The ledger postings of each event. While a hold lasts, a payment's money stands in merchant_pending, then
// in merchant_available; refunds are taken from where it stands.
import {
  merchantAccount,
  type MerchantAccount,
  type Money,
  type Posting,
  type PostingReason,
  railAccount,
  transfer,
} from '#actors/core/ledger.js';
import { type AmountMinor, subtractMinor } from '#actors/core/money.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import type {
  RefundFailed,
  RefundRequested,
  RefundSucceeded,
  SuspenseReversed,
} from '../events.js';
import { openRefundsMinor, type PaymentState, refundAmount, refundedMinor } from '../state.js';

type Postings = readonly Posting[];

export function postPaid(state: PaymentState, settlement: Settlement): Postings {
  const credit = account(state, home(state), settlement.currency);
  return transfer(clearing(state, settlement), credit, settlement, 'payment_paid');
}

export function postSuspense(state: PaymentState, settlement: Settlement): Postings {
  const credit = account(state, 'suspense', settlement.currency);
  return transfer(clearing(state, settlement), credit, settlement, 'settlement_suspended');
}

export function postSuspenseReversed(state: PaymentState, event: SuspenseReversed): Postings {
  const debit = account(state, 'suspense', event.currency);
  return transfer(debit, clearing(state, event), event, 'suspense_reversed');
}

/**
 * The rail takes back what was not refunded. What open refunds have reserved pays its part of that, so that
 * the merchant is not debited for them a second time.
 */
export function postReversal(state: PaymentState): Postings {
  const reason = 'payment_reversed';
  return [
    ...toRail(state, 'refund_clearing', openRefundsMinor(state), reason),
    ...toRail(state, home(state), unspoken(state), reason),
  ];
}

export function postRelease(state: PaymentState): Postings {
  const credit = account(state, 'merchant_available');
  const debit = account(state, 'merchant_pending');
  return transfer(debit, credit, money(state, unspoken(state)), 'hold_released');
}

export function postRefundRequested(state: PaymentState, event: RefundRequested): Postings {
  const credit = account(state, 'refund_clearing');
  const debit = account(state, home(state));
  return transfer(debit, credit, money(state, event.amountMinor), 'refund_requested');
}

/** A reversal has used up what the refund had reserved: who bears it is for an operator to say. */
export function postRefundSucceeded(state: PaymentState, event: RefundSucceeded): Postings {
  const from = state.status === 'failed' ? 'suspense' : 'refund_clearing';
  return toRail(state, from, refundAmount(state, event.refundId), 'refund_succeeded');
}

export function postRefundFailed(state: PaymentState, event: RefundFailed): Postings {
  if (state.status === 'failed') return [];
  const credit = account(state, home(state));
  const amount = money(state, refundAmount(state, event.refundId));
  return transfer(account(state, 'refund_clearing'), credit, amount, 'refund_failed');
}

/** Where the merchant's money of this payment stands. */
function home(state: PaymentState): MerchantAccount {
  const holdUntilMs = state.capture?.holdUntilMs ?? null;
  return holdUntilMs === null ? 'merchant_available' : 'merchant_pending';
}

/** What is neither refunded nor reserved for a refund. */
function unspoken(state: PaymentState): AmountMinor {
  const left = subtractMinor(state.request.amountMinor, refundedMinor(state));
  return subtractMinor(left, openRefundsMinor(state));
}

function money(state: PaymentState, amountMinor: AmountMinor): Money {
  return { amountMinor, currency: state.request.currency };
}

function toRail(
  state: PaymentState,
  from: MerchantAccount,
  amountMinor: AmountMinor,
  reason: PostingReason,
): Postings {
  if (state.capture === null) return [];
  const { currency } = state.request;
  const credit = clearing(state, { rail: state.capture.rail, currency });
  return transfer(account(state, from), credit, money(state, amountMinor), reason);
}

function account(
  state: PaymentState,
  name: MerchantAccount,
  currency: string = state.request.currency,
): string {
  return merchantAccount(name, state.merchantId, state.environment, currency);
}

function clearing(
  state: PaymentState,
  { rail, currency }: Pick<Settlement, 'rail' | 'currency'>,
): string {
  return railAccount('rail_clearing', rail, state.environment, currency);
}
