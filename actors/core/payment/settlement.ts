// Settlement: money is truth. A settlement at a rail makes the payment paid, even after the payment
// was given up. Money that is not the payment's (another amount, a second payment) goes to the
// suspense account, and the status stays. A rail transaction counts once, in every state and for
// one payment. The payment keeps each transaction that named it, as captured (it paid the payment;
// at most one), suspended, elsewhere (booked on another payment, with no amount here) or reversed.
import { ZERO_MINOR } from '../money.js';
import { PAYMENT_METHODS } from '../payment-methods.js';
import type { Settlement } from '../rails/answers.js';
import { buildSandboxSettlement } from '../rails/sandbox.js';
import type { TransactionState } from '../statuses.js';
import { unreachable } from '../unreachable.js';
import { changeAttempt } from './attempts.js';
import type { DisownSettlement, ReversePayment, SimulatePayment } from './commands.js';
import type { EventOf, SettlementEvents, SuspenseReason } from './events.js';
import { answerOpenRefunds, answerWaiters, PAID } from './outcome.js';
import {
  postPaid,
  postRelease,
  postReversal,
  postSuspense,
  postSuspenseReversed,
} from './postings.js';
import { callClose } from './rail-calls.js';
import {
  type Decision,
  done,
  type Effects,
  type EventHandlers,
  mark,
  NO_EFFECTS,
  reject,
  UNCHANGED,
} from './slice.js';
import {
  type Attempt,
  findAttempt,
  findTransaction,
  hasReached,
  isRefundOpen,
  findLatestAttempt,
  NOTHING_REQUESTED,
  type PaymentState,
  type RailTransaction,
  type TransactionKey,
} from './state.js';
import {
  reportRefundsOfReversed,
  reportReversalUnapplied,
  reportSuspended,
  reportSuspenseReversed,
  reportUnapplied,
} from './tasks.js';

export function decideSettlement(
  state: PaymentState,
  settlement: Settlement,
  nowMs: number,
): Decision {
  if (findTransaction(state, settlement) !== undefined) return UNCHANGED;
  const attempt = findAttempt(state, settlement.orderId);
  const at = mark(state, nowMs);
  if (attempt?.rail !== settlement.rail) {
    return done({ type: 'settlement_suspended', ...at, settlement, reason: 'order_unknown' });
  }
  const reason = findMismatch(state, settlement);
  if (reason !== null) return done({ type: 'settlement_suspended', ...at, settlement, reason });
  const isLate = state.status === 'failed' || state.status === 'cancelled';
  const holdUntilMs = computeHoldUntilMs(state, attempt, nowMs);
  return done({ type: 'payment_paid', ...at, settlement, isLate, holdUntilMs });
}

/** One task asks an operator whose money it is. */
export function decideDisowned(
  state: PaymentState,
  { settlement }: DisownSettlement,
  nowMs: number,
): Decision {
  if (findTransaction(state, settlement) !== undefined) return UNCHANGED;
  return done({ type: 'settlement_unapplied', ...mark(state, nowMs), settlement });
}

function findMismatch(state: PaymentState, settlement: Settlement): SuspenseReason | null {
  if (state.capture !== null) return 'already_paid';
  if (settlement.currency !== state.request.currency) return 'currency_differs';
  return settlement.amountMinor === state.request.amountMinor ? null : 'amount_differs';
}

/**
 * Counts from the day on which the settlement is known, since the rail's own date may lie in the
 * past.
 */
function computeHoldUntilMs(state: PaymentState, attempt: Attempt, nowMs: number): number | null {
  if (state.environment === 'TEST' || attempt.method === null) return null;
  const { holdS } = PAYMENT_METHODS[attempt.method];
  return holdS === 0 ? null : nowMs + holdS * 1000;
}

/**
 * The rail takes a settlement back. A payment that is refunded in full has nothing left to take.
 */
export function decideReversal(
  state: PaymentState,
  command: ReversePayment,
  nowMs: number,
): Decision {
  const { rail, railTransactionId } = command;
  const transaction = findTransaction(state, command);
  const at = { ...mark(state, nowMs), rail, railTransactionId };
  if (transaction === undefined) {
    return done({ type: 'reversal_unapplied', ...at, reason: 'transaction_unknown' });
  }
  switch (transaction.state) {
    case 'reversed':
      return UNCHANGED;
    case 'suspended': {
      const { amountMinor, currency } = transaction;
      return done({ type: 'suspense_reversed', ...at, amountMinor, currency });
    }
    case 'elsewhere':
      return done({ type: 'reversal_unapplied', ...at, reason: 'transaction_elsewhere' });
    case 'captured':
      if (state.status === 'paid') return done({ type: 'payment_reversed', ...mark(state, nowMs) });
      return done({ type: 'reversal_unapplied', ...at, reason: 'refunded' });
    default:
      return unreachable(transaction.state);
  }
}

/** Has no effect when it is early because the sender's clock is ahead; the payment stays due. */
export function decideRelease(state: PaymentState, nowMs: number): Decision {
  const holdUntilMs = state.status === 'paid' ? state.capture.holdUntilMs : null;
  if (holdUntilMs === null || nowMs < holdUntilMs) return UNCHANGED;
  return done({ type: 'hold_released', ...mark(state, nowMs) });
}

/**
 * The sandbox cannot see LIVE payments. It acts on pending payments only, so its money is never
 * late.
 */
