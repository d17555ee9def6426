// Refunds. Open and succeeded refunds together never exceed the payment. The rail gets the refunds
// of a payment one at a time, the others queue. An administrator completes or fails a refund that a
// rail cannot make. Its money is reserved by the request, and goes to the rail or back to the
// merchant with its end.
//
//   queued ──▶ asked ──▶ succeeded, failed
//                └─────▶ manual_required ──an administrator──▶ succeeded, failed
import type { RefundId } from '../ids.js';
import { answerSandboxRefund } from '../rails/sandbox.js';
import { unreachable } from '../unreachable.js';
import type { AnswerRefund, CompleteRefund, FailRefund, RefundPayment } from './commands.js';
import type { EventOf, PaymentEvent, RefundEvents } from './events.js';
import { answerRefund } from './outcome.js';
import { postRefundFailed, postRefundRequested, postRefundSucceeded } from './postings.js';
import { callRefund } from './rail-calls.js';
import {
  type Decision,
  done,
  type EventHandlers,
  mark,
  NO_EFFECTS,
  reject,
  REPLAYED,
  UNCHANGED,
  WAITING,
} from './slice.js';
import {
  findRefund,
  isOwnedBy,
  type PaymentState,
  type Refund,
  computeRefundableMinor,
  sumRefundedMinor,
} from './state.js';
import { reportRefund } from './tasks.js';

/** The snapshot holds them all and is written with every event. */
const MAX_REFUNDS = 50;
/** Status inquiries go on until then; later an administrator may also end the refund. */
export const REFUND_UNRESOLVED_AFTER_MS = 30 * 86_400_000;

export function decideRefund(state: PaymentState, command: RefundPayment, nowMs: number): Decision {
  if (!isOwnedBy(state, command)) return reject('payment_not_found');
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
  const type = isCompletion ? 'refund_succeeded' : 'refund_failed';
  const end = endRefund(state, nowMs, { type, refundId, externalReference });
  if (refund.status === 'manual_required') return done(end);
  if (isUnresolved(refund, nowMs)) return done(end, ...submitNext(state, nowMs));
  const isRepeat =
    refund.status === (isCompletion ? 'succeeded' : 'failed') &&
    refund.externalReference === externalReference;
  return isRepeat ? UNCHANGED : reject('state_conflict');
}

/** The rail has not reported a result for so long that an administrator may find it out. */
function isUnresolved({ status, createdAtMs }: Refund, nowMs: number): boolean {
  return status === 'asked' && nowMs - createdAtMs >= REFUND_UNRESOLVED_AFTER_MS;
}

/** A waiting sender gets the refund as it is after the event. */
export const refundHandlers: EventHandlers<RefundEvents> = {
  refund_requested: {
    evolve: addRefund,
    effects: (state, event) => ({ ...NO_EFFECTS, postings: postRefundRequested(state, event) }),
  },
  refund_submitted: {
    evolve: (state, event) => changeRefund(state, event, { status: 'asked' }),
    effects: (state, { refundId }) => ({ ...NO_EFFECTS, railCalls: callRefund(state, refundId) }),
  },
  refund_left_pending: {
    evolve: (state, event) => changeRefund(state, event, { isLeftPending: true }),
    effects: (state, { refundId }) => ({ ...NO_EFFECTS, answers: answerRefund(state, refundId) }),
  },
  refund_made_manual: {
    evolve: (state, event) => changeRefund(state, event, { status: 'manual_required' }),
    effects: (state, { refundId }) => {
      const tasks = reportRefund(state, 'refund_manual_required', refundId);
      return { ...NO_EFFECTS, tasks, answers: answerRefund(state, refundId) };
    },
  },
  refund_succeeded: {
    evolve: succeed,
    effects: (state, event) => {
      const postings = postRefundSucceeded(state, event);
      return { ...NO_EFFECTS, postings, answers: answerRefund(state, event.refundId) };
    },
  },
  refund_failed: {
    evolve: (state, event) => {
      const { externalReference } = event;
      return changeRefund(state, event, { status: 'failed', externalReference });
    },
    effects: (state, event) => {
      const postings = postRefundFailed(state, event);
      return { ...NO_EFFECTS, postings, answers: answerRefund(state, event.refundId) };
    },
  },
  refund_contradicted: {
    evolve: (state, event) => changeRefund(state, event, { isContradicted: true }),
    effects: (state, { refundId }) => {
      return { ...NO_EFFECTS, tasks: reportRefund(state, 'refund_contradicted', refundId) };
    },
  },
};

function addRefund(state: PaymentState, event: EventOf<'refund_requested'>): PaymentState {
  const refund: Refund = {
    id: event.refundId,
    status: 'queued',
    amountMinor: event.amountMinor,
    requestedMinor: event.requestedMinor,
    reason: state.erasedAtMs === null ? event.reason : null,
    referenceId: event.referenceId,
    externalReference: null,
    createdAtMs: event.atMs,
    completedAtMs: null,
    isLeftPending: false,
    isContradicted: false,
    isPaidByHand: false,
  };
  return { ...state, version: event.version, refunds: [...state.refunds, refund] };
}

function changeRefund(
  state: PaymentState,
  event: EventOf<keyof RefundEvents>,
  change: Partial<Refund>,
): PaymentState {
  const refunds = state.refunds.map((refund) =>
    refund.id === event.refundId ? { ...refund, ...change } : refund,
  );
  return { ...state, version: event.version, refunds };
}

/**
 * The payment becomes refunded when its refunds add up to its amount, unless it was reversed
 * before.
 */
function succeed(state: PaymentState, event: EventOf<'refund_succeeded'>): PaymentState {
  const { externalReference, atMs: completedAtMs } = event;
  // An administrator may also report what the rail did with a refund that was left open: then the rail paid.
  const isManual = state.refunds.some(
    ({ id, status }) => id === event.refundId && status === 'manual_required',
  );
  const isPaidByHand = isManual && externalReference !== null;
  const change = { status: 'succeeded', externalReference, completedAtMs, isPaidByHand } as const;
  const next = changeRefund(state, event, change);
  const isWhole = sumRefundedMinor(next) === next.request.amountMinor;
  if (next.status !== 'paid' || !isWhole) return next;
  return { ...next, status: 'refunded', refundedAtMs: event.atMs };
}
