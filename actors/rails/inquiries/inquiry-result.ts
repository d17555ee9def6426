// Interprets the answer to a status inquiry: the commands that follow from it, and the unanswered calls that it answers.
// Pure. Commands that would change nothing are left out.
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { decide } from '#actors/core/payment/state-machine.js';
import type { RailCall } from '#actors/core/payment/rail-calls.js';
import { findAttempt, isPayable, type PaymentState } from '#actors/core/payment/state.js';
import type { ChargeAnswer, RefundAnswer } from '#actors/core/rails/answers.js';
import type { OrderId } from '#actors/core/ids.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { InquiryAnswer } from '../adapters/rail.js';

export interface OpenCall {
  readonly id: string;
  readonly call: RailCall;
  /** true: the caller waits no longer. false: the call's own answer may still arrive. */
  readonly isGivenUp: boolean;
  /** A refund that its rail has answered; a callback asked for another look. */
  readonly isAnswered: boolean;
}

export interface InquiryResult {
  /** Stored as pending commands until they took effect. */
  readonly commands: readonly PaymentCommand[];
  /** Sent once and not stored: they tell a waiting merchant that the outcome is still unknown. */
  readonly doubts: readonly PaymentCommand[];
  readonly answeredCalls: readonly string[];
}

export interface InquiredOrder {
  readonly state: PaymentState;
  readonly orderId: OrderId;
  /** The payment's unanswered calls when the inquiry began. */
  readonly calls: readonly OpenCall[];
  /** The order is closed again. */
  readonly isClosedAgain: boolean;
  /** How often it was closed again before. */
  readonly closes: number;
  readonly nowMs: number;
}

/** Every answer that says what became of the order. */
type OrderAnswer = Exclude<InquiryAnswer, { result: 'unusable' }>;

export function interpretOrderAnswer(order: InquiredOrder, answer: OrderAnswer): InquiryResult {
  const { state, orderId, nowMs } = order;
  const calls = order.calls.filter(
    ({ call }) => call.operation !== 'refund' && call.orderId === orderId,
  );
  const givenUp = calls.filter(({ isGivenUp }) => isGivenUp);
  if (answer.result === 'unknown') {
    const doubts = givenUp.flatMap(({ call }) => listDoubts(call));
    const answeredCalls = isAttemptOver(order) ? givenUp.map(({ id }) => id) : [];
    return { commands: [], doubts: filterEffective(state, doubts, nowMs), answeredCalls };
  }
  const charges = calls.filter(({ call }) => call.operation === 'charge');
  const answered = new Set([...charges, ...givenUp].map(({ id }) => id));
  const commands = filterEffective(state, listCommands(order, answer, givenUp), nowMs);
  // The first repeat is made at once, so a waiting merchant gets its answer.
  const isDoubtful = order.isClosedAgain && order.closes > 0;
  const doubts = isDoubtful ? givenUp.flatMap(({ call }) => listDoubts(call)) : [];
  return {
    commands,
    doubts: filterEffective(state, doubts, nowMs),
    answeredCalls: [...answered],
  };
}

/**
 * Whether the rail has said what became of the order, although calls wait for an answer: a failover of Postgres may have lost
 * the stored answer, and its command was applied again from Redis. Many rails do not know an order that they refused, so no
 * inquiry would answer these calls. Inquiries go on, and an order that shows up is closed.
 */
function isAttemptOver({ state, orderId }: InquiredOrder): boolean {
  const attempt = findAttempt(state, orderId);
  return attempt !== undefined && !isPayable(attempt);
}

/** A lost close of an open order is repeated; when it is not, it counts as refused. */
function listCommands(
  { state, orderId, isClosedAgain }: InquiredOrder,
  answer: Exclude<OrderAnswer, { result: 'unknown' }>,
  givenUp: readonly OpenCall[],
): PaymentCommand[] {
  const paymentId = state.id;
  switch (answer.result) {
    case 'open': {
      const accepted: ChargeAnswer =
        answer.charge.result === 'accepted'
          ? answer.charge
          : { result: 'accepted', railReference: null, instructions: null };
      const refused = { result: 'refused' } as const;
      const closes = givenUp.flatMap(({ call }): PaymentCommand[] => {
        if (call.operation !== 'close' || isClosedAgain) return [];
        const { purpose } = call;
        return [{ type: 'close_answered', paymentId, orderId, purpose, answer: refused }];
      });
      return [{ type: 'charge_answered', paymentId, orderId, answer: accepted }, ...closes];
    }
    case 'settled':
      return [{ type: 'settle', paymentId, settlement: answer.settlement }];
    case 'failed':
      return [{ type: 'fail', paymentId, orderId, failureCode: answer.failureCode }];
    case 'closed': {
      const closed = { purpose: 'supersede', answer: { result: 'closed' } } as const;
      return [{ type: 'close_answered', paymentId, orderId, ...closed }];
    }
    case 'reversed': {
      const rail = findAttempt(state, orderId)?.rail;
      if (rail === undefined) return [];
      const { railTransactionId } = answer;
      return [{ type: 'reverse', paymentId, rail, railTransactionId }];
    }
    default:
      return unreachable(answer);
  }
}

export function listDoubts(call: RailCall): PaymentCommand[] {
  const { paymentId, orderId } = call;
  const answer = { result: 'unknown' } as const;
  if (call.operation === 'charge') {
    return [{ type: 'charge_answered', paymentId, orderId, answer }];
  }
  if (call.operation === 'refund') return [];
  return [{ type: 'close_answered', paymentId, orderId, purpose: call.purpose, answer }];
}

/** `open`: the refund's call; undefined when it is answered already or was not made yet. */
export function interpretRefundAnswer(
  state: PaymentState,
  open: OpenCall | undefined,
  answer: RefundAnswer,
  nowMs: number,
): InquiryResult {
  if (open?.call.operation !== 'refund') return { commands: [], doubts: [], answeredCalls: [] };
  const { paymentId, refundId } = open.call;
  const commands = filterEffective(
    state,
    [{ type: 'refund_answered', paymentId, refundId, answer }],
    nowMs,
  );
  const isOpen = answer.result === 'pending' || answer.result === 'unknown';
  if (isOpen) return { commands: [], doubts: open.isGivenUp ? commands : [], answeredCalls: [] };
  return { commands, doubts: [], answeredCalls: [open.id] };
}

export function filterEffective(
  state: PaymentState,
  commands: readonly PaymentCommand[],
  nowMs: number,
): PaymentCommand[] {
  return commands.filter((command) => decide(state, command, nowMs).events.length > 0);
}
