// Operator tasks of a payment: matters that only a person can settle. Their ids follow from the
// payment and its version, so that a repeated fold makes the same tasks again.
import { type RefundId, formatTransitionKey } from '../ids.js';
import { formatAmount } from '../money.js';
import type { Settlement } from '../rails/answers.js';
import type { EventOf } from './events.js';
import { isRefundOpen, type PaymentState, findRefundAmount } from './state.js';

export const PAYMENT_TASK_KINDS = [
  'settlement_suspended',
  'settlement_unapplied',
  'suspense_reversed',
  'reversal_unapplied',
  'refund_manual_required',
  'refund_on_reversed_payment',
  'refund_contradicted',
  'attempt_unresolved',
] as const;
export type PaymentTaskKind = (typeof PAYMENT_TASK_KINDS)[number];

export interface OperatorTask {
  /** `task_` and 32 characters. */
  readonly id: string;
  readonly kind: PaymentTaskKind;
  readonly details: Readonly<Record<string, string>>;
}

type Tasks = readonly OperatorTask[];
type Details = OperatorTask['details'];
type RailTransactionKey = Pick<Settlement, 'rail' | 'railTransactionId'>;

export function reportSuspended(
  state: PaymentState,
  event: EventOf<'settlement_suspended'>,
): Tasks {
  const details = { ...describeSettlement(event.settlement), reason: event.reason };
  return [makeTask(state, 'settlement_suspended', details)];
}

export function reportUnapplied(
  state: PaymentState,
  event: EventOf<'settlement_unapplied'>,
): Tasks {
  return [makeTask(state, 'settlement_unapplied', describeSettlement(event.settlement))];
}

export function reportSuspenseReversed(
  state: PaymentState,
  event: EventOf<'suspense_reversed'>,
): Tasks {
  const { amountMinor, currency } = event;
  const money = { amount: formatAmount(amountMinor), currency };
  return [makeTask(state, 'suspense_reversed', { ...describeTransaction(event), ...money })];
}

export function reportReversalUnapplied(
  state: PaymentState,
  event: EventOf<'reversal_unapplied'>,
): Tasks {
  const details = { ...describeTransaction(event), reason: event.reason };
  return [makeTask(state, 'reversal_unapplied', details)];
}

/** The open ones, and those that were paid by hand: the rail has taken back their money as well. */
export function reportRefundsOfReversed(state: PaymentState): Tasks {
  return state.refunds
    .filter((refund) => isRefundOpen(refund) || refund.isPaidByHand)
    .map(({ id }, index) =>
      makeTask(state, 'refund_on_reversed_payment', describeRefund(state, id), index),
    );
}

export function reportRefund(
  state: PaymentState,
  kind: 'refund_manual_required' | 'refund_contradicted',
  refundId: RefundId,
): Tasks {
  return [makeTask(state, kind, describeRefund(state, refundId))];
}

/** The rail never confirmed or refused these orders, so their money may still come. */
export function reportUnresolvedAttempts(state: PaymentState): Tasks {
  return state.attempts
    .filter((attempt) => attempt.status === 'charging')
    .map(({ rail, orderId }, index) =>
      makeTask(state, 'attempt_unresolved', { rail, orderId }, index),
    );
}

function makeTask(
  state: PaymentState,
  kind: PaymentTaskKind,
  details: Details,
  index = 0,
): OperatorTask {
  const id = `task_${formatTransitionKey(state.id, state.version)}${String(index).padStart(2, '0')}`;
  return { id, kind, details };
}

function describeSettlement(settlement: Settlement): Details {
  const { orderId, amountMinor, currency } = settlement;
  const money = { orderId, amount: formatAmount(amountMinor), currency };
  return { ...describeTransaction(settlement), ...money };
}

function describeTransaction({ rail, railTransactionId }: RailTransactionKey): Details {
  return { rail, railTransactionId };
}

/** A refund follows a capture, so its rail is known. */
function describeRefund(state: PaymentState, refundId: RefundId): Details {
  const amount = formatAmount(findRefundAmount(state, refundId));
  const { currency } = state.request;
  return { refundId, amount, currency, rail: String(state.capture?.rail) };
}