export function decideSimulation(
  state: PaymentState,
  command: SimulatePayment,
  nowMs: number,
): Decision {
  if (state.environment !== 'TEST') return reject('payment_not_found');
  const attempt = findLatestAttempt(state);
  if (state.status !== 'pending' || attempt === undefined) {
    return hasReached(state, command.outcome) ? UNCHANGED : reject('state_conflict');
  }
  const { orderId } = attempt;
  if (command.outcome === 'paid') {
    return decideSettlement(state, buildSandboxSettlement(orderId, state.request), nowMs);
  }
  const at = mark(state, nowMs);
  return done({ type: 'payment_failed', ...at, failureCode: 'simulated', orderId });
}

/**
 * Only these events and those of refunds make postings. A booked settlement claims its rail
 * transaction, so that no other payment can book it.
 */
export const settlementHandlers: EventHandlers<SettlementEvents> = {
  payment_paid: {
    evolve: pay,
    effects: (state, { settlement }) => ({
      ...NO_EFFECTS,
      postings: postPaid(state, settlement),
      railTransaction: claimTransaction(settlement),
      railCalls: callClose(state, 'supersede'),
      answers: answerWaiters(state, PAID),
    }),
  },
  payment_reversed: {
    evolve: reverse,
    effects: (state) => ({
      ...NO_EFFECTS,
      postings: postReversal(state),
      tasks: reportRefundsOfReversed(state),
      answers: answerOpenRefunds(state),
    }),
  },
  hold_released: {
    evolve: (state, { version }) =>
      state.status === 'paid'
        ? { ...state, version, capture: { ...state.capture, holdUntilMs: null } }
        : { ...state, version },
    effects: (state) => ({ ...NO_EFFECTS, postings: postRelease(state) }),
  },
  settlement_suspended: {
    evolve: (state, { version, settlement }) => {
      const suspended = buildTransaction(settlement, 'suspended');
      return { ...state, version, railTransactions: [...state.railTransactions, suspended] };
    },
    effects: (state, event) => ({
      ...NO_EFFECTS,
      postings: postSuspense(state, event.settlement),
      railTransaction: claimTransaction(event.settlement),
      tasks: reportSuspended(state, event),
    }),
  },
  settlement_unapplied: {
    evolve: (state, { version, settlement }) => {
      const booked = { ...buildTransaction(settlement, 'elsewhere'), amountMinor: ZERO_MINOR };
      return { ...state, version, railTransactions: [...state.railTransactions, booked] };
    },
    effects: (state, event) => ({ ...NO_EFFECTS, tasks: reportUnapplied(state, event) }),
  },
  suspense_reversed: {
    evolve: (state, event) => {
      const railTransactions = markReversed(state, event);
      return { ...state, version: event.version, railTransactions };
    },
    effects: (state, event) => {
      const tasks = reportSuspenseReversed(state, event);
      return { ...NO_EFFECTS, postings: postSuspenseReversed(state, event), tasks };
    },
  },
  reversal_unapplied: {
    evolve: (state, event) => {
      const railTransactions =
        event.reason === 'transaction_unknown'
          ? addReversed(state, event)
          : markReversed(state, event);
      return { ...state, version: event.version, railTransactions };
    },
    effects: (state, event) => ({ ...NO_EFFECTS, tasks: reportReversalUnapplied(state, event) }),
  },
};

function claimTransaction(settlement: Settlement): Effects['railTransaction'] {
  return { rail: settlement.rail, transactionId: settlement.railTransactionId };
}

function pay(state: PaymentState, event: EventOf<'payment_paid'>): PaymentState {
  const { settlement, holdUntilMs } = event;
  const { rail, railTransactionId, orderId } = settlement;
  return {
    ...state,
    ...NOTHING_REQUESTED,
    version: event.version,
    status: 'paid',
    failureCode: null,
    isLate: event.isLate,
    capture: { rail, railTransactionId, orderId, holdUntilMs },
    attempts: changeAttempt(state, orderId, { status: 'settled', isUnconfirmed: false }),
    railTransactions: [...state.railTransactions, buildTransaction(settlement, 'captured')],
    paidAtMs: settlement.settledAtMs ?? event.atMs,
  };
}

function buildTransaction(settlement: Settlement, state: TransactionState): RailTransaction {
  const { rail, railTransactionId: id, amountMinor, currency } = settlement;
  return { rail, id, state, amountMinor, currency };
}

/**
 * The capture stays: a second settlement is a second payment, and the hold tells which account had
 * the money.
 */
function reverse(state: PaymentState, event: EventOf<'payment_reversed'>): PaymentState {
  return {
    ...state,
    version: event.version,
    status: 'failed',
    failureCode: 'reversed',
    failedAtMs: event.atMs,
    railTransactions: state.railTransactions.map((transaction) =>
      transaction.state === 'captured' ? { ...transaction, state: 'reversed' } : transaction,
    ),
    refunds: state.refunds.map((refund) =>
      isRefundOpen(refund) ? { ...refund, status: 'manual_required' } : refund,
    ),
  };
}

/** A reversal may overtake its settlement; the entry keeps the later settlement without effect. */
function addReversed(
  state: PaymentState,
  { rail, railTransactionId: id }: TransactionKey,
): readonly RailTransaction[] {
  const { currency } = state.request;
  const unknown = { rail, id, state: 'reversed', amountMinor: ZERO_MINOR, currency } as const;
  return [...state.railTransactions, unknown];
}

function markReversed(
  state: PaymentState,
  { rail, railTransactionId: id }: TransactionKey,
): readonly RailTransaction[] {
  return state.railTransactions.map((transaction) =>
    transaction.id === id && transaction.rail === rail
      ? { ...transaction, state: 'reversed' }
      : transaction,
  );
}
