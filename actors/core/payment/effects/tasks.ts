// Operator tasks: what only a person can settle. Their ids follow from the payment and its version.
import { type RefundId, transitionKey } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import type {
  ReversalUnapplied,
  SettlementSuspended,
  SettlementUnapplied,
  SuspenseReversed,
} from '../events.js';
import { isRefundOpen, type PaymentState, refundAmount } from '../state.js';

export type TaskKind =
  | 'settlement_suspended'
  | 'settlement_unapplied'
  | 'suspense_reversed'
  | 'reversal_unapplied'
  | 'refund_manual_required'
  | 'refund_on_reversed_payment'
  | 'refund_contradicted'
  | 'attempt_unresolved';

export interface OperatorTask {
  /** `task_` and 32 characters. */
  readonly id: string;
  readonly kind: TaskKind;
  readonly details: Readonly<Record<string, string>>;
}

type Tasks = readonly OperatorTask[];
type Details = OperatorTask['details'];
type RailTransactionKey = Pick<Settlement, 'rail' | 'railTransactionId'>;

export function taskSuspended(state: PaymentState, event: SettlementSuspended): Tasks {
  const details = { ...describeSettlement(event.settlement), reason: event.reason };
  return [task(state, 'settlement_suspended', details)];
}

export function taskUnapplied(state: PaymentState, event: SettlementUnapplied): Tasks {
  return [task(state, 'settlement_unapplied', describeSettlement(event.settlement))];
}

export function taskSuspenseReversed(state: PaymentState, event: SuspenseReversed): Tasks {
  const { amountMinor, currency } = event;
  const money = { amount: formatAmount(amountMinor), currency };
  return [task(state, 'suspense_reversed', { ...describeTransaction(event), ...money })];
}

export function taskReversalUnapplied(state: PaymentState, event: ReversalUnapplied): Tasks {
  const details = { ...describeTransaction(event), reason: event.reason };
  return [task(state, 'reversal_unapplied', details)];
}

export function tasksOfReversal(state: PaymentState): Tasks {
  return state.refunds
    .filter(isRefundOpen)
    .map(({ id }, index) =>
      task(state, 'refund_on_reversed_payment', describeRefund(state, id), index),
    );
}

export function taskOfRefund(
  state: PaymentState,
  kind: 'refund_manual_required' | 'refund_contradicted',
  refundId: RefundId,
): Tasks {
  return [task(state, kind, describeRefund(state, refundId))];
}

/** The rail never said whether it took these orders: their money may still come. */
export function tasksOfFailure(state: PaymentState): Tasks {
  return state.attempts
    .filter((attempt) => attempt.status === 'charging')
    .map(({ rail, orderId }, index) => task(state, 'attempt_unresolved', { rail, orderId }, index));
}

function task(state: PaymentState, kind: TaskKind, details: Details, index = 0): OperatorTask {
  const id = `task_${transitionKey(state.id, state.version)}${String(index).padStart(2, '0')}`;
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

/** What was refunded had been captured, so its rail is known. */
function describeRefund(state: PaymentState, refundId: RefundId): Details {
  const amount = formatAmount(refundAmount(state, refundId));
  const { currency } = state.request;
  return { refundId, amount, currency, rail: String(state.capture?.rail) };
}
