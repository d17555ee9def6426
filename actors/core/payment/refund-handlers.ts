// The changes and effects of the events of refunds; refunds.ts decides them.
import type { EventOf, RefundEvents } from './events.js';
import { answerRefund } from './outcome.js';
import {
  postRefundCorrected,
  postRefundRecorded,
  postRefundFailed,
  postRefundRequested,
  postRefundSucceeded,
} from './postings.js';
import { callRefund } from './rail-calls.js';
import { type EventHandlers, NO_EFFECTS } from './slice.js';
import { findRefund, type PaymentState, type Refund, sumRefundedMinor } from './state.js';
import { reportRefund } from './tasks.js';

/** A waiting sender gets the refund as it is after the event. */
export const refundHandlers: EventHandlers<RefundEvents> = {
  refund_requested: {
    evolve: addRefund,
    effects: (state, event) => ({ ...NO_EFFECTS, postings: postRefundRequested(state, event) }),
  },
  refund_submitted: {
    evolve: (state, event) =>
      changeRefund(state, event, { status: 'asked', askedAtMs: event.atMs }),
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
  refund_corrected: {
    evolve: succeed,
    effects: (state, event) => ({ ...NO_EFFECTS, postings: postRefundCorrected(state, event) }),
  },
  refund_recorded: {
    evolve: (state, event) => succeed(addRefund(state, event), event),
    effects: (state, event) => ({ ...NO_EFFECTS, postings: postRefundRecorded(state, event) }),
  },
  refund_failure_confirmed: {
    evolve: (state, event) => {
      const { externalReference } = event;
      return changeRefund(state, event, { isFailureConfirmed: true, externalReference });
    },
    effects: () => NO_EFFECTS,
  },
};

function addRefund(
  state: PaymentState,
  event: EventOf<'refund_requested' | 'refund_recorded'>,
): PaymentState {
  const request =
    event.type === 'refund_requested'
      ? { ...event, origin: 'merchant' as const }
      : { ...event, requestedMinor: event.amountMinor, reason: null, referenceId: null };
  const refund: Refund = {
    id: event.refundId,
    origin: request.origin,
    status: 'queued',
    amountMinor: event.amountMinor,
    requestedMinor: request.requestedMinor,
    reason: state.erasedAtMs === null ? request.reason : null,
    referenceId: request.referenceId,
    externalReference: null,
    createdAtMs: event.atMs,
    askedAtMs: null,
    completedAtMs: null,
    isLeftPending: false,
    isContradicted: false,
    isFailureConfirmed: false,
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
function succeed(
  state: PaymentState,
  event: EventOf<'refund_succeeded' | 'refund_corrected' | 'refund_recorded'>,
): PaymentState {
  const { externalReference, atMs: completedAtMs } = event;
  // An administrator may also report what the rail did with a refund that was left open: then the rail paid.
  const isManual = findRefund(state, event.refundId)?.status === 'manual_required';
  const isPaidByHand = isManual && externalReference !== null;
  const change = { status: 'succeeded', externalReference, completedAtMs, isPaidByHand } as const;
  const next = changeRefund(state, event, change);
  const isWhole = sumRefundedMinor(next) === next.request.amountMinor;
  if (next.status !== 'paid' || !isWhole) return next;
  return { ...next, status: 'refunded', refundedAtMs: event.atMs };
}
