// What every rail can be asked, in our words. An adapter translates to the rail's wire format and back, and
// answers "unknown" whenever it does not know: time-outs, 404, nonsense. It never repeats a call by itself,
// and it never rejects for what a rail says; a rejection is a bug.
import type { OrderId } from '#actors/core/ids.js';
import type { AmountMinor, Currency } from '#actors/core/money.js';
import type { ChargeCall, CloseCall, RefundCall } from '#actors/core/payment/rail-calls.js';
import type { ChargeableMethod } from '#actors/core/payment-methods.js';
import type {
  ChargeAnswer,
  CloseAnswer,
  PayoutAnswer,
  PayoutOrder,
  RailName,
  RefundAnswer,
  Settlement,
} from '#actors/core/rails/answers.js';

/** What a charge shows to the payer's bank; read from the snapshot when the call is made. */
export interface Payer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly description: string | null;
}

/** An order that was sent to the rail, or may have been. */
export interface RailOrder {
  readonly orderId: OrderId;
  /** From the rail's answer, or from a callback; a rail that finds orders by nothing else answers "unknown" without. */
  readonly railReference: string | null;
  /** The rail transaction that is booked for it: only so a rail's "denied" can be told from "taken back". */
  readonly bookedTransactionId: string | null;
  readonly method: ChargeableMethod | null;
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
}

/**
 * How an order stands at the rail. open: accepted, and the customer can pay it; its instructions can be null when
 * the order's railReference was known, since then they are known too. settled: whatever was refunded since, and in
 * the amount and currency that the rail says, which need not be the order's. closed: cancelled.
 */
export type InquiryAnswer =
  | { readonly result: 'open'; readonly charge: ChargeAnswer }
  | { readonly result: 'settled'; readonly settlement: Settlement }
  | {
      readonly result: 'failed';
      readonly failureCode: 'declined' | 'expired' | 'processing_failed';
    }
  | { readonly result: 'closed' }
  | { readonly result: 'reversed'; readonly railTransactionId: string }
  | UnknownAnswer;

/**
 * isAbsent: the rail answered that it knows no such order. That proves nothing of a call that may still be on its way, so
 * payments are told no more than "unknown"; reconciliation, days later, reads it.
 */
export interface UnknownAnswer {
  readonly result: 'unknown';
  readonly isAbsent?: boolean;
}

/** A payment into an order, as a rail lists it; ids as the rail wrote them, null where the list does not tell them. */
export interface ListedTransaction {
  readonly state: 'settled' | 'reversed';
  readonly orderId: string;
  readonly railTransactionId: string | null;
  readonly railReference: string | null;
  readonly amountMinor: AmountMinor;
  readonly currency: string;
}

export interface ListQuery {
  readonly fromMs: number;
  /** Not of the list any more. */
  readonly toMs: number;
  /** `next` of the page before; null: the first. */
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

/** A callback as it came in: the bytes that were signed, and the headers by lower-case name. */
export interface RawCallback {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * What a callback is about. Its status is not believed (signatures of rails do not cover it): it names what to look up.
 * genuine: the rail made it, as far as it lets us tell. forged: it did not. malformed: signed right, and not
 * understood. `dedupeKey` is the same for a repeat; `money` is what the callback says of the order, to be compared.
 */
export type CallbackReading =
  | {
      readonly result: 'genuine';
      readonly dedupeKey: string;
      readonly subject: CallbackSubject;
      readonly money: { readonly amountMinor: AmountMinor; readonly currency: string } | null;
    }
  | { readonly result: 'forged' }
  | { readonly result: 'malformed' };

/**
 * Ids as the rail wrote them: nothing says yet that they are ours. `railReference` is there only where the answer
 * to its look-up names our order again, so that one that a liar put in leads to "unknown".
 */
export type CallbackSubject =
  | { readonly kind: 'order'; readonly orderId: string; readonly railReference: string | null }
  | { readonly kind: 'refund'; readonly refundId: string; readonly railReference: string | null }
  | { readonly kind: 'payout'; readonly payoutId: string; readonly railReference: string | null };

/** What a rail can do, by method; a method that it does not name is not on offer there. */
export interface Capabilities {
  readonly methods: Readonly<Partial<Record<ChargeableMethod, MethodCapability>>>;
  readonly canPayOut: boolean;
}

export interface MethodCapability {
  readonly minAmountMinor: AmountMinor;
  readonly maxAmountMinor: AmountMinor;
  readonly isRefundable: boolean;
  /** The longest that the rail keeps an order open. */
  readonly maxExpiresInS: number;
  /** False: the rail keeps every order open for `maxExpiresInS`, so it must be closed when its payment expires. */
  readonly takesExpiry: boolean;
}

/**
 * Every call ends with its signal at the latest; what it then knows is "unknown". Refunds and payouts may be asked
 * for again (the rail knows them by our ids), charges never.
 */
export interface Rail {
  readonly name: RailName;
  readonly capabilities: Capabilities;
  /** "refused" also when the rail could not be reached at all: nothing was sent, so it took nothing. */
  charge(call: ChargeCall, payer: Payer, signal: AbortSignal): Promise<ChargeAnswer>;
  close(call: CloseCall, signal: AbortSignal): Promise<CloseAnswer>;
  refund(call: RefundCall, signal: AbortSignal): Promise<RefundAnswer>;
  inquirePayment(order: RailOrder, signal: AbortSignal): Promise<InquiryAnswer>;
  inquireRefund(call: RefundCall, signal: AbortSignal): Promise<RefundAnswer>;
  /** Only where `capabilities.canPayOut`; elsewhere a bug. */
  payOut(order: PayoutOrder, signal: AbortSignal): Promise<PayoutAnswer>;
  inquirePayout(order: PayoutOrder, signal: AbortSignal): Promise<PayoutAnswer>;
  readCallback(callback: RawCallback): CallbackReading;
  /** What was paid in a time, page by page; null: the rail has no such list. */
  readonly listTransactions:
    ((query: ListQuery, signal: AbortSignal) => Promise<TransactionList>) | null;
}
