// The state machine of a payment, assembled from its slices. `decide` turns a command into events, `evolve` applies an
// event, `deriveEffects` derives the work that follows from it: postings, rail calls, tasks, the webhook, answers. All
// three are pure. decide is total: no command in any state throws.
import { formatAmount } from '../money.js';
import type { PaymentEventData, PaymentWebhookType } from '../schemas/event.js';
import { unreachable } from '../unreachable.js';
import { attemptHandlers, decideChargeAnswer, decideChoice } from './attempts.js';
import {
  closingHandlers,
  decideCancel,
  decideCloseAnswer,
  decideExpiry,
  decideFailure,
} from './closing.js';
import type { PaymentCommand } from './commands.js';
import { createPayment, decideCreate, deriveCreateEffects } from './create.js';
import { decideErasure, erasureHandlers } from './erasure.js';
import type { EventOf, EventType, LaterEvents, PaymentEvent } from './events.js';
import { refundHandlers } from './refund-handlers.js';
import {
  decideRecordedRefund,
  decideRefund,
  decideRefundAnswer,
  decideRefundCompletion,
} from './refunds.js';
import {
  decideDisowned,
  decideRelease,
  decideReversal,
  decideSettlement,
  decideSimulation,
  settlementHandlers,
} from './settlement.js';
import {
  type Decision,
  type Effects,
  type EventHandler,
  type EventHandlers,
  reject,
} from './slice.js';
import { findRefundAmount, type PaymentState, sumRefundedMinor } from './state.js';
import { findShownMethod, findShownOrderId, findShownStatus, formatTime } from './view.js';

/**
 * `nowMs` is the time of the command. The events are to be applied with evolve, in
 * order.
 */
export function decide(
  state: PaymentState | undefined,
  command: PaymentCommand,
  nowMs: number,
): Decision {
  if (command.type === 'create') return decideCreate(state, command, nowMs);
  if (state === undefined) return reject('payment_not_found');
  return decideExisting(state, command, nowMs);
}

type LaterCommand = Exclude<PaymentCommand, { type: 'create' }>;

function decideExisting(state: PaymentState, command: LaterCommand, nowMs: number): Decision {
  switch (command.type) {
    case 'choose_method':
      return decideChoice(state, command, nowMs);
    case 'simulate':
      return decideSimulation(state, command, nowMs);
    case 'cancel':
      return decideCancel(state, command, nowMs);
    case 'settle':
      return decideSettlement(state, command.settlement, nowMs);
    case 'disown_settlement':
      return decideDisowned(state, command, nowMs);
    case 'fail':
      return decideFailure(state, command, nowMs);
    case 'reverse':
      return decideReversal(state, command, nowMs);
    case 'expire':
      return decideExpiry(state, nowMs);
    case 'release_hold':
      return decideRelease(state, nowMs);
    case 'charge_answered':
      return decideChargeAnswer(state, command, nowMs);
    case 'close_answered':
      return decideCloseAnswer(state, command, nowMs);
    case 'refund':
      return decideRefund(state, command, nowMs);
    case 'refund_answered':
      return decideRefundAnswer(state, command, nowMs);
    case 'complete_refund':
    case 'fail_refund':
      return decideRefundCompletion(state, command, nowMs);
    case 'record_refund':
      return decideRecordedRefund(state, command, nowMs);
    case 'erase':
      return decideErasure(state, command, nowMs);
    default:
      return unreachable(command);
  }
}

export const EVENT_HANDLERS: EventHandlers<LaterEvents> = {
  ...attemptHandlers,
  ...closingHandlers,
  ...settlementHandlers,
  ...refundHandlers,
  ...erasureHandlers,
};

/** The handler of an event's type; a type that does not exist throws. */
function findHandler<T extends keyof LaterEvents>({ type }: EventOf<T>): EventHandler<T> {
  return Object.hasOwn(EVENT_HANDLERS, type) ? EVENT_HANDLERS[type] : unreachable(type as never);
}

/**
 * Applies an event. Total over events in their order: an event out of order, or of another payment,
 * is a bug (or a damaged store) and throws.
 */
export function evolve(state: PaymentState | undefined, event: PaymentEvent): PaymentState {
  if (state === undefined) {
    if (event.type !== 'payment_created' || event.version !== 1) throw outOfOrder(0, event);
    return createPayment(event);
  }
  const isNext = event.paymentId === state.id && event.version === state.version + 1;
  if (!isNext || event.type === 'payment_created') throw outOfOrder(state.version, event);
  return findHandler(event).evolve(state, event);
}

function outOfOrder(version: number, event: PaymentEvent): Error {
  const { type, paymentId } = event;
  return new Error(`${type} ${event.version} of ${paymentId} does not follow version ${version}`);
}

/** The webhook that each event sends to the merchant; the other events send none. */
export const PAYMENT_WEBHOOKS: Partial<Record<EventType, PaymentWebhookType>> = {
  payment_paid: 'payment.paid',
  payment_failed: 'payment.failed',
  payment_reversed: 'payment.failed',
  payment_cancelled: 'payment.cancelled',
  refund_succeeded: 'payment.refunded',
  refund_corrected: 'payment.refunded',
  refund_recorded: 'payment.refunded',
  refund_failed: 'refund.failed',
};

/** `state` is the payment with the event applied, not with later events of the same decision. */
export function deriveEffects(state: PaymentState, event: PaymentEvent): Effects {
  if (event.type === 'payment_created') return deriveCreateEffects(state, event);
  const own = findHandler(event).effects(state, event);
  const type = PAYMENT_WEBHOOKS[event.type];
  return type === undefined ? own : { ...own, webhook: { type, data: describe(state, event) } };
}

function describe(state: PaymentState, event: PaymentEvent): PaymentEventData {
  const data: PaymentEventData = {
    id: state.id,
    status: findShownStatus(state),
    amount: formatAmount(state.request.amountMinor),
    currency: state.request.currency,
    reference_id: state.request.referenceId,
    order_id: findShownOrderId(state),
    paid_at: formatTime(state.paidAtMs),
    payment_method: findShownMethod(state),
    refunded_amount: formatAmount(sumRefundedMinor(state)),
    failure_code: state.failureCode,
    late: state.isLate,
    metadata: state.request.metadata,
  };
  if (!isEndOfRefund(event)) return data;
  const refund_amount = formatAmount(findRefundAmount(state, event.refundId));
  return { ...data, refund_id: event.refundId, refund_amount };
}

const ENDS_OF_REFUNDS = [
  'refund_succeeded',
  'refund_corrected',
  'refund_recorded',
  'refund_failed',
] as const;

function isEndOfRefund(event: PaymentEvent): event is EventOf<(typeof ENDS_OF_REFUNDS)[number]> {
  return ENDS_OF_REFUNDS.some((type) => type === event.type);
}
