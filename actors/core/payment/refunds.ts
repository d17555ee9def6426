// The decisions about refunds; refund-handlers.ts applies their events. Open and succeeded refunds together never exceed
// the payment. The rail gets the refunds of a payment one at a time, the others queue. An administrator completes or fails
// a refund that a rail cannot make. Its money is reserved by the request, and goes to the rail or back to the merchant
// with its end.
//
//   queued ──▶ asked ──▶ succeeded, failed
//                └─────▶ manual_required ──an administrator──▶ succeeded, failed
//
// A failed refund that the rail reports as made is disputed: its amount is not refundable again until
// an administrator corrects it (it becomes succeeded, the merchant pays) or confirms the failure.
//
// A refund or chargeback that the rail made by itself is recorded, and has succeeded from its begin.
import type { RefundId } from '../ids.js';
import { answerSandboxRefund } from '../rails/sandbox.js';
import { unreachable } from '../unreachable.js';
import type {
  AnswerRefund,
  CompleteRefund,
  FailRefund,
  RecordRefund,
  RefundPayment,
} from './commands.js';
import type { PaymentEvent } from './events.js';
import { type Decision, done, mark, reject, REPLAYED, UNCHANGED, WAITING } from './slice.js';
import {
  canCorrectRefund,
  findRefund,
  isOfTenant,
  isRefundDisputed,
  type PaymentState,
  type Refund,
  computeRefundableMinor,
} from './state.js';

/** The snapshot holds them all and is written with every event. */
export const MAX_REFUNDS = 50;
/**
 * A refund without a result is then an operator task, and an administrator may end it. Counted from
 * the time at which it was given to the rail, not from its creation: it may have queued for days.
 */
export const REFUND_UNRESOLVED_AFTER_MS = 6 * 3_600_000;
/**
 * A request that did not reach the rail is sent, and an unknown one repeated, within this time only:
 * none is under way when an administrator may end the refund.
 */
export const REFUND_SENT_WITHIN_MS = 3 * 3_600_000;

export function decideRefund(state: PaymentState, command: RefundPayment, nowMs: number): Decision {
  if (!isOfTenant(state, command)) return reject('payment_not_found');
  const known = findRefund(state, command.refundId);
  if (known !== undefined) return decideRepeat(state, known, command);
  if (state.status !== 'paid') return reject('state_conflict');
  const refundable = computeRefundableMinor(state);
  const amountMinor = command.amountMinor ?? refundable;
  if (amountMinor <= 0n || amountMinor > refundable) return reject('refund_exceeds_payment');
  if (state.refunds.length >= MAX_REFUNDS) return reject('refund_limit_reached');
  const { refundId, amountMinor: requestedMinor, reason, referenceId } = command;
  const fields = { refundId, amountMinor, requestedMinor, reason, referenceId };
  const requested: PaymentEvent = { type: 'refund_requested', ...mark(state, nowMs), ...fields };
  return state.environment === 'TEST'
    ? refundInSandbox(state, requested, refundId, nowMs)
    : refundAtRail(state, requested, refundId, nowMs);
}

/**
 * The id is derived from the idempotency key, so the same id with other fields is a conflict.
 * Erased texts cannot be compared; the claim of the key holds a hash of them.
 */
function decideRepeat(state: PaymentState, refund: Refund, command: RefundPayment): Decision {
  const hasSameTexts =
    state.erasedAtMs !== null ||
    (refund.reason === command.reason && refund.referenceId === command.referenceId);
  const isSame = refund.requestedMinor === command.amountMinor && hasSameTexts;
  if (!isSame) return reject('idempotency_conflict');
  return refund.status === 'asked' && !refund.isLeftPending ? WAITING : REPLAYED;
}

function refundInSandbox(
  state: PaymentState,
  requested: PaymentEvent,
  refundId: RefundId,
  nowMs: number,
): Decision {
  const at = mark(state, nowMs, 1);
  const answered: PaymentEvent =
    answerSandboxRefund(state.request.amountMinor).result === 'succeeded'
      ? { type: 'refund_succeeded', ...at, refundId, externalReference: null }
      : { type: 'refund_made_manual', ...at, refundId };
  return { events: [requested, answered], outcome: 'created' };
}

/** created: the refund is queued, its sender sees PENDING. waiting: the rail is asked now. */
function refundAtRail(
  state: PaymentState,
  requested: PaymentEvent,
  refundId: RefundId,
  nowMs: number,
): Decision {
  if (state.refunds.some((refund) => refund.status === 'asked')) {
    return { events: [requested], outcome: 'created' };
  }
  const submitted: PaymentEvent = { type: 'refund_submitted', ...mark(state, nowMs, 1), refundId };
  return { events: [requested, submitted], outcome: 'waiting' };
}

export function decideRefundAnswer(
  state: PaymentState,
  command: AnswerRefund,
  nowMs: number,
): Decision {
  const { refundId } = command;
  const refund = findRefund(state, refundId);
  if (refund === undefined) return reject('refund_not_found');
  const { result } = command.answer;
  switch (refund.status) {
    case 'asked':
      return answerAsked(state, refund, command, nowMs);
    case 'manual_required':
      // Money is truth. After a rail's failure the administrator decides, since a payment by hand
      // may be under way.
      return result === 'succeeded'
        ? done(endRefund(state, nowMs, { type: 'refund_succeeded', refundId }))
        : UNCHANGED;
    case 'failed':
      if (result !== 'succeeded' || refund.isContradicted) return UNCHANGED;
      return done({ type: 'refund_contradicted', ...mark(state, nowMs), refundId });
    case 'queued':
    case 'succeeded':
      return UNCHANGED;
    default:
      return unreachable(refund.status);
  }
}

