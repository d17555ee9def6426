// Calls to rails as they are stored beside columns for id, payment, rail and operation, until they are made.
import { parseOrderId, parsePaymentId, parseRefundId } from '#actors/core/ids.js';
import { CURRENCIES, type Currency } from '#actors/core/money.js';
import { CHARGEABLE_METHODS } from '#actors/core/payment-methods.js';
import { RAIL_NAMES } from '#actors/core/rails/answers.js';
import type { RailCall } from '../rail-calls.js';
import { CLOSE_PURPOSES } from '#actors/core/statuses.js';
import {
  parseObject,
  type Raw,
  readAmount,
  readId,
  readOneOf,
  readOneOfOrNull,
  readText,
  readTextOrNull,
  readTime,
} from './fields.js';

const OPERATIONS: readonly RailCall['operation'][] = ['charge', 'close', 'refund'];
const CURRENCY_NAMES = Object.keys(CURRENCIES) as Currency[];

export function encodeRailCall(call: RailCall): string {
  return JSON.stringify(call, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : (value ?? undefined),
  );
}

export function decodeRailCall(text: string): RailCall {
  const raw = parseObject(text);
  const operation = readOneOf(raw, 'operation', OPERATIONS);
  const base = {
    id: readText(raw, 'id'),
    paymentId: readId(raw, 'paymentId', parsePaymentId),
    rail: readOneOf(raw, 'rail', RAIL_NAMES),
    orderId: readId(raw, 'orderId', parseOrderId),
  };
  if (operation === 'charge') return { ...base, operation, ...readCharge(raw) };
  if (operation === 'refund') return { ...base, operation, ...readRefund(raw) };
  const purpose = readOneOf(raw, 'purpose', CLOSE_PURPOSES);
  return { ...base, operation, purpose, railReference: readReference(raw) };
}

function readReference(raw: Raw): string | null {
  return readTextOrNull(raw, 'railReference');
}

function readMoney(raw: Raw) {
  const currency = readOneOf(raw, 'currency', CURRENCY_NAMES);
  return { amountMinor: readAmount(raw, 'amountMinor'), currency };
}

function readCharge(raw: Raw) {
  const method = readOneOf(raw, 'method', CHARGEABLE_METHODS);
  return { method, ...readMoney(raw), expiresAtMs: readTime(raw, 'expiresAtMs') };
}

function readRefund(raw: Raw) {
  return {
    refundId: readId(raw, 'refundId', parseRefundId),
    method: readOneOfOrNull(raw, 'method', CHARGEABLE_METHODS),
    railReference: readReference(raw),
    railTransactionId: readText(raw, 'railTransactionId'),
    ...readMoney(raw),
  };
}
