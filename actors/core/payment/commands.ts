// The commands of a payment. The sender chooses every id in a command, so a command that arrives
// twice has no effect the second time.
import type { ApprovalId, Environment, MerchantId, OrderId, PaymentId, RefundId } from '../ids.js';
import type { AmountMinor } from '../money.js';
import type { ChargeableMethod } from '../payment-methods.js';
import type { ChargeAnswer, CloseAnswer, RefundAnswer, Settlement } from '../rails/answers.js';
import type { RailName } from '../rails/rail-names.js';
import type { PaymentRequest } from './state.js';
import type { ClosePurpose, RecordedOrigin } from '../statuses.js';

/** A payment of another merchant, or of the other environment, is answered as payment_not_found. */
interface FromMerchant {
  readonly paymentId: PaymentId;
  readonly merchantId: MerchantId;
  readonly environment: Environment;
}

export interface CreatePayment extends FromMerchant {
  readonly type: 'create';
  readonly request: PaymentRequest;
  /** LIVE with a method: the rails to try, in order; otherwise empty. */
  readonly rails: readonly RailName[];
}

/** From the hosted page. */
export interface ChooseMethod {
  readonly type: 'choose_method';
  readonly paymentId: PaymentId;
  readonly method: ChargeableMethod;
  /** The rails to try, in order; TEST ignores them. */
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

/** The store refused the settlement, because its rail transaction is booked on another payment. */
export interface DisownSettlement {
  readonly type: 'disown_settlement';
  readonly paymentId: PaymentId;
  readonly settlement: Settlement;
}

/** An accepted attempt failed or expired at the rail. */
export interface FailPayment {
  readonly type: 'fail';
  readonly paymentId: PaymentId;
  readonly orderId: OrderId;
  readonly failureCode: 'declined' | 'expired' | 'processing_failed';
}

/** The rail took a settlement back. */
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

/** The hold on a LIVE payment's money is over. */
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

/**
 * An administrator paid the customer back by hand, or found that the rail has made the refund. Also
 * for a failed refund that its rail reports as made: the merchant then pays it.
 */
export interface CompleteRefund {
  readonly type: 'complete_refund';
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
  readonly externalReference: string;
}

/** An administrator found that the customer was not paid back. */
export interface FailRefund {
  readonly type: 'fail_refund';
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
  readonly externalReference: string;
}

/**
 * The rail paid a customer back without being asked by us. Two administrators have approved it. The id is derived from the
 * rail and its reference (deriveRecordedRefundId), so it is recorded once.
 */
export interface RecordRefund {
  readonly type: 'record_refund';
  readonly paymentId: PaymentId;
  readonly refundId: RefundId;
  readonly origin: RecordedOrigin;
  readonly amountMinor: AmountMinor;
  /** The rail's id of the refund or chargeback. */
  readonly externalReference: string;
}

/** Erase the texts of merchant and customer from a payment that has ended, and from its refunds. */
export interface ErasePayment {
  readonly type: 'erase';
  readonly paymentId: PaymentId;
  /** Also erase the merchant's references, which otherwise stay for accounting. */
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
  | RecordRefund
  | ErasePayment;

export type CommandType = PaymentCommand['type'];

/**
 * An approved correction, as it is sent: the payments process reads from Postgres what two administrators have approved, and
 * applies the command that the approval stands for.
 */
export interface BookApproval {
  readonly type: 'book_approval';
  readonly paymentId: PaymentId;
  readonly approvalId: ApprovalId;
}

export type SentCommand = PaymentCommand | BookApproval;

/** The processes that send commands; each signs with a key of its own. */
export const COMMAND_SOURCES = ['gateway', 'rails', 'webhooks'] as const;
export type CommandSource = (typeof COMMAND_SOURCES)[number];

/**
 * The process that may send a command. Facts of a rail come from the rails process only, so a gateway cannot settle a
 * payment. Ends of LIVE refunds by hand, and approvals, also need a row of Postgres (actors/payments/stored-decisions.ts). null:
 * the payments process makes it itself.
 */
export const SOURCES: Readonly<Record<SentCommand['type'], CommandSource | null>> = {
  create: 'gateway',
  choose_method: 'gateway',
  simulate: 'gateway',
  cancel: 'gateway',
  refund: 'gateway',
  complete_refund: 'gateway',
  fail_refund: 'gateway',
  book_approval: 'gateway',
  settle: 'rails',
  fail: 'rails',
  reverse: 'rails',
  expire: 'rails',
  release_hold: 'rails',
  charge_answered: 'rails',
  close_answered: 'rails',
  refund_answered: 'rails',
  erase: 'webhooks',
  disown_settlement: null,
  record_refund: null,
};
