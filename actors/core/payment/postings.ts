// The ledger postings of each event. A payment's money is in merchant_pending under a hold, and in
// merchant_available after it; refunds are taken from the account that holds it. A refund is
// credited to the account that paid it: the rail's, or the platform's own bank account.
import {
  formatMerchantAccount,
  MANUAL,
  type MerchantAccount,
  formatRailAccount,
} from '../ledger/accounts.js';
import { type Money, type Posting, type PostingReason, transfer } from '../ledger/postings.js';
import { type AmountMinor, subtractMinor } from '../money.js';
import type { Settlement } from '../rails/answers.js';
import type { EventOf } from './events.js';
import {
  sumOpenRefundsMinor,
  type PaymentState,
  findRefund,
  findRefundAmount,
  sumPaidByHandMinor,
  sumRefundedMinor,
} from './state.js';

type Postings = readonly Posting[];

export function postPaid(state: PaymentState, settlement: Settlement): Postings {
  const credit = nameAccount(state, findHome(state), settlement.currency);
  return transfer(nameClearing(state, settlement), credit, settlement, 'payment_paid');
}

export function postSuspense(state: PaymentState, settlement: Settlement): Postings {
  const credit = nameAccount(state, 'suspense', settlement.currency);
  return transfer(nameClearing(state, settlement), credit, settlement, 'settlement_suspended');
}

export function postSuspenseReversed(
  state: PaymentState,
  event: EventOf<'suspense_reversed'>,
): Postings {
  const debit = nameAccount(state, 'suspense', event.currency);
  return transfer(debit, nameClearing(state, event), event, 'suspense_reversed');
}

/**
 * The rail takes back what it has not refunded itself. The reserves of open refunds pay their part
 * of it, so that the merchant is not debited for them a second time. Refunds by hand are
 * paid twice now: an operator decides who bears them.
 */
export function postReversal(state: PaymentState): Postings {
  const reason = 'payment_reversed';
  return [
    ...moveToRail(state, 'refund_clearing', sumOpenRefundsMinor(state), reason),
    ...moveToRail(state, findHome(state), computeUnrefunded(state), reason),
    ...moveToRail(state, 'suspense', sumPaidByHandMinor(state), reason),
  ];
}

export function postRelease(state: PaymentState): Postings {
  const credit = nameAccount(state, 'merchant_available');
  const debit = nameAccount(state, 'merchant_pending');
  return transfer(debit, credit, makeMoney(state, computeUnrefunded(state)), 'hold_released');
}

export function postRefundRequested(
  state: PaymentState,
  event: EventOf<'refund_requested'>,
): Postings {
  const credit = nameAccount(state, 'refund_clearing');
  const debit = nameAccount(state, findHome(state));
  return transfer(debit, credit, makeMoney(state, event.amountMinor), 'refund_requested');
}

/** A reversal has used up the refund's reserve: an operator decides who bears the amount. */
export function postRefundSucceeded(
  state: PaymentState,
  event: EventOf<'refund_succeeded'>,
): Postings {
  const { refundId } = event;
  const from = state.status === 'failed' ? 'suspense' : 'refund_clearing';
  const isByHand = findRefund(state, refundId)?.isPaidByHand === true;
  const move = isByHand ? moveToBank : moveToRail;
  return move(state, from, findRefundAmount(state, refundId), 'refund_succeeded');
}

export function postRefundFailed(state: PaymentState, event: EventOf<'refund_failed'>): Postings {
  if (state.status === 'failed') return [];
  const credit = nameAccount(state, findHome(state));
  const amount = makeMoney(state, findRefundAmount(state, event.refundId));
  return transfer(nameAccount(state, 'refund_clearing'), credit, amount, 'refund_failed');
}

/** The failure had given the amount back to the merchant. */
export function postRefundCorrected(
  state: PaymentState,
  { refundId }: EventOf<'refund_corrected'>,
): Postings {
  return moveToRail(state, findHome(state), findRefundAmount(state, refundId), 'refund_corrected');
}

/** The rail paid it without a request, so nothing was reserved for it. */
export function postRefundRecorded(
  state: PaymentState,
  { origin, amountMinor }: EventOf<'refund_recorded'>,
): Postings {
  const reason = origin === 'chargeback' ? 'charged_back' : 'refund_recorded';
  return moveToRail(state, findHome(state), amountMinor, reason);
}

/** The account that holds the merchant's money of this payment. */
function findHome(state: PaymentState): MerchantAccount {
  const holdUntilMs = state.capture?.holdUntilMs ?? null;
  return holdUntilMs === null ? 'merchant_available' : 'merchant_pending';
}

/** The part that is neither refunded nor reserved for a refund. */
function computeUnrefunded(state: PaymentState): AmountMinor {
  const left = subtractMinor(state.request.amountMinor, sumRefundedMinor(state));
  return subtractMinor(left, sumOpenRefundsMinor(state));
}

function makeMoney(state: PaymentState, amountMinor: AmountMinor): Money {
  return { amountMinor, currency: state.request.currency };
}

function moveToRail(
  state: PaymentState,
  from: MerchantAccount,
  amountMinor: AmountMinor,
  reason: PostingReason,
): Postings {
  if (state.capture === null) return [];
  const { currency } = state.request;
  const credit = nameClearing(state, { rail: state.capture.rail, currency });
  return transfer(nameAccount(state, from), credit, makeMoney(state, amountMinor), reason);
}

/** The platform's own bank account, from which an administrator pays by hand. */
function moveToBank(
  state: PaymentState,
  from: MerchantAccount,
  amountMinor: AmountMinor,
  reason: PostingReason,
): Postings {
  const money = makeMoney(state, amountMinor);
  const credit = formatRailAccount('rail_clearing', MANUAL, state.environment, money.currency);
  return transfer(nameAccount(state, from), credit, money, reason);
}

function nameAccount(
  state: PaymentState,
  name: MerchantAccount,
  currency: string = state.request.currency,
): string {
  return formatMerchantAccount(name, state.merchantId, state.environment, currency);
}

function nameClearing(
  state: PaymentState,
  { rail, currency }: Pick<Settlement, 'rail' | 'currency'>,
): string {
  return formatRailAccount('rail_clearing', rail, state.environment, currency);
}
