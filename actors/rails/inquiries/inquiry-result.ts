// What a look-up's result means for a payment: the commands that follow from it, and which calls it answers that had no
// answer. Pure. Commands that would change nothing are left out.
import type { PaymentCommand } from '#actors/core/payment/commands.js';
import { decide } from '#actors/core/payment/decide.js';
import type { RailCall } from '#actors/core/payment/rail-calls.js';
import { findAttempt, type PaymentState } from '#actors/core/payment/state.js';
import type { ChargeAnswer, RefundAnswer } from '#actors/core/rails/answers.js';
import type { OrderId } from '#actors/core/ids.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { InquiryAnswer } from '../adapters/rail.js';

export interface OpenCall {
  readonly id: string;
  readonly call: RailCall;
  /** Whoever made it does not wait for its answer any more; of another the answer may still come. */
  readonly isGivenUp: boolean;
}

export interface InquiryResult {
  /** Facts: to be kept until they took effect. */
  readonly facts: readonly PaymentCommand[];
  /** What tells those who wait that nobody knows yet. */
  readonly doubts: readonly PaymentCommand[];
  readonly answeredCalls: readonly string[];
}

export interface InquiredOrder {
  readonly state: PaymentState;
  readonly orderId: OrderId;
  /** Of the payment, as they stood when the look-up began. */
  readonly calls: readonly OpenCall[];
  readonly nowMs: number;
}

export function interpretOrderAnswer(order: InquiredOrder, answer: InquiryAnswer): InquiryResult {
  const { state, orderId, nowMs } = order;
  const calls = order.calls.filter(
    ({ call }) => call.operation !== 'refund' && call.orderId === orderId,
  );
  const givenUp = calls.filter(({ isGivenUp }) => isGivenUp);
  if (answer.result === 'unknown') {
    const doubts = givenUp.flatMap(({ call }) => listDoubts(call));
    return { facts: [], doubts: filterEffective(state, doubts, nowMs), answeredCalls: [] };
  }
  const charges = calls.filter(({ call }) => call.operation === 'charge');
  const answered = new Set([...charges, ...givenUp].map(({ id }) => id));
  const facts = listFacts(order, answer, givenUp);
  return { facts: filterEffective(state, facts, nowMs), doubts: [], answeredCalls: [...answered] };
}

/** A close whose answer was lost and whose order is still open did not take place: as if the rail had refused it. */
function listFacts(
  { state, orderId }: InquiredOrder,
  answer: Exclude<InquiryAnswer, { result: 'unknown' }>,
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
        if (call.operation !== 'close') return [];
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

function listDoubts(call: RailCall): PaymentCommand[] {
  const { paymentId, orderId } = call;
  const answer = { result: 'unknown' } as const;
  if (call.operation === 'charge') {
    return [{ type: 'charge_answered', paymentId, orderId, answer }];
  }
  if (call.operation === 'refund') return [];
  return [{ type: 'close_answered', paymentId, orderId, purpose: call.purpose, answer }];
}

/** `open`: the refund's call; undefined when it has its answer, or was not made yet. */
export function interpretRefundAnswer(
  state: PaymentState,
  open: OpenCall | undefined,
  answer: RefundAnswer,
  nowMs: number,
): InquiryResult {
  if (open?.call.operation !== 'refund') return { facts: [], doubts: [], answeredCalls: [] };
  const { paymentId, refundId } = open.call;
  const told = filterEffective(
    state,
    [{ type: 'refund_answered', paymentId, refundId, answer }],
    nowMs,
  );
  const isOpen = answer.result === 'pending' || answer.result === 'unknown';
  if (isOpen) return { facts: [], doubts: open.isGivenUp ? told : [], answeredCalls: [] };
  return { facts: told, doubts: [], answeredCalls: [open.id] };
}

function filterEffective(
  state: PaymentState,
  commands: readonly PaymentCommand[],
  nowMs: number,
): PaymentCommand[] {
  return commands.filter((command) => decide(state, command, nowMs).events.length > 0);
}
