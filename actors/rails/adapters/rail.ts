// What every rail can be asked, in our words. An adapter translates to the rail's wire format and back, and
// answers "unknown" whenever it does not know: time-outs, 404, nonsense. It never repeats a call by itself,
// and it never rejects for what a rail says; a rejection is a bug.
import type { OrderId } from '../../core/ids.js';
import type { AmountMinor, Currency } from '../../core/money.js';
import type { ChargeCall, CloseCall, RefundCall } from '../../core/payment/effects/rail-calls.js';
import type { ChargeableMethod } from '../../core/payment-methods.js';
import type {
  ChargeAnswer,
  CloseAnswer,
  RailName,
  RefundAnswer,
  Settlement,
} from '../../core/rails/answers.js';

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
  readonly railReference: string | null;
  readonly method: ChargeableMethod | null;
  readonly amountMinor: AmountMinor;
  readonly currency: Currency;
}

/** How an order stands at the rail. open: accepted, and the customer can pay it. */
export type LookUpAnswer =
  | { readonly result: 'open'; readonly charge: ChargeAnswer }
  | { readonly result: 'settled'; readonly settlement: Settlement }
  | {
      readonly result: 'failed';
      readonly failureCode: 'declined' | 'expired' | 'processing_failed';
    }
  | { readonly result: 'closed' }
  | { readonly result: 'reversed'; readonly railTransactionId: string }
  | { readonly result: 'unknown' };

export interface Rail {
  readonly name: RailName;
  charge(call: ChargeCall, payer: Payer, signal: AbortSignal): Promise<ChargeAnswer>;
  close(call: CloseCall, signal: AbortSignal): Promise<CloseAnswer>;
  refund(call: RefundCall, signal: AbortSignal): Promise<RefundAnswer>;
  lookUp(order: RailOrder, signal: AbortSignal): Promise<LookUpAnswer>;
  lookUpRefund(call: RefundCall, signal: AbortSignal): Promise<RefundAnswer>;
}
