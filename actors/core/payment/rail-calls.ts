// The calls to rails that an event asks for. A call's id follows from the payment and its version,
// so that a repeated fold makes the same call. A call holds no text of the customer: its executor
// reads that from the snapshot. TEST makes no calls.
import { type OrderId, type PaymentId, type RefundId, formatTransitionKey } from '../ids.js';
import type { AmountMinor, Currency } from '../money.js';
import type { ChargeableMethod } from '../payment-methods.js';
import type { RailName } from '../rails/rail-names.js';
import type { ClosePurpose } from '../statuses.js';
import type { AttemptPlan } from './events.js';
import { type Attempt, isOpen, type PaymentState, findRefundAmount } from './state.js';

interface CallBase {
  /** `call_` and 32 characters. */
  readonly id: string;
  readonly paymentId: PaymentId;
  readonly rail: RailName;
  readonly orderId: OrderId;
}

export interface ChargeCall extends CallBase {
  readonly operation: 'charge';
  readonly method: ChargeableMethod;
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
  /** The rail's own expiry may be earlier, never later. */
  readonly expiresAtMs: number;
}

/** Make sure that nobody can pay the order any more: cancel it or let it expire. */
export interface CloseCall extends CallBase {
  readonly operation: 'close';
  readonly purpose: ClosePurpose;
  readonly railReference: string | null;
}

export interface RefundCall extends CallBase {
  readonly operation: 'refund';
  readonly refundId: RefundId;
  readonly method: ChargeableMethod | null;
  readonly railReference: string | null;
  readonly railTransactionId: string;
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
}

export type RailCall = ChargeCall | CloseCall | RefundCall;

type RailCalls = readonly RailCall[];
const NONE: RailCalls = [];

function buildCallBase(state: PaymentState, order: Pick<Attempt, 'rail' | 'orderId'>, index = 0) {
  const id = `call_${formatTransitionKey(state.id, state.version)}${String(index).padStart(2, '0')}`;
  return { id, paymentId: state.id, rail: order.rail, orderId: order.orderId };
}

export function callCharge(state: PaymentState, plan: AttemptPlan | null): RailCalls {
  if (state.environment === 'TEST' || plan === null || plan.method === null) return NONE;
  const { method } = plan;
  const { amountMinor, currency } = state.request;
  const { expiresAtMs } = state;
  const charge = { operation: 'charge', method, amountMinor, currency, expiresAtMs } as const;
  return [{ ...buildCallBase(state, plan), ...charge }];
}

/**
 * Passes a request on that came before the rail's answer; closes the order of a payment that has
 * ended.
 */
export function callCloseAccepted(state: PaymentState): RailCalls {
  if (!isOpen(state)) return callClose(state, 'supersede');
  if (state.cancelRequest !== null) return callClose(state, 'cancel');
  return state.expiryRequestedAtMs === null ? NONE : callClose(state, 'expire');
}

/** A charging attempt is closed after the rail has accepted it. */
export function callClose(state: PaymentState, purpose: ClosePurpose): RailCalls {
  if (state.environment === 'TEST') return NONE;
  const open = state.attempts.filter((attempt) => attempt.status === 'open');
  return open.map((attempt, index) => {
    const { railReference } = attempt;
    return { ...buildCallBase(state, attempt, index), operation: 'close', purpose, railReference };
  });
}

export function callRefund(state: PaymentState, refundId: RefundId): RailCalls {
  if (state.environment === 'TEST' || state.capture === null) return NONE;
  const { orderId, railTransactionId } = state.capture;
  const { currency } = state.request;
  const amountMinor = findRefundAmount(state, refundId);
  const money = { railTransactionId, amountMinor, currency };
  const paid = state.attempts.filter((attempt) => attempt.orderId === orderId);
  return paid.map((attempt) => {
    const { method, railReference } = attempt;
    const base = buildCallBase(state, attempt);
    return { ...base, operation: 'refund', refundId, method, railReference, ...money };
  });
}
