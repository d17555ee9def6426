// Reads the state of an order at Xendit from its payment request. A payment that arrives after the request has expired does
// not change the request's status, so then the payment itself is fetched.
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { OrderId } from '#actors/core/ids.js';
import { MAX_TIME_MS } from '#actors/core/payment/wire/fields.js';
import type { InquiryAnswer } from '../rail.js';
import { sumRailAmounts } from '../wire.js';
import { Amount, Id, readCaptures, type Reply } from './wire.js';

const PaymentRequestSchema = Type.Object({
  payment_request_id: Id,
  reference_id: Type.String({ maxLength: 255 }),
  status: Type.String({ maxLength: 40 }),
  request_amount: Amount,
  currency: Type.String({ maxLength: 8 }),
  latest_payment_id: Type.Optional(Type.Unknown()),
  failure_code: Type.Optional(Type.Unknown()),
  actions: Type.Optional(Type.Unknown()),
});
const PaymentRequest = TypeCompiler.Compile(PaymentRequestSchema);
export type PaymentRequest = Static<typeof PaymentRequestSchema>;
const PaymentId = TypeCompiler.Compile(Id);

export function readPaymentRequest(body: unknown, orderId: OrderId): PaymentRequest | null {
  return PaymentRequest.Check(body) && body.reference_id === orderId ? body : null;
}

/** The order of a payment request; null: not understood. */
export function readOrderId(reply: Reply): string | null {
  return reply.kind === 'done' && PaymentRequest.Check(reply.body) ? reply.body.reference_id : null;
}

/** `ask_payment`: the request is over; its latest payment tells whether money arrived, and how much. */
export type OrderState =
  | Exclude<InquiryAnswer, { result: 'open' | 'settled' }>
  | { readonly result: 'pending' }
  | {
      readonly result: 'ask_payment';
      readonly paymentId: string;
      readonly otherwise: InquiryAnswer;
    };

const UNKNOWN = { result: 'unknown' } as const;

export function readOrderState(request: PaymentRequest): OrderState {
  const { latest_payment_id: latest } = request;
  const paymentId = PaymentId.Check(latest) ? latest : null;
  switch (request.status) {
    case 'ACCEPTING_PAYMENTS':
    case 'REQUIRES_ACTION':
    case 'AUTHORIZED':
    case 'PENDING':
      return { result: 'pending' };
    case 'SUCCEEDED':
      return readUnlessPaid(paymentId, UNKNOWN);
    case 'CANCELED':
      return readUnlessPaid(paymentId, { result: 'closed' });
    case 'EXPIRED':
      return readUnlessPaid(paymentId, { result: 'failed', failureCode: 'expired' });
    case 'FAILED':
      return readUnlessPaid(paymentId, { result: 'failed', failureCode: readFailure(request) });
    default:
      return UNKNOWN;
  }
}

function readUnlessPaid(
  paymentId: string | null,
  otherwise: Exclude<InquiryAnswer, { result: 'open' | 'settled' }>,
): OrderState {
  return paymentId === null ? otherwise : { result: 'ask_payment', paymentId, otherwise };
}

const DECLINED: ReadonlySet<unknown> = new Set([
  'INSUFFICIENT_BALANCE',
  'USER_DECLINED_PAYMENT',
  'PAYMENT_AMOUNT_LIMITS_EXCEEDED',
]);

function readFailure({ failure_code: code }: PaymentRequest) {
  if (code === 'PAYMENT_REQUEST_EXPIRED') return 'expired';
  return DECLINED.has(code) ? 'declined' : 'processing_failed';
}

const PaymentSchema = Type.Object({
  payment_id: Id,
  reference_id: Type.String({ maxLength: 255 }),
  status: Type.String({ maxLength: 40 }),
  request_amount: Amount,
  currency: Type.String({ maxLength: 8 }),
  captures: Type.Optional(Type.Unknown()),
});
const Payment = TypeCompiler.Compile(PaymentSchema);
type Payment = Static<typeof PaymentSchema>;

/** Reads one payment of the order; null: not understood, or not the order's. */
export function readPayment(
  body: unknown,
  orderId: OrderId,
  paymentId: string,
): { readonly settled: InquiryAnswer | null } | null {
  if (!Payment.Check(body)) return null;
  if (body.reference_id !== orderId || body.payment_id !== paymentId) return null;
  return { settled: body.status === 'SUCCEEDED' ? readSettlement(body, paymentId, orderId) : null };
}

/**
 * A request can be paid more than once by mistake; each payment has an id of its own. Its captures hold the amount paid:
 * `request_amount` is only the amount requested. Without captures the amount is unknown.
 */
function readSettlement(
  { captures: given, currency }: Pick<Payment, 'currency' | 'captures'>,
  railTransactionId: string,
  orderId: OrderId,
): InquiryAnswer {
  const captures = readCaptures(given);
  const amountMinor = sumRailAmounts(captures.map(({ capture_amount }) => capture_amount));
  if (captures.length === 0 || amountMinor === null) return UNKNOWN;
  return {
    result: 'settled',
    settlement: {
      ...{ rail: 'xendit', railTransactionId, orderId, amountMinor, currency },
      settledAtMs: readTime(captures.at(-1)?.capture_timestamp),
    },
    givenBack: null,
  };
}

/** null: absent, or no time that a payment can have; the money counts all the same. */
function readTime(text: string | null | undefined): number | null {
  const ms = Date.parse(text ?? '');
  return ms > 0 && ms <= MAX_TIME_MS ? ms : null;
}
