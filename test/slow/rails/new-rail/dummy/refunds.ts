// Refunds at the dummy rail, which knows a refund by our id.
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { RefundCall } from '#actors/core/payment/rail-calls.js';
import type { RefundAnswer } from '#actors/core/rails/answers.js';
import { readRailAmount, writeRailAmount } from '#actors/rails/adapters/wire.js';
import type { Reply } from './wire.js';

const Refund = TypeCompiler.Compile(
  Type.Object({ id: Type.String(), reference: Type.String(), amount: Type.Integer() }),
);

export function buildRefundBody({ refundId, orderId, amountMinor }: RefundCall): object {
  return { id: refundId, order: orderId, amount: writeRailAmount(amountMinor) };
}

export function readRefund(reply: Reply, call: RefundCall): RefundAnswer {
  if (reply === null || reply === 'absent' || !Refund.Check(reply.body)) {
    return { result: 'unknown' };
  }
  const { id, reference: railReference, amount } = reply.body;
  const isOurs = id === call.refundId && readRailAmount(amount) === call.amountMinor;
  return isOurs ? { result: 'succeeded', railReference } : { result: 'unknown' };
}
