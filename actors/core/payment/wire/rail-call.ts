// Calls to rails, stored beside columns for id, payment, rail and operation until they are made.
import { type TProperties, Type } from '@sinclair/typebox';
import type { RailCall } from '../rail-calls.js';
import { CLOSE_PURPOSES } from '#actors/core/statuses.js';
import { createReader, parseAmountOf, stringifyWithDigits } from './codec.js';
import * as field from './fields.js';

type Operation = RailCall['operation'];

function createCallReader<O extends Operation, P extends TProperties>(operation: O, fields: P) {
  const { text: id, paymentId, rail, orderId } = field;
  const base = { operation: Type.Literal(operation), id, paymentId, rail, orderId };
  return createReader(`rail call (${operation})`, Type.Object({ ...base, ...fields }));
}

const MONEY = { amountMinor: field.digits, currency: field.currency };
const RAIL_REFERENCE = { railReference: field.orNull(field.text) };
const readCharge = createCallReader('charge', {
  ...MONEY,
  method: field.chargeableMethod,
  expiresAtMs: field.timeMs,
});
const readRefund = createCallReader('refund', {
  ...MONEY,
  ...RAIL_REFERENCE,
  refundId: field.refundId,
  method: field.orNull(field.chargeableMethod),
  railTransactionId: field.text,
});
const READERS = {
  charge: (value: unknown) => parseAmountOf(readCharge(value)),
  close: createCallReader('close', { ...RAIL_REFERENCE, purpose: field.oneOf(CLOSE_PURPOSES) }),
  refund: (value: unknown) => parseAmountOf(readRefund(value)),
} as const satisfies { [O in Operation]: (value: unknown) => RailCall };
const operation = field.oneOf(Object.keys(READERS) as Operation[]);
const readOperation = createReader('rail call', Type.Object({ operation }));

export function encodeRailCall(call: RailCall): string {
  // A call that the readers would not take fails to compile here.
  const readable: ReturnType<(typeof READERS)[Operation]> = call;
  return stringifyWithDigits(readable);
}

export function decodeRailCall(text: string): RailCall {
  const value: unknown = JSON.parse(text);
  return READERS[readOperation(value).operation](value);
}
