// Parts that commands and snapshots share. The names of fields are short, since they are written with every
// command and every snapshot, and once used they may never change their meaning.
import { parseOrderId } from '#actors/core/ids.js';
import { CURRENCIES, type Currency, formatAmount } from '#actors/core/money.js';
import { PAYMENT_METHOD_IDS } from '#actors/core/payment-methods.js';
import { type Instructions, RAIL_NAMES, type Settlement } from '#actors/core/rails/answers.js';
import type { PaymentRequest } from '../state.js';
import {
  type Raw,
  readAmount,
  readId,
  readInteger,
  readOneOf,
  readOneOfOrNull,
  readOptional,
  readText,
  readTextOrNull,
  readTexts,
  readTimeOrNull,
} from './fields.js';

const DEFAULT_CURRENCY = 'IDR';
const CURRENCY_NAMES = Object.keys(CURRENCIES) as Currency[];

export function encodeRequest(request: PaymentRequest) {
  const { currency, metadata } = request;
  return {
    a: formatAmount(request.amountMinor),
    c: currency === DEFAULT_CURRENCY ? undefined : currency,
    d: request.description ?? undefined,
    r: request.referenceId ?? undefined,
    m: request.paymentMethod ?? undefined,
    n: request.customerName ?? undefined,
    e: request.customerEmail ?? undefined,
    p: request.customerPhone ?? undefined,
    s: request.successUrl ?? undefined,
    k: request.cancelUrl ?? undefined,
    t: Object.keys(metadata).length === 0 ? undefined : metadata,
    x: request.expiresInS ?? undefined,
  };
}

export function decodeRequest(raw: Raw): PaymentRequest {
  return {
    amountMinor: readAmount(raw, 'a'),
    currency: readOneOfOrNull(raw, 'c', CURRENCY_NAMES) ?? DEFAULT_CURRENCY,
    description: readTextOrNull(raw, 'd'),
    referenceId: readTextOrNull(raw, 'r'),
    paymentMethod: readOneOfOrNull(raw, 'm', PAYMENT_METHOD_IDS),
    customerName: readTextOrNull(raw, 'n'),
    customerEmail: readTextOrNull(raw, 'e'),
    customerPhone: readTextOrNull(raw, 'p'),
    successUrl: readTextOrNull(raw, 's'),
    cancelUrl: readTextOrNull(raw, 'k'),
    metadata: readTexts(raw, 't'),
    expiresInS: readOptional(raw, 'x', readInteger),
  };
}

export function encodeSettlement(settlement: Settlement) {
  return {
    r: settlement.rail,
    t: settlement.railTransactionId,
    o: settlement.orderId,
    a: formatAmount(settlement.amountMinor),
    c: settlement.currency,
    s: settlement.settledAtMs ?? undefined,
  };
}

export function decodeSettlement(raw: Raw): Settlement {
  return {
    rail: readOneOf(raw, 'r', RAIL_NAMES),
    railTransactionId: readText(raw, 't'),
    orderId: readId(raw, 'o', parseOrderId),
    amountMinor: readAmount(raw, 'a'),
    currency: readText(raw, 'c'),
    settledAtMs: readTimeOrNull(raw, 's'),
  };
}

export function encodeInstructions(instructions: Instructions | null) {
  if (instructions === null) return undefined;
  return instructions.kind === 'qr'
    ? { q: instructions.payload }
    : { v: instructions.number, b: instructions.billerCode ?? undefined };
}

export function decodeInstructions(raw: Raw): Instructions {
  if (raw.q !== undefined) return { kind: 'qr', payload: readText(raw, 'q') };
  const billerCode = readTextOrNull(raw, 'b');
  return { kind: 'virtual_account', number: readText(raw, 'v'), billerCode };
}
