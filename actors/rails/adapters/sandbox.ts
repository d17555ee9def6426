// The sandbox rail. It has no state: an order's amount decides what happens to it. TEST payments never call it, since the
// state machine knows its answers; TEST payouts and tests do.
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
/** Payouts to account numbers that end so fail (docs of the API, payouts). */
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
    capabilities: { methods: METHODS, canPayOut: true, refundKeyMs: null },
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

/** The refund's amount decides; in a full refund it is the payment's. */
function refund(call: RefundCall): RefundAnswer {
  return answerSandboxRefund(call.amountMinor);
}

/** The state of the order after everything that the sandbox does by itself. */
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
      return { result: 'settled', settlement, givenBack: [] };
    case 'pays_then_reverses':
      return { result: 'reversed', railTransactionId: settlement.railTransactionId };
    default:
      return unreachable(behaviour);
  }
}
