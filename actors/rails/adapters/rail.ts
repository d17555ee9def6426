// The interface that every rail implements. An adapter translates to the rail's wire format and back. It answers "unknown"
// whenever the outcome is not certain: time-outs, 404, replies that make no sense. It never repeats a call. It never
// rejects because of a reply; a rejection is a bug. CONTRIBUTING.md explains how to add a rail.
import type { OrderId } from '#actors/core/ids.js';
import type { AmountMinor, Currency } from '#actors/core/money.js';
import type { ChargeCall, CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type {
  ChargeAnswer,
  CloseAnswer,
  GivenBack,
  PayoutAnswer,
  PayoutOrder,
  RefundAnswer,
  Settlement,
} from '#actors/core/rails/answers.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { RailPayoutState } from '#actors/core/tasks/reconciled-payouts.js';

/** Shown by the payer's bank beside a charge; read from the snapshot when the call is made. */
export interface Payer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly description: string | null;
}

/** An order that was sent to the rail, or may have been. */
export interface RailOrder {
  readonly orderId: OrderId;
  /** From the rail's answer or a callback. A rail that finds orders only by this answers "unknown" without it. */
  readonly railReference: string | null;
  /** The rail transaction booked for the order: it distinguishes "denied" from "taken back". */
  readonly bookedTransactionId: string | null;
  readonly method: ChargeableMethod | null;
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
  /** Ask for the refunds too, if that takes another request. */
  readonly wantsGivenBack?: boolean;
  /** Payments wait for the payment instructions, since the charge's own answer was lost. */
  readonly wantsInstructions?: boolean;
}

/**
 * The state of an order at the rail. open: accepted, and the customer can pay it; `instructions` can be null unless they
 * are wanted. settled: also after refunds, in the amount and currency
 * that the rail reports, which can differ from the order's. closed: cancelled. givenBack: all that the rail gave back of the
 * order; null: the answer does not tell. unusable: only when the instructions are wanted.
 */
export type InquiryAnswer =
  | { readonly result: 'open'; readonly charge: ChargeAnswer }
  | {
      readonly result: 'settled';
      readonly settlement: Settlement;
      readonly givenBack: readonly GivenBack[] | null;
    }
  | {
      readonly result: 'failed';
      readonly failureCode: 'declined' | 'expired' | 'processing_failed';
    }
  | { readonly result: 'closed' }
  | { readonly result: 'reversed'; readonly railTransactionId: string }
  | UnusableOrder
  | UnknownAnswer;

/**
 * The order is open at the rail, and the rail's payment instructions are such that they must not be shown: a QR code with a
 * wrong checksum, an account number that is none. Somebody could pay it all the same, so it has to be closed.
 */
export interface UnusableOrder {
  readonly result: 'unusable';
  readonly railReference: string;
}

/**
 * isAbsent: the rail answered that it knows no such order. A call may still be on its way, so payments learn only
 * "unknown" until the order was missing for minutes (inquiries/absent-charges.ts); reconciliation reads it too.
 */
export interface UnknownAnswer {
  readonly result: 'unknown';
  readonly isAbsent?: boolean;
}

/**
 * Awaited just before the request that refunds. It notes that the rail may have been asked from now on. false: another
 * process has the call, or it waited for too long: nothing may be sent.
 */
export type BeginRefund = () => Promise<boolean>;

/** not_sent: no request reached the rail, so nothing was charged, and another rail may be tried. */
export type ChargeCallAnswer = ChargeAnswer | UnusableOrder | { readonly result: 'not_sent' };

/** not_sent: this call sent no request that could have refunded; it may be made again. */
export type RefundCallAnswer = RefundAnswer | { readonly result: 'not_sent' };

/** isAbsent: the rail showed the payment, and the refund was not among its refunds. */
export type RefundInquiryAnswer = RefundAnswer | UnknownAnswer;

/** An entry of a rail's list of a day. Ids are the rail's text; null when the list leaves one out. */
export type ListedTransaction = ListedPayment | ListedRefund | ListedPayout;

/** A payment into an order. */
export interface ListedPayment {
  readonly kind: 'payment';
  readonly state: 'settled' | 'reversed';
  readonly orderId: string;
  readonly railTransactionId: string | null;
  readonly railReference: string | null;
  /** The rail's id of the payment in another of its products, by which it cannot be inquired about. */
  readonly otherId: string | null;
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}

