// Refunds. Open and done refunds together never exceed the payment; the rail is asked for one at a time, the
// others queue. What a rail cannot refund is completed, or failed, by an administrator.
import { unreachable } from '#actors/core/unreachable.js';
import type {
  AnswerRefund,
  CompleteRefund,
  FailRefund,
  PaymentCommand,
  RefundPayment,
} from '../commands.js';
import type { PaymentEvent } from '../events.js';
import { sandboxRefundAnswer } from '#actors/core/rails/sandbox.js';
import { findRefund, type PaymentState, type Refund, refundableMinor } from '../state.js';
import { type Decision, done, mark, reject, REPLAYED, UNCHANGED, WAITING } from './decision.js';

/** Each stands in the snapshot, which is written with every event. */
const MAX_REFUNDS = 50;
/** Until then look-ups go on, and nobody but the rail says how a refund ended. */
export const REFUND_UNRESOLVED_AFTER_MS = 30 * 86_400_000;

export function decideRefund(state: PaymentState, command: RefundPayment, nowMs: number): Decision {
  const isOwner =
    state.merchantId === command.merchantId && state.environment === command.environment;
  if (!isOwner) return reject('payment_not_found');
  const known = findRefund(state, command.refundId);
  if (known !== undefined) return decideRepeat(state, known, command);
  if (state.status !== 'paid') return reject('state_conflict');
  const refundable = refundableMinor(state);
  const amountMinor = command.amountMinor ?? refundable;
  if (amountMinor <= 0n || amountMinor > refundable) return reject('refund_exceeds_payment');
  if (state.refunds.length >= MAX_REFUNDS) return reject('refund_limit_reached');
  const { refundId, amountMinor: requestedMinor, reason, referenceId } = command;
  const requested: PaymentEvent = {
    type: 'refund_requested',
    ...mark(state, nowMs),
    refundId,
    amountMinor,
    requestedMinor,
    reason,
    referenceId,
  };
  return state.environment === 'TEST'
    ? refundInSandbox(state, requested, refundId, nowMs)
    : refundAtRail(state, requested, refundId, nowMs);
}

/**
 * The id is derived from the idempotency key: the same id with other fields is a conflict. Texts that were erased
 * cannot be compared any more; the claim of the key has a hash of them.
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
  refundId: Refund['id'],
  nowMs: number,
): Decision {
  const at = mark(state, nowMs, 1);
  const answered: PaymentEvent =
    sandboxRefundAnswer(state.request.amountMinor).result === 'succeeded'
      ? { type: 'refund_succeeded', ...at, refundId, externalReference: null }
      : { type: 'refund_made_manual', ...at, refundId };
  return { events: [requested, answered], outcome: 'created' };
}

/** created: it is queued, and PENDING for its sender. waiting: the rail is asked now. */
function refundAtRail(
  state: PaymentState,
  requested: PaymentEvent,
  refundId: Refund['id'],
  nowMs: number,
): Decision {
  if (state.refunds.some((refund) => refund.status === 'asked')) {
    return { events: [requested], outcome: 'created' };
  }
  const submitted: PaymentEvent = {
    type: 'refund_submitted',
    ...mark(state, nowMs, 1),
    refundId,
  };
  return { events: [requested, submitted], outcome: 'waiting' };
}

export function decideRefundAnswer(
  state: PaymentState,
  command: AnswerRefund,
  nowMs: number,
): Decision {
  const refund = findRefund(state, command.refundId);
  if (refund === undefined) return reject('refund_not_found');
  const { result } = command.answer;
  switch (refund.status) {
    case 'asked':
      return answerAsked(state, refund, command, nowMs);
    case 'manual_required':
      // Money is truth; but that the rail failed leaves it to the administrator, who may be paying by hand.
      return result === 'succeeded' ? done(ended(state, refund, command, nowMs)) : UNCHANGED;
    case 'failed':
      if (result !== 'succeeded' || refund.isContradicted) return UNCHANGED;
      return done({ type: 'refund_contradicted', ...mark(state, nowMs), refundId: refund.id });
    case 'queued':
    case 'succeeded':
      return UNCHANGED;
    default:
      return unreachable(refund.status);
  }
}

function answerAsked(
  state: PaymentState,
  refund: Refund,
  command: AnswerRefund,
  nowMs: number,
): Decision {
  const refundId = refund.id;
  switch (command.answer.result) {
    case 'succeeded':
    case 'failed':
      return done(ended(state, refund, command, nowMs), ...submitNext(state, nowMs));
    case 'manual_required': {
      const manual: PaymentEvent = { type: 'refund_made_manual', ...mark(state, nowMs), refundId };
      return done(manual, ...submitNext(state, nowMs));
    }
    case 'pending':
    case 'unknown':
      if (refund.isLeftPending) return UNCHANGED;
      return done({ type: 'refund_left_pending', ...mark(state, nowMs), refundId });
    default:
      return unreachable(command.answer);
  }
}

function ended(
  state: PaymentState,
  refund: Refund,
  command: AnswerRefund,
  nowMs: number,
): PaymentEvent {
  return {
    type: command.answer.result === 'succeeded' ? 'refund_succeeded' : 'refund_failed',
    ...mark(state, nowMs),
    refundId: refund.id,
    externalReference: null,
  };
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
  const refund = findRefund(state, command.refundId);
  if (refund === undefined) return reject('refund_not_found');
  const { refundId, externalReference } = command;
  const [type, status] = endOf(command.type);
  if (refund.status === 'manual_required') {
    return done({ type, ...mark(state, nowMs), refundId, externalReference });
  }
  if (isUnresolved(refund, nowMs)) {
    const end: PaymentEvent = { type, ...mark(state, nowMs), refundId, externalReference };
    return done(end, ...submitNext(state, nowMs));
  }
  const isRepeat = refund.status === status && refund.externalReference === externalReference;
  return isRepeat ? UNCHANGED : reject('state_conflict');
}

/** Its rail was asked so long ago, and has not said yet what became of it: a person may find out. */
function isUnresolved({ status, createdAtMs }: Refund, nowMs: number): boolean {
  return status === 'asked' && nowMs - createdAtMs >= REFUND_UNRESOLVED_AFTER_MS;
}

type End = readonly ['refund_succeeded', 'succeeded'] | readonly ['refund_failed', 'failed'];

function endOf(type: Extract<PaymentCommand['type'], 'complete_refund' | 'fail_refund'>): End {
  return type === 'complete_refund'
    ? ['refund_succeeded', 'succeeded']
    : ['refund_failed', 'failed'];
}
