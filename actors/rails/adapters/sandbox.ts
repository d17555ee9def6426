// The sandbox rail behind the interface of real ones. It has no memory: an order's amount says what it does.
// TEST payments never wait for it (the state machine knows its answers), so it serves whoever drives the
// machinery of rails without a rail: tests, and the simulator.
import type { RefundCall } from '../../core/payment/effects/rail-calls.js';
import type { ChargeAnswer, RefundAnswer } from '../../core/rails/answers.js';
import {
  sandboxBehaviour,
  sandboxInstructions,
  type SandboxOrder,
  sandboxRefundAnswer,
  sandboxSettlement,
} from '../../core/rails/sandbox.js';
import { unreachable } from '../../core/unreachable.js';
import type { LookUpAnswer, Rail, RailOrder } from './rail.js';

export function createSandboxRail(): Rail {
  return {
    name: 'sandbox',
    charge: (call) => Promise.resolve(accept(call)),
    close: () => Promise.resolve({ result: 'closed' }),
    refund: (call) => Promise.resolve(refund(call)),
    lookUp: (order) => Promise.resolve(lookUp(order)),
    lookUpRefund: (call) => Promise.resolve(refund(call)),
  };
}

function accept(order: SandboxOrder): ChargeAnswer {
  const instructions = sandboxInstructions(order);
  return { result: 'accepted', railReference: order.orderId, instructions };
}

/** By the amount of the refund, which is the payment's when all of it goes back. */
function refund(call: RefundCall): RefundAnswer {
  return sandboxRefundAnswer(call.amountMinor);
}

/** How the order stands once the sandbox has done what it does by itself. */
function lookUp(order: RailOrder): LookUpAnswer {
  const settlement = sandboxSettlement(order.orderId, order);
  const behaviour = sandboxBehaviour(order.amountMinor);
  switch (behaviour) {
    case 'waits':
      return { result: 'open', charge: accept(order) };
    case 'fails':
      return { result: 'failed', failureCode: 'declined' };
    case 'expires':
      return { result: 'failed', failureCode: 'expired' };
    case 'pays':
    case 'pays_and_refunds_by_hand':
    case 'expires_then_pays':
      return { result: 'settled', settlement };
    case 'pays_then_reverses':
      return { result: 'reversed', railTransactionId: settlement.railTransactionId };
    default:
      return unreachable(behaviour);
  }
}
