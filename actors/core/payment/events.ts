// The events of a payment, by slice. To add one, add its fields here and its handler in the slice:
// the table of handlers (state-machine.ts) does not compile without it. The stored form (wire/event.ts)
// leaves out the texts of merchants and customers, so that erasing the snapshot erases them.
import type { Environment, MerchantId, OrderId, PaymentId, RefundId } from '../ids.js';
import type { AmountMinor } from '../money.js';
import type { ChargeableMethod } from '../payment-methods.js';
import type { Instructions, Settlement } from '../rails/answers.js';
import type { RailName } from '../rails/rail-names.js';
import type { FailureCode, RecordedOrigin } from '../statuses.js';
import type { PaymentRequest } from './state.js';

export interface CreateEvents {
  readonly payment_created: {
    readonly merchantId: MerchantId;
    readonly environment: Environment;
    readonly request: PaymentRequest;
    readonly expiresAtMs: number;
    readonly attempt: AttemptPlan | null;
  };
}

/** An attempt to begin: a LIVE rail is asked, the sandbox opens it at once. */
export interface AttemptPlan {
  readonly orderId: OrderId;
  readonly rail: RailName;
  readonly method: ChargeableMethod | null;
  readonly nextRails: readonly RailName[];
}

export interface AttemptEvents {
  readonly attempt_started: { readonly attempt: AttemptPlan };
  readonly attempt_accepted: {
    readonly orderId: OrderId;
    readonly railReference: string | null;
    readonly instructions: Instructions | null;
  };
  readonly attempt_refused: {
    readonly orderId: OrderId;
    /** No other rail is tried after it. */
    readonly isLast: boolean;
  };
  /** The answer to the charge was lost; status inquiries follow. */
  readonly attempt_unconfirmed: { readonly orderId: OrderId };
  /** The rail confirmed that nobody can pay the order any more. */
  readonly attempt_closed: { readonly orderId: OrderId };
}

export interface ClosingEvents {
  readonly cancel_requested: object;
  readonly cancel_refused: object;
  readonly expiry_requested: object;
  readonly method_change_requested: {
    readonly method: ChargeableMethod;
    readonly rail: RailName;
    readonly nextRails: readonly RailName[];
  };
  readonly method_change_refused: object;
  readonly close_unconfirmed: { readonly purpose: 'cancel' | 'switch' };
  readonly payment_failed: {
    readonly failureCode: Exclude<FailureCode, 'reversed'>;
    /** The attempt that failed at the rail; null: none did. */
    readonly orderId: OrderId | null;
  };
  readonly payment_cancelled: object;
}

/** The reason why received money is not the payment's and goes to the suspense account. */
export type SuspenseReason =
  'order_unknown' | 'amount_differs' | 'currency_differs' | 'already_paid';

export interface SettlementEvents {
  readonly payment_paid: {
    readonly settlement: Settlement;
    readonly isLate: boolean;
    readonly holdUntilMs: number | null;
  };
  readonly payment_reversed: object;
  readonly hold_released: object;
  readonly settlement_suspended: {
    readonly settlement: Settlement;
    readonly reason: SuspenseReason;
  };
  /** The money is booked on another payment already, so nothing moves here. */
  readonly settlement_unapplied: { readonly settlement: Settlement };
  /** The rail took suspended money back. */
  readonly suspense_reversed: {
    readonly rail: RailName;
    readonly railTransactionId: string;
    readonly amountMinor: AmountMinor;
    readonly currency: string;
  };
  /**
   * A reversal that moves no money here: its transaction was never seen, is booked on another
   * payment, or paid a payment that is refunded in full.
   */
  readonly reversal_unapplied: {
    readonly rail: RailName;
    readonly railTransactionId: string;
    readonly reason: 'transaction_unknown' | 'transaction_elsewhere' | 'refunded';
  };
}

export interface RefundEvents {
  readonly refund_requested: {
    readonly refundId: RefundId;
    readonly amountMinor: AmountMinor;
    readonly requestedMinor: AmountMinor | null;
    readonly reason: string | null;
    readonly referenceId: string | null;
  };
  /** The rail is asked; it gets the refunds of one payment one at a time. */
  readonly refund_submitted: { readonly refundId: RefundId };
  readonly refund_left_pending: { readonly refundId: RefundId };
  readonly refund_made_manual: { readonly refundId: RefundId };
  readonly refund_succeeded: {
    readonly refundId: RefundId;
    readonly externalReference: string | null;
  };
  readonly refund_failed: {
    readonly refundId: RefundId;
    readonly externalReference: string | null;
  };
  /** The rail reports success for a refund that is booked as failed. */
  readonly refund_contradicted: { readonly refundId: RefundId };
  /** An administrator confirmed the rail's report: the refund was made. */
  readonly refund_corrected: {
    readonly refundId: RefundId;
    readonly externalReference: string;
  };
  /** The rail had paid the customer back without being asked by us; two administrators approved the record. */
  readonly refund_recorded: {
    readonly refundId: RefundId;
    readonly origin: RecordedOrigin;
    readonly amountMinor: AmountMinor;
    readonly externalReference: string;
  };
  /** An administrator confirmed the failure, against the rail's report. */
  readonly refund_failure_confirmed: {
    readonly refundId: RefundId;
    readonly externalReference: string;
  };
}

export interface ErasureEvents {
  /** Texts of merchant and customer were erased. */
  readonly payment_erased: {
    /** The merchant's references were erased too. */
    readonly withReference: boolean;
  };
}

/** The events of a payment that exists. */
export interface LaterEvents
  extends AttemptEvents, ClosingEvents, SettlementEvents, RefundEvents, ErasureEvents {}

export interface PaymentEvents extends CreateEvents, LaterEvents {}

export type EventType = keyof PaymentEvents;

/** The fields of every event. */
export interface EventBase {
  readonly paymentId: PaymentId;
  /** The payment's version after this event; the first event makes version 1. */
  readonly version: number;
  readonly atMs: number;
}

/** The event of a type, or the union of the events of several types. */
export type EventOf<T extends EventType> = {
  [K in T]: { readonly type: K } & EventBase & PaymentEvents[K];
}[T];
export type PaymentEvent = EventOf<EventType>;
