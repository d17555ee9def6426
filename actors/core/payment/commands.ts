// What can be asked of a payment. Every id in a command was chosen before it was sent, so a command that
// arrives twice does nothing the second time.
import type { Environment, MerchantId, OrderId, PaymentId, RefundId } from '../ids.js';
import type { AmountMinor } from '../money.js';
import type { ChargeableMethod } from '../payment-methods.js';
import type {
  ChargeAnswer,
  CloseAnswer,
  RailName,
  RefundAnswer,
  Settlement,
} from '../rails/answers.js';
import type { PaymentRequest } from './request.js';
import type { ClosePurpose } from './state.js';

/** A payment of another merchant, or of the key's other environment, does not exist for the sender. */
interface FromMerchant {
  readonly paymentId: PaymentId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
}

export interface CreatePayment extends FromMerchant {
  readonly type: 'create';
  readonly request: PaymentRequest;
  /** fingerprintOf(request). */
  readonly fingerprint: string;
  /** LIVE with a method: the rails that have it, in the order to try them; otherwise empty. */
  readonly rails: readonly RailName[];
}

/** From the hosted page. */
export interface ChooseMethod {
  readonly type: 'choose_method';
  readonly paymentId: PaymentId;
  readonly method: ChargeableMethod;
  /** As of create; TEST ignores it. */
  readonly rails: readonly RailName[];
}

export interface SimulatePayment {
  readonly type: 'simulate';
  readonly paymentId: PaymentId;
  readonly outcome: 'paid' | 'failed';
}

export interface CancelPayment extends FromMerchant {
  readonly type: 'cancel';
}

export interface SettlePayment {
  readonly type: 'settle';
  readonly paymentId: PaymentId;
  readonly settlement: Settlement;
}

/** The settlement's rail transaction is booked on another payment: the store has refused it here. */
export interface DisownSettlement {
  readonly type: 'disown_settlement';
  readonly paymentId: PaymentId;
  readonly settlement: Settlement;
}

/** An attempt that the rail took has failed or expired there. */
export interface FailPayment {
  readonly type: 'fail';
  readonly paymentId: PaymentId;
  readonly orderId: OrderId;
  readonly failureCode: 'declined' | 'expired' | 'processing_failed';
}

/** The rail has taken a settlement back. */
export interface ReversePayment {
  readonly type: 'reverse';
  readonly paymentId: PaymentId;
  readonly rail: RailName;
  readonly railTransactionId: string;
}

export interface ExpirePayment {
  readonly type: 'expire';
  readonly paymentId: PaymentId;
}

/** The hold on a LIVE payment's money has run out. */
export interface ReleaseHold {
  readonly type: 'release_hold';
  readonly paymentId: PaymentId;
}

export interface AnswerCharge {
  readonly type: 'charge_answered';
  readonly paymentId: PaymentId;
  readonly orderId: OrderId;
  readonly answer: ChargeAnswer;
}

export interface AnswerClose {
  readonly type: 'close_answered';
  readonly paymentId: PaymentId;
  readonly orderId: OrderId;
  readonly purpose: ClosePurpose;
  readonly answer: CloseAnswer;
}

export interface RefundPayment extends FromMerchant {
  readonly type: 'refund';
  readonly refundId: RefundId;
  /** null: all that is left. */
  readonly amountMinor: AmountMinor | null;
  readonly reason: string | null;
  readonly referenceId: string | null;
}

export interface AnswerRefund {
  readonly type: 'refund_answered';
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
  readonly answer: RefundAnswer;
}

/** An administrator has paid the customer back by hand. */
export interface CompleteRefund {
  readonly type: 'complete_refund';
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
  readonly externalReference: string;
}

export interface FailRefund {
  readonly type: 'fail_refund';
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
  readonly externalReference: string;
}

/** What people wrote is to be forgotten. Of a payment that is over, with all its refunds. */
export interface ErasePayment {
  readonly type: 'erase';
  readonly paymentId: PaymentId;
  /** Also the merchant's own references, which stay otherwise: books are matched by them. */
  readonly withReference: boolean;
}

export type PaymentCommand =
  | CreatePayment
  | ChooseMethod
  | SimulatePayment
  | CancelPayment
  | SettlePayment
  | DisownSettlement
  | FailPayment
  | ReversePayment
  | ExpirePayment
  | ReleaseHold
  | AnswerCharge
  | AnswerClose
  | RefundPayment
  | AnswerRefund
  | CompleteRefund
  | FailRefund
  | ErasePayment;

export type CommandType = PaymentCommand['type'];

/** Commands that may be dropped unread when they are too old; the others carry facts about money. */
export function isDroppable(command: PaymentCommand): boolean {
  return (
    command.type === 'choose_method' || command.type === 'simulate' || command.type === 'cancel'
  );
}
