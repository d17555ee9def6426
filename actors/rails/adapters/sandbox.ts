// The sandbox rail behind the interface of real ones. It has no memory: an order's amount says what it does.
// TEST payments never wait for it (the state machine knows its answers), so it serves whoever drives the
// machinery of rails without a rail: tests, and the simulator.
import type { RefundCall } from '#actors/core/payment/rail-calls.js';
import { type ChargeableMethod, PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type {
  ChargeAnswer,
  PayoutAnswer,
  PayoutOrder,
  RefundAnswer,
} from '#actors/core/rails/answers.js';
import {
  findSandboxBehaviour,
  buildSandboxInstructions,
  type SandboxOrder,
  answerSandboxRefund,
  buildSandboxSettlement,
} from '#actors/core/rails/sandbox.js';
import { unreachable } from '#actors/core/unreachable.js';
import type { Capabilities, InquiryAnswer, MethodCapability, Rail, RailOrder } from './rail.js';

const MAX_EXPIRES_IN_S = 604_800;
/** Bank accounts whose number ends so refuse payouts (API, payouts). */
const REFUSING_ACCOUNT = '0000';

const METHODS: Capabilities['methods'] = {
  QRIS: buildCapability('QRIS'),
  VA_BCA: buildCapability('VA_BCA'),
  VA_BNI: buildCapability('VA_BNI'),
  VA_BRI: buildCapability('VA_BRI'),
  VA_MANDIRI: buildCapability('VA_MANDIRI'),
  VA_PERMATA: buildCapability('VA_PERMATA'),
};

function buildCapability(method: ChargeableMethod): MethodCapability {
  const { minAmountMinor, maxAmountMinor } = PAYMENT_METHODS[method];
  return {
    minAmountMinor,
    maxAmountMinor,
    isRefundable: true,
    maxExpiresInS: MAX_EXPIRES_IN_S,
    takesExpiry: true,
  };
}

export function createSandboxRail(): Rail {
  return {
    name: 'sandbox',
    charge: (call) => Promise.resolve(accept(call)),
    close: () => Promise.resolve({ result: 'closed' }),
    refund: (call) => Promise.resolve(refund(call)),
    inquirePayment: (order) => Promise.resolve(inquirePayment(order)),
    inquireRefund: (call) => Promise.resolve(refund(call)),
    capabilities: { methods: METHODS, canPayOut: true },
    payOut: (order) => Promise.resolve(payOut(order)),
    inquirePayout: (order) => Promise.resolve(payOut(order)),
    readCallback: () => ({ result: 'forged' }),
    listTransactions: null,
  };
}

function accept(order: SandboxOrder): ChargeAnswer {
  const instructions = buildSandboxInstructions(order);
  return { result: 'accepted', railReference: order.orderId, instructions };
}

function payOut(order: PayoutOrder): PayoutAnswer {
  return order.accountNumber.endsWith(REFUSING_ACCOUNT)
    ? { result: 'failed', failureCode: 'account_invalid' }
    : { result: 'completed', railReference: order.payoutId };
}

/** By the amount of the refund, which is the payment's when all of it goes back. */
function refund(call: RefundCall): RefundAnswer {
  return answerSandboxRefund(call.amountMinor);
}

/** How the order stands once the sandbox has done what it does by itself. */
function inquirePayment(order: RailOrder): InquiryAnswer {
  const settlement = buildSandboxSettlement(order.orderId, order);
  const behaviour = findSandboxBehaviour(order.amountMinor);
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
