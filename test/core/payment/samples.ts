// Ids and commands that tests of the payment share.
import { makeId, deriveOrderId } from '#actors/core/ids.js';
import { makeMinor } from '#actors/core/money.js';
import type {
  AnswerCharge,
  AnswerClose,
  AnswerRefund,
  CancelPayment,
  ChooseMethod,
  CreatePayment,
  PaymentCommand,
  RecordRefund,
  RefundPayment,
  SettlePayment,
} from '#actors/core/payment/commands.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import type { ClosePurpose } from '#actors/core/statuses.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type { ChargeAnswer, CloseAnswer, RefundAnswer } from '#actors/core/rails/answers.js';

const bytes = (last: number): Uint8Array =>
  Uint8Array.from({ length: 16 }, (_, i) => (i === 15 ? last : i));

export const PAYMENT_ID = makeId('pay', bytes(1));
export const MERCHANT_ID = makeId('mer', bytes(2));
export const OTHER_MERCHANT_ID = makeId('mer', bytes(3));
export const REFUND_1 = makeId('ref', bytes(4));
export const REFUND_2 = makeId('ref', bytes(5));
export const REFUND_3 = makeId('ref', bytes(6));
export const ORDER_1 = deriveOrderId(PAYMENT_ID, 1);
export const ORDER_2 = deriveOrderId(PAYMENT_ID, 2);
export const AMOUNT = makeMinor(150_000n);

export const REQUEST: PaymentRequest = {
  amountMinor: AMOUNT,
  currency: 'IDR',
  description: 'Two shirts',
  referenceId: 'ord_1',
  paymentMethod: null,
  customerName: 'Siti',
  customerEmail: 'siti@example.com',
  customerPhone: '+62 812 3456 7890',
  successUrl: 'https://shop.example/done',
  cancelUrl: 'https://shop.example/cancel',
  metadata: { cart: '17' },
  expiresInS: 3600,
};

export function create(
  environment: 'TEST' | 'LIVE',
  changes: Partial<PaymentRequest> = {},
  rails: CreatePayment['rails'] = environment === 'LIVE' ? ['midtrans'] : [],
): CreatePayment {
  const request = { ...REQUEST, ...changes };
  return {
    type: 'create',
    paymentId: PAYMENT_ID,
    merchantId: MERCHANT_ID,
    environment,
    request,
    rails,
  };
}

export function choose(
  method: ChargeableMethod,
  rails: ChooseMethod['rails'] = ['midtrans'],
): ChooseMethod {
  return { type: 'choose_method', paymentId: PAYMENT_ID, method, rails };
}

export function simulate(outcome: 'paid' | 'failed'): PaymentCommand {
  return { type: 'simulate', paymentId: PAYMENT_ID, outcome };
}

export function cancel(
  environment: 'TEST' | 'LIVE' = 'LIVE',
  merchantId = MERCHANT_ID,
): CancelPayment {
  return { type: 'cancel', paymentId: PAYMENT_ID, merchantId, environment };
}

export const EXPIRE_COMMAND: PaymentCommand = { type: 'expire', paymentId: PAYMENT_ID };
/** The expiry of a payment that was created after one second with an hour to live. */
export const EXPIRES_AFTER_MS = 1000 + 3_600_000;
export const EXPIRE = { afterMs: EXPIRES_AFTER_MS, command: EXPIRE_COMMAND };
export const RELEASE: PaymentCommand = { type: 'release_hold', paymentId: PAYMENT_ID };

export function settle(
  railTransactionId = 'tx-1',
  changes: Partial<SettlePayment['settlement']> = {},
): SettlePayment {
  const settlement = {
    rail: 'midtrans',
    railTransactionId,
    orderId: ORDER_1,
    amountMinor: AMOUNT,
    currency: 'IDR',
    settledAtMs: null,
    ...changes,
  } as const;
  return { type: 'settle', paymentId: PAYMENT_ID, settlement };
}

export function disown(railTransactionId = 'tx-1'): PaymentCommand {
  return { ...settle(railTransactionId), type: 'disown_settlement' };
}

export function fail(
  orderId = ORDER_1,
  failureCode: 'declined' | 'expired' = 'declined',
): PaymentCommand {
  return { type: 'fail', paymentId: PAYMENT_ID, orderId, failureCode };
}

export function reverse(
  railTransactionId = 'tx-1',
  rail: 'midtrans' | 'sandbox' = 'midtrans',
): PaymentCommand {
  return { type: 'reverse', paymentId: PAYMENT_ID, rail, railTransactionId };
}

export const ACCEPTED: ChargeAnswer = {
  result: 'accepted',
  railReference: 'rail-ref-1',
  instructions: { kind: 'virtual_account', number: '8127850025302', billerCode: null },
};
export const REFUSED = { result: 'refused' } as const;
export const UNKNOWN = { result: 'unknown' } as const;

export function chargeAnswered(answer: ChargeAnswer, orderId = ORDER_1): AnswerCharge {
  return { type: 'charge_answered', paymentId: PAYMENT_ID, orderId, answer };
}

export function closeAnswered(
  answer: CloseAnswer,
  purpose: ClosePurpose = 'cancel',
  orderId = ORDER_1,
): AnswerClose {
  return { type: 'close_answered', paymentId: PAYMENT_ID, orderId, purpose, answer };
}

export function refund(
  amount: bigint | null = null,
  changes: Partial<RefundPayment> = {},
): RefundPayment {
  return {
    type: 'refund',
    paymentId: PAYMENT_ID,
    merchantId: MERCHANT_ID,
    environment: 'LIVE',
    refundId: REFUND_1,
    amountMinor: amount === null ? null : makeMinor(amount),
    reason: 'wrong size',
    referenceId: null,
    ...changes,
  };
}

export function refundAnswered(answer: RefundAnswer, refundId = REFUND_1): AnswerRefund {
  return { type: 'refund_answered', paymentId: PAYMENT_ID, refundId, answer };
}

export function endRefund(
  type: 'complete_refund' | 'fail_refund',
  externalReference = 'bank-77',
  refundId = REFUND_1,
): PaymentCommand {
  return { type, paymentId: PAYMENT_ID, refundId, externalReference };
}

export function recordRefund(amount: bigint, changes: Partial<RecordRefund> = {}): RecordRefund {
  return {
    type: 'record_refund',
    paymentId: PAYMENT_ID,
    refundId: REFUND_3,
    origin: 'rail',
    amountMinor: makeMinor(amount),
    externalReference: 'dash-1',
    ...changes,
  };
}

export function erase(withReference = false): PaymentCommand {
  return { type: 'erase', paymentId: PAYMENT_ID, withReference };
}

/** The name of an account of the merchant in postings. */
export const account = (name: string, environment = 'LIVE') =>
  `${name}:${MERCHANT_ID}:${environment}:IDR`;
export const RAIL_CLEARING = 'rail_clearing:midtrans:LIVE:IDR';

export const posting = (debit: string, credit: string, amountMinor: bigint, reason: string) => ({
  debit,
  credit,
  amountMinor,
  currency: 'IDR',
  reason,
});
