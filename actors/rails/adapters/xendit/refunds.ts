// Refunds at Xendit. Xendit does not promise that a repeated request is idempotent, so the payment request's refunds are
// searched for our reference before each request; the idempotency key is a second safeguard.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { RefundCall } from '#actors/core/payment/rail-calls.js';
import { maybe } from '#actors/core/payment/wire/fields.js';
import type { GivenBack, RefundAnswer } from '#actors/core/rails/answers.js';
import { readRailAmount, writeRailAmount } from '../wire.js';
import { Amount, Id, readReference, Reference, REFUSALS, type Reply } from './wire.js';

const UNKNOWN = { result: 'unknown' } as const;

const Refund = TypeCompiler.Compile(
  Type.Object({
    id: Id,
    reference_id: Reference,
    status: Type.String({ maxLength: 40 }),
    amount: Amount,
  }),
);
const Refunds = TypeCompiler.Compile(
  Type.Object({ data: Type.Array(Type.Unknown()), has_more: maybe(Type.Boolean()) }),
);

/** The channel or the customer's issuer takes no such refund: an administrator pays it by hand. */
const BY_HAND: ReadonlySet<string> = new Set([
  'REFUND_NOT_SUPPORTED',
  'PARTIAL_REFUND_NOT_SUPPORTED',
  'PARTIAL_REFUND_COUNTS_EXCEEDED',
  'INELIGIBLE_TRANSACTION_STATUS',
]);
const FAILED: ReadonlySet<string> = new Set([
  ...REFUSALS,
  'REFUND_AMOUNT_EXCEEDED',
  'INSUFFICIENT_BALANCE',
  'TEMPORARILY_UNAVAILABLE',
]);

export function buildRefundBody(call: RefundCall, paymentRequestId: string): object {
  return {
    payment_request_id: paymentRequestId,
    reference_id: call.refundId,
    amount: writeRailAmount(call.amountMinor),
    currency: call.currency,
    reason: 'REQUESTED_BY_CUSTOMER',
  };
}

export function readRefundReply(reply: Reply, call: RefundCall): RefundAnswer {
  switch (reply.kind) {
    case 'done':
      return readRefund(reply.body, call) ?? UNKNOWN;
    case 'error':
      if (BY_HAND.has(reply.code)) return { result: 'manual_required' };
      return FAILED.has(reply.code) ? { result: 'failed' } : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/** Whether the reply shows the refunds of a payment request. */
export function isRefundList(reply: Reply): boolean {
  return reply.kind === 'done' && Refunds.Check(reply.body);
}

/** `absent`: the list is complete and does not contain ours (yet). */
export function findRefund(reply: Reply, call: RefundCall): RefundAnswer | 'absent' {
  if (reply.kind !== 'done' || !Refunds.Check(reply.body)) return UNKNOWN;
  const { data, has_more: hasMore } = reply.body;
  const found = data.map((entry) => readRefund(entry, call)).find((answer) => answer !== null);
  return found ?? (hasMore === true ? UNKNOWN : 'absent');
}

/** The refunds that were made of a payment request; null: the reply does not show all of them. */
export function listMadeRefunds(reply: Reply): readonly GivenBack[] | null {
  if (reply.kind !== 'done' || !Refunds.Check(reply.body)) return null;
  const { data, has_more: hasMore } = reply.body;
  const made: GivenBack[] = [];
  for (const entry of data) {
    if (!Refund.Check(entry)) return null;
    const amountMinor = readRailAmount(entry.amount);
    if (amountMinor === null) return null;
    const refundKey = readReference(entry.reference_id);
    if (entry.status === 'SUCCEEDED')
      made.push({ railRefundId: entry.id, refundKey, kind: 'refund', amountMinor });
  }
  return hasMore === true ? null : made;
}

const Refunded = TypeCompiler.Compile(Type.Object({ payment_request_id: Id }));

/** The payment request that a refund belongs to. */
export function readRefundedRequest(reply: Reply): string | null {
  if (reply.kind !== 'done' || !Refunded.Check(reply.body)) return null;
  return reply.body.payment_request_id;
}

/** null: another refund. Our reference with another amount is unknown. */
function readRefund(body: unknown, call: RefundCall): RefundAnswer | null {
  if (!Refund.Check(body) || body.reference_id !== call.refundId) return null;
  if (readRailAmount(body.amount) !== call.amountMinor) return UNKNOWN;
  const { id: railReference } = body;
  switch (body.status) {
    case 'SUCCEEDED':
      return { result: 'succeeded', railReference };
    case 'PENDING':
      return { result: 'pending', railReference };
    case 'FAILED':
    case 'CANCELLED':
      return { result: 'failed' };
    default:
      return UNKNOWN;
  }
}