/** A refund that was made, or a chargeback. Ours is found by its key, one of the rail by its order. */
export interface ListedRefund {
  readonly kind: 'refund';
  /** null: the rail does not tell. */
  readonly orderId: string | null;
  readonly givenBack: GivenBack;
  readonly currency: string;
}

export interface ListedPayout {
  readonly kind: 'payout';
  readonly payoutId: string;
  readonly state: Exclude<RailPayoutState, 'absent'>;
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}

export interface ListQuery {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** `next` of the page before; null: the first page. */
  readonly after: string | null;
}

export type TransactionList =
  | {
      readonly result: 'page';
      readonly transactions: readonly ListedTransaction[];
      /** null: this was the last page. */
      readonly next: string | null;
    }
  | { readonly result: 'unknown' };

/** A received callback: the signed bytes, and the headers by lower-case name. */
export interface RawCallback {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * A callback only names the subject of a status inquiry; its status is not trusted, since signatures of rails do not
 * cover it. genuine: signed by the rail. forged: not signed by the rail. malformed: signed, but not understood. test: signed,
 * and only a test of the address by the rail's console.
 * `dedupeKey` is the same for a repeat; `money` is compared with what the inquiry finds; an inquiry that does not find what
 * the callback `reports` is repeated soon.
 */
export type CallbackReading =
  | {
      readonly result: 'genuine';
      readonly dedupeKey: string;
      readonly subject: CallbackSubject;
      readonly reports: ReportedState;
      readonly money: { readonly amountMinor: AmountMinor; readonly currency: string } | null;
    }
  | { readonly result: 'forged' }
  | { readonly result: 'malformed' }
  | { readonly result: 'test' };

/**
 * Ids are the rail's text and not yet known to be ours. `railReference` is given only when the answer to its inquiry names
 * our order again, so that a forged one leads to "unknown". orderId null: the callback names the order by ids of the rail
 * alone, and `railTransactionId` is that of its payment.
 */
export type CallbackSubject =
  | {
      readonly kind: 'order';
      readonly orderId: string | null;
      readonly railReference: string | null;
      readonly railTransactionId?: string | null;
    }
  | { readonly kind: 'refund'; readonly refundId: string; readonly railReference: string | null }
  | { readonly kind: 'payout'; readonly payoutId: string; readonly railReference: string | null };

/** The abilities of a rail, by method. It does not offer a method that is left out. */
export interface Capabilities {
  readonly methods: Readonly<Partial<Record<ChargeableMethod, MethodCapability>>>;
  readonly canPayOut: boolean;
  /** For so long the rail recognises a repeated refund by our id; null: it does not promise that. */
  readonly refundKeyMs: number | null;
}

export interface MethodCapability {
  readonly minAmountMinor: AmountMinor;
  readonly maxAmountMinor: AmountMinor;
  readonly isRefundable: boolean;
  /** The longest that the rail keeps an order open. */
  readonly maxExpiresInS: number;
  /** False: every order stays open for `maxExpiresInS`, so it must be closed when its payment expires. */
  readonly takesExpiry: boolean;
}

/**
 * A call whose signal is aborted resolves with "unknown". Refunds and payouts may be repeated, since the rail knows them by
 * our ids; charges never.
 */
export interface RailAdapter {
  /** "refused" also when no connection could be opened: nothing was sent. */
  charge(call: ChargeCall, payer: Payer, signal: AbortSignal): Promise<ChargeCallAnswer>;
  close(call: CloseCall, signal: AbortSignal): Promise<CloseAnswer | UnknownAnswer>;
  /** `begin` absent: nobody else may make the call. */
  refund(call: RefundCall, signal: AbortSignal, begin?: BeginRefund): Promise<RefundCallAnswer>;
  inquirePayment(order: RailOrder, signal: AbortSignal): Promise<InquiryAnswer>;
  inquireRefund(call: RefundCall, signal: AbortSignal): Promise<RefundInquiryAnswer>;
  /** Called only when `capabilities.canPayOut`. */
  payOut(order: PayoutOrder, signal: AbortSignal): Promise<PayoutAnswer>;
  inquirePayout(order: PayoutOrder, signal: AbortSignal): Promise<PayoutAnswer | UnknownAnswer>;
  readCallback(callback: RawCallback): CallbackReading;
  /** Lists what was paid, given back and paid out in a period, page by page; null: the rail has no such list. */
  readonly listTransactions:
    ((query: ListQuery, signal: AbortSignal) => Promise<TransactionList>) | null;
}

export interface Rail extends RailAdapter {
  readonly name: RailName;
  readonly capabilities: Capabilities;
}
