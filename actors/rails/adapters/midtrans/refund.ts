// Refunds at Midtrans. Midtrans knows a refund by our id (`refund_key`), so its request may be repeated.
//
// A refusal may follow from an earlier request of the same refund: "duplicate" (406) always does, and after a successful
// one nothing is left to refund (412, 414). After those codes the transaction's refunds are read, and the refusal counts
// only when ours is not among them.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { RefundCall } from '#actors/core/payment/rail-calls.js';
import { maybe } from '#actors/core/payment/wire/fields.js';
import { type ChargeableMethod, PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { RefundAnswer } from '#actors/core/rails/answers.js';
import { readRailAmount, writeRailAmount } from '../wire.js';
import type { Reply } from './wire.js';

const SUCCESS_CODE = 200;
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 408, 410, 411, 413]);

const RefundFields = {
  refund_key: Type.String(),
  refund_amount: Type.Union([Type.String(), Type.Number()]),
  refund_chargeback_id: maybe(Type.Union([Type.String(), Type.Number()])),
};
const Refunded = TypeCompiler.Compile(Type.Object(RefundFields));
const Refunds = TypeCompiler.Compile(Type.Object({ refunds: Type.Array(Type.Unknown()) }));

/** Virtual accounts cannot be refunded: an administrator pays those refunds by hand. */
export function canRefund(method: ChargeableMethod | null): boolean {
  return method !== null && PAYMENT_METHODS[method].kind === 'qr';
}

export function buildRefundBody({ refundId, amountMinor }: RefundCall): object {
  return { refund_key: refundId, amount: writeRailAmount(amountMinor) };
}

/** `inquire`: the refusal counts only when the transaction does not list the refund. */
export type RefundReading =
  RefundAnswer | { readonly result: 'inquire'; readonly otherwise: RefundAnswer };

const UNKNOWN = { result: 'unknown' } as const;

export function readRefund({ code, body }: Reply, call: RefundCall): RefundReading {
  if (REFUSALS.has(code)) return { result: 'failed' };
  switch (code) {
    case SUCCESS_CODE:
      return readEntry(body, call) ?? UNKNOWN;
    case 402:
      return { result: 'manual_required' };
    case 406:
      return { result: 'inquire', otherwise: UNKNOWN };
    case 412:
      return { result: 'inquire', otherwise: { result: 'manual_required' } };
    case 414:
      return { result: 'inquire', otherwise: { result: 'failed' } };
    default:
      return UNKNOWN;
  }
}

/** Finds the refund in the status of its transaction; null: it is not listed. */
export function findRefund({ body }: Reply, call: RefundCall): RefundAnswer | null {
  if (!Refunds.Check(body)) return null;
  return body.refunds.map((entry) => readEntry(entry, call)).find((it) => it !== null) ?? null;
}

/** null: another refund. Our key with another amount is unknown. */
function readEntry(entry: unknown, call: RefundCall): RefundAnswer | null {
  if (!Refunded.Check(entry) || entry.refund_key !== call.refundId) return null;
  if (readRailAmount(entry.refund_amount) !== call.amountMinor) return UNKNOWN;
  const reference = entry.refund_chargeback_id ?? null;
  return { result: 'succeeded', railReference: reference === null ? null : String(reference) };
}
