// Settlements and reversals. Each rail transaction that names the payment is kept for ever with its standing:
// captured (it paid the payment; at most one), suspended, booked elsewhere (with no amount here), or reversed.
import { unreachable } from '#actors/core/unreachable.js';
import { ZERO_MINOR } from '#actors/core/money.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import type {
  MoneyEvent,
  PaymentPaid,
  PaymentReversed,
  ReversalUnapplied,
  SuspenseReversed,
} from '../events.js';
import { isRefundOpen, type PaymentState, type RailTransaction } from '../state.js';
import { changeAttempt } from './attempts.js';
import { NOTHING_ASKED } from './closing.js';

export function evolveMoney(state: PaymentState, event: MoneyEvent): PaymentState {
  const { version } = event;
  switch (event.type) {
    case 'payment_paid':
      return paid(state, event);
    case 'payment_reversed':
      return reversed(state, event);
    case 'hold_released':
      if (state.status !== 'paid') return { ...state, version };
      return { ...state, version, capture: { ...state.capture, holdUntilMs: null } };
    case 'settlement_suspended': {
      const suspended = toTransaction(event.settlement, 'suspended');
      return { ...state, version, railTransactions: [...state.railTransactions, suspended] };
    }
    case 'settlement_unapplied': {
      const elsewhere = {
        ...toTransaction(event.settlement, 'elsewhere'),
        amountMinor: ZERO_MINOR,
      };
      return { ...state, version, railTransactions: [...state.railTransactions, elsewhere] };
    }
    case 'suspense_reversed':
    case 'reversal_unapplied':
      return { ...state, version, railTransactions: markReversed(state, event) };
    default:
      return unreachable(event);
  }
}

function paid(state: PaymentState, event: PaymentPaid): PaymentState {
  const { settlement, holdUntilMs } = event;
  const { rail, railTransactionId, orderId } = settlement;
  return {
    ...state,
    ...NOTHING_ASKED,
    version: event.version,
    status: 'paid',
    failureCode: null,
    isLate: event.isLate,
    capture: { rail, railTransactionId, orderId, holdUntilMs },
    attempts: changeAttempt(state, orderId, { status: 'settled', isUnconfirmed: false }),
    railTransactions: [...state.railTransactions, toTransaction(settlement, 'captured')],
    paidAtMs: settlement.settledAtMs ?? event.atMs,
  };
}

function toTransaction(
  settlement: Settlement,
  standing: RailTransaction['standing'],
): RailTransaction {
  const { rail, railTransactionId: id, amountMinor, currency } = settlement;
  return { rail, id, standing, amountMinor, currency };
}

/** The capture stays: a second settlement is a second payment, and the hold tells where the money stood. */
function reversed(state: PaymentState, event: PaymentReversed): PaymentState {
  return {
    ...state,
    version: event.version,
    status: 'failed',
    failureCode: 'reversed',
    failedAtMs: event.atMs,
    railTransactions: state.railTransactions.map((transaction) =>
      transaction.standing === 'captured' ? { ...transaction, standing: 'reversed' } : transaction,
    ),
    refunds: state.refunds.map((refund) =>
      isRefundOpen(refund) ? { ...refund, status: 'manual_required' } : refund,
    ),
  };
}

/** A transaction that was never seen is kept, so that a settlement that was overtaken has no effect. */
function markReversed(
  state: PaymentState,
  event: SuspenseReversed | ReversalUnapplied,
): readonly RailTransaction[] {
  const { rail, railTransactionId: id } = event;
  if (event.type === 'reversal_unapplied' && event.reason === 'transaction_unknown') {
    const { currency } = state.request;
    const unknown = { rail, id, standing: 'reversed', amountMinor: ZERO_MINOR, currency } as const;
    return [...state.railTransactions, unknown];
  }
  return state.railTransactions.map((transaction) =>
    transaction.id === id && transaction.rail === rail
      ? { ...transaction, standing: 'reversed' }
      : transaction,
  );
}