function answerAsked(
  state: PaymentState,
  { id: refundId, isLeftPending }: Refund,
  { answer }: AnswerRefund,
  nowMs: number,
): Decision {
  switch (answer.result) {
    case 'succeeded':
    case 'failed': {
      const type = answer.result === 'succeeded' ? 'refund_succeeded' : 'refund_failed';
      return done(endRefund(state, nowMs, { type, refundId }), ...submitNext(state, nowMs));
    }
    case 'manual_required': {
      const manual: PaymentEvent = { type: 'refund_made_manual', ...mark(state, nowMs), refundId };
      return done(manual, ...submitNext(state, nowMs));
    }
    case 'pending':
    case 'unknown':
      if (isLeftPending) return UNCHANGED;
      return done({ type: 'refund_left_pending', ...mark(state, nowMs), refundId });
    default:
      return unreachable(answer);
  }
}

interface RefundEnd {
  readonly type: 'refund_succeeded' | 'refund_failed';
  readonly refundId: RefundId;
  readonly externalReference?: string;
}

function endRefund(state: PaymentState, nowMs: number, end: RefundEnd): PaymentEvent {
  return { externalReference: null, ...end, ...mark(state, nowMs) };
}

/** Refunds queue only while the payment is paid: a reversal makes the open ones manual. */
function submitNext(state: PaymentState, nowMs: number): readonly PaymentEvent[] {
  const next = state.refunds.find((refund) => refund.status === 'queued');
  if (next === undefined) return [];
  return [{ type: 'refund_submitted', ...mark(state, nowMs, 1), refundId: next.id }];
}

export function decideRefundCompletion(
  state: PaymentState,
  command: CompleteRefund | FailRefund,
  nowMs: number,
): Decision {
  const { refundId, externalReference } = command;
  const refund = findRefund(state, refundId);
  if (refund === undefined) return reject('refund_not_found');
  const isCompletion = command.type === 'complete_refund';
  if (isCompletion && isBookedAs(state, command, 'recorded')) return reject('state_conflict');
  const type = isCompletion ? 'refund_succeeded' : 'refund_failed';
  const end = endRefund(state, nowMs, { type, refundId, externalReference });
  if (refund.status === 'manual_required') return done(end);
  if (isUnresolved(refund, nowMs)) return done(end, ...submitNext(state, nowMs));
  const isRepeat =
    refund.status === (isCompletion ? 'succeeded' : 'failed') &&
    refund.externalReference === externalReference;
  if (isRepeat) return UNCHANGED;
  return isRefundDisputed(refund)
    ? settleDispute(state, refund, command, nowMs)
    : reject('state_conflict');
}

/** Failing it under the reference of its failure is a repeat, and decides nothing. */
function settleDispute(
  state: PaymentState,
  refund: Refund,
  { type, refundId, externalReference }: CompleteRefund | FailRefund,
  nowMs: number,
): Decision {
  const settled = { ...mark(state, nowMs), refundId, externalReference };
  if (type === 'fail_refund') return done({ type: 'refund_failure_confirmed', ...settled });
  if (!canCorrectRefund(state, refund)) return reject('state_conflict');
  return done({ type: 'refund_corrected', ...settled });
}

/**
 * One movement of money is booked once: a reference that a record has is no reference of a
 * completion, and the other way round.
 */
function isBookedAs(
  { refunds }: PaymentState,
  { refundId, externalReference }: Pick<RecordRefund, 'refundId' | 'externalReference'>,
  as: 'recorded' | 'ended',
): boolean {
  return refunds.some(
    ({ id, origin, status, externalReference: booked }) =>
      id !== refundId &&
      booked === externalReference &&
      status === 'succeeded' &&
      (as === 'ended' || origin !== 'merchant'),
  );
}

/** The limit on the number of refunds does not stop it: the money has left the rail. */
export function decideRecordedRefund(
  state: PaymentState,
  command: RecordRefund,
  nowMs: number,
): Decision {
  const { refundId, origin, amountMinor, externalReference } = command;
  const known = findRefund(state, refundId);
  if (known !== undefined) {
    const isSame = known.origin === origin && known.amountMinor === amountMinor;
    return isSame ? UNCHANGED : reject('idempotency_conflict');
  }
  if (state.status !== 'paid' || isBookedAs(state, command, 'ended'))
    return reject('state_conflict');
  const isTooMuch = amountMinor > computeRefundableMinor(state);
  if (amountMinor <= 0n || isTooMuch) return reject('refund_exceeds_payment');
  const fields = { refundId, origin, amountMinor, externalReference };
  return done({ type: 'refund_recorded', ...mark(state, nowMs), ...fields });
}

/** The rail has not reported a result for so long that an administrator may find it out. */
function isUnresolved({ status, createdAtMs, askedAtMs }: Refund, nowMs: number): boolean {
  return status === 'asked' && nowMs - (askedAtMs ?? createdAtMs) >= REFUND_UNRESOLVED_AFTER_MS;
}
