// Money is truth: what a rail has settled makes the payment paid, also after we had given it up. Money that
// is not the payment's (another amount, a second payment) goes to the suspense account; the status stays.
// A rail transaction counts once, in every state and for one payment.
import { PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { Settlement } from '#actors/core/rails/answers.js';
import { sandboxSettlement } from '#actors/core/rails/sandbox.js';
import type { DisownSettlement, ReversePayment, SimulatePayment } from '../commands.js';
import type { SuspenseReason } from '../events.js';
import {
  type Attempt,
  findAttempt,
  hasReached,
  latestAttempt,
  type PaymentState,
} from '../state.js';
import { type Decision, done, mark, reject, UNCHANGED } from './decision.js';
import { unreachable } from '#actors/core/unreachable.js';

export function decideSettlement(
  state: PaymentState,
  settlement: Settlement,
  nowMs: number,
): Decision {
  if (findTransaction(state, settlement) !== undefined) return UNCHANGED;
  const attempt = findAttempt(state, settlement.orderId);
  if (attempt?.rail !== settlement.rail) return suspend(state, settlement, 'order_unknown', nowMs);
  const reason = suspenseReason(state, settlement);
  if (reason !== null) return suspend(state, settlement, reason, nowMs);
  const isLate = state.status === 'failed' || state.status === 'cancelled';
  const holdUntilMs = holdUntil(state, attempt, nowMs);
  return done({ type: 'payment_paid', ...mark(state, nowMs), settlement, isLate, holdUntilMs });
}

/** A person has to find out whose money it is; it is told once. */
export function decideDisowned(
  state: PaymentState,
  { settlement }: DisownSettlement,
  nowMs: number,
): Decision {
  if (findTransaction(state, settlement) !== undefined) return UNCHANGED;
  return done({ type: 'settlement_unapplied', ...mark(state, nowMs), settlement });
}

function suspend(
  state: PaymentState,
  settlement: Settlement,
  reason: SuspenseReason,
  nowMs: number,
): Decision {
  return done({ type: 'settlement_suspended', ...mark(state, nowMs), settlement, reason });
}

/** Transactions are numbered by each rail for itself. */
function findTransaction(
  state: PaymentState,
  { rail, railTransactionId }: Pick<Settlement, 'rail' | 'railTransactionId'>,
) {
  return state.railTransactions.find(
    (transaction) => transaction.id === railTransactionId && transaction.rail === rail,
  );
}

function suspenseReason(state: PaymentState, settlement: Settlement): SuspenseReason | null {
  if (state.capture !== null) return 'already_paid';
  if (settlement.currency !== state.request.currency) return 'currency_differs';
  return settlement.amountMinor === state.request.amountMinor ? null : 'amount_differs';
}

/** From the day we know of the money, not from the day the rail names: that may lie back. */
function holdUntil(state: PaymentState, attempt: Attempt, nowMs: number): number | null {
  if (state.environment === 'TEST' || attempt.method === null) return null;
  const { holdS } = PAYMENT_METHODS[attempt.method];
  return holdS === 0 ? null : nowMs + holdS * 1000;
}

/** "Paid, then taken back". Of a payment that was refunded in full there is nothing left to take. */
export function decideReversal(
  state: PaymentState,
  command: ReversePayment,
  nowMs: number,
): Decision {
  const { rail, railTransactionId } = command;
  const transaction = findTransaction(state, command);
  const at = mark(state, nowMs);
  if (transaction === undefined) {
    const reason = 'transaction_unknown';
    return done({ type: 'reversal_unapplied', ...at, rail, railTransactionId, reason });
  }
  switch (transaction.standing) {
    case 'reversed':
      return UNCHANGED;
    case 'suspended': {
      const { amountMinor, currency } = transaction;
      const reversed = { rail, railTransactionId, amountMinor, currency };
      return done({ type: 'suspense_reversed', ...at, ...reversed });
    }
    case 'elsewhere': {
      const reason = 'transaction_elsewhere';
      return done({ type: 'reversal_unapplied', ...at, rail, railTransactionId, reason });
    }
    case 'captured': {
      if (state.status === 'paid') return done({ type: 'payment_reversed', ...at });
      const reason = 'refunded';
      return done({ type: 'reversal_unapplied', ...at, rail, railTransactionId, reason });
    }
    default:
      return unreachable(transaction.standing);
  }
}

/** Too early (another clock ran ahead) it has no effect, and stays due. */
export function decideRelease(state: PaymentState, nowMs: number): Decision {
  const holdUntilMs = state.status === 'paid' ? state.capture.holdUntilMs : null;
  if (holdUntilMs === null || nowMs < holdUntilMs) return UNCHANGED;
  return done({ type: 'hold_released', ...mark(state, nowMs) });
}

/** A LIVE payment does not exist for the sandbox. Simulate acts on pending only, never "late". */
export function decideSimulation(
  state: PaymentState,
  command: SimulatePayment,
  nowMs: number,
): Decision {
  if (state.environment !== 'TEST') return reject('payment_not_found');
  const attempt = latestAttempt(state);
  if (state.status !== 'pending' || attempt === undefined) {
    return hasReached(state, command.outcome) ? UNCHANGED : reject('state_conflict');
  }
  const { orderId } = attempt;
  if (command.outcome === 'paid') {
    return decideSettlement(state, sandboxSettlement(orderId, state.request), nowMs);
  }
  return done({
    type: 'payment_failed',
    ...mark(state, nowMs),
    failureCode: 'simulated',
    orderId,
  });
}
