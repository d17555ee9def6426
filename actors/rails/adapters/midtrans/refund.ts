// Refunds at Midtrans, known there by our refund id (`refund_key`), under which they can be asked for again.
//
// A refusal may be the echo of an earlier try of the same refund: "duplicate" (406) is one for sure, and one that
// succeeded leaves nothing to refund (412, 414). So after those the transaction's refunds are read first, and the
// refusal counts when ours is not among them.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { RefundCall } from '#actors/core/payment/rail-calls.js';
import { type ChargeableMethod, PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { RefundAnswer } from '#actors/core/rails/answers.js';
import { readRailAmount, writeRailAmount } from '../wire.js';
import type { Reply } from './wire.js';

const SUCCESS_CODE = 200;
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 408, 410, 411, 413, 429]);

const RefundFields = {
  refund_key: Type.String(),
  refund_amount: Type.Union([Type.String(), Type.Number()]),
  refund_chargeback_id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
};
const Refunded = TypeCompiler.Compile(Type.Object(RefundFields));
const Refunds = TypeCompiler.Compile(Type.Object({ refunds: Type.Array(Type.Unknown()) }));

/** Virtual accounts have no way back: an administrator pays those refunds out. */
export function canRefund(method: ChargeableMethod | null): boolean {
  return method !== null && PAYMENT_METHODS[method].kind === 'qr';
}

export function buildRefundBody({ refundId, amountMinor }: RefundCall): object {
  return { refund_key: refundId, amount: writeRailAmount(amountMinor) };
}

/** `look_up`: the refusal stands only when the refund is not found at the transaction. */
export type RefundReading =
  RefundAnswer | { readonly result: 'look_up'; readonly otherwise: RefundAnswer };

const UNKNOWN = { result: 'unknown' } as const;

export function readRefund({ code, body }: Reply, call: RefundCall): RefundReading {
  if (REFUSALS.has(code)) return { result: 'failed' };
  switch (code) {
    case SUCCESS_CODE:
      return readEntry(body, call) ?? UNKNOWN;
    case 402:
      return { result: 'manual_required' };
    case 406:
      return { result: 'look_up', otherwise: UNKNOWN };
    case 412:
      return { result: 'look_up', otherwise: { result: 'manual_required' } };
    case 414:
      return { result: 'look_up', otherwise: { result: 'failed' } };
    default:
      return UNKNOWN;
  }
}

/** In a status reply of the refund's transaction; null: it is not among the refunds there. */
export function findRefund({ body }: Reply, call: RefundCall): RefundAnswer | null {
  if (!Refunds.Check(body)) return null;
  return body.refunds.map((entry) => readEntry(entry, call)).find((it) => it !== null) ?? null;
}

/** null: another refund. One with our key and another amount is not understood. */
function readEntry(entry: unknown, call: RefundCall): RefundAnswer | null {
  if (!Refunded.Check(entry) || entry.refund_key !== call.refundId) return null;
  if (readRailAmount(entry.refund_amount) !== call.amountMinor) return UNKNOWN;
  const reference = entry.refund_chargeback_id;
  return { result: 'succeeded', railReference: reference === undefined ? null : String(reference) };
}
