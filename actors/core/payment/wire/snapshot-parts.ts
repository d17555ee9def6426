// The lists and requests inside a snapshot.
import { parseOrderId, parseRefundId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import { CHARGEABLE_METHODS } from '#actors/core/payment-methods.js';
import { RAIL_NAMES } from '#actors/core/rails/answers.js';
import type {
  Attempt,
  Capture,
  CloseRequest,
  MethodChange,
  RailTransaction,
  Refund,
} from '../state.js';
import type { AttemptStatus, RefundStatus } from '#actors/core/statuses.js';
import {
  flagOrNothing,
  listOrNothing,
  type Raw,
  readAmount,
  readFlag,
  readId,
  readListOf,
  readObject,
  readOneOf,
  readOneOfOrNull,
  readOptional,
  readText,
  readTextOrNull,
  readTime,
  readTimeOrNull,
} from './fields.js';
import { decodeInstructions, encodeInstructions } from './parts.js';

const ATTEMPT_STATUSES: readonly AttemptStatus[] = [
  'charging',
  'open',
  'refused',
  'closed',
  'failed',
  'settled',
];
const STANDINGS: readonly RailTransaction['standing'][] = [
  'captured',
  'suspended',
  'elsewhere',
  'reversed',
];
const REFUND_STATUSES: readonly RefundStatus[] = [
  'queued',
  'asked',
  'manual_required',
  'succeeded',
  'failed',
];

export function encodeAttempt(attempt: Attempt) {
  return {
    o: attempt.orderId,
    r: attempt.rail,
    m: attempt.method ?? undefined,
    s: attempt.status,
    u: flagOrNothing(attempt.isUnconfirmed),
    f: attempt.railReference ?? undefined,
    i: encodeInstructions(attempt.instructions),
  };
}

/** Attempts stand in their order, so their numbers are not written. */
export function decodeAttempt(raw: Raw, index: number): Attempt {
  return {
    number: index + 1,
    orderId: readId(raw, 'o', parseOrderId),
    rail: readOneOf(raw, 'r', RAIL_NAMES),
    method: readOneOfOrNull(raw, 'm', CHARGEABLE_METHODS),
    status: readOneOf(raw, 's', ATTEMPT_STATUSES),
    isUnconfirmed: readFlag(raw, 'u'),
    railReference: readTextOrNull(raw, 'f'),
    instructions: readOptional(raw, 'i', (_, key) => decodeInstructions(readObject(raw, key))),
  };
}

export function encodeTransaction(transaction: RailTransaction) {
  const { rail: r, id: t, standing: s, amountMinor, currency: c } = transaction;
  return { r, t, s, a: formatAmount(amountMinor), c };
}

export function decodeTransaction(raw: Raw): RailTransaction {
  return {
    rail: readOneOf(raw, 'r', RAIL_NAMES),
    id: readText(raw, 't'),
    standing: readOneOf(raw, 's', STANDINGS),
    amountMinor: readAmount(raw, 'a'),
    currency: readText(raw, 'c'),
  };
}

export function encodeRefund(refund: Refund) {
  return {
    i: refund.id,
    s: refund.status,
    a: formatAmount(refund.amountMinor),
    q: refund.requestedMinor?.toString(),
    w: refund.reason ?? undefined,
    n: refund.referenceId ?? undefined,
    e: refund.externalReference ?? undefined,
    c: refund.createdAtMs,
    d: refund.completedAtMs ?? undefined,
    p: flagOrNothing(refund.isLeftPending),
    z: flagOrNothing(refund.isContradicted),
  };
}

export function decodeRefund(raw: Raw): Refund {
  return {
    id: readId(raw, 'i', parseRefundId),
    status: readOneOf(raw, 's', REFUND_STATUSES),
    amountMinor: readAmount(raw, 'a'),
    requestedMinor: readOptional(raw, 'q', readAmount),
    reason: readTextOrNull(raw, 'w'),
    referenceId: readTextOrNull(raw, 'n'),
    externalReference: readTextOrNull(raw, 'e'),
    createdAtMs: readTime(raw, 'c'),
    completedAtMs: readTimeOrNull(raw, 'd'),
    isLeftPending: readFlag(raw, 'p'),
    isContradicted: readFlag(raw, 'z'),
  };
}

export function encodeCapture(capture: Capture | null) {
  if (capture === null) return undefined;
  const { rail: r, railTransactionId: t, orderId: o, holdUntilMs } = capture;
  return { r, t, o, h: holdUntilMs ?? undefined };
}

export function decodeCapture(parent: Raw, key: string): Capture {
  const raw = readObject(parent, key);
  return {
    rail: readOneOf(raw, 'r', RAIL_NAMES),
    railTransactionId: readText(raw, 't'),
    orderId: readId(raw, 'o', parseOrderId),
    holdUntilMs: readTimeOrNull(raw, 'h'),
  };
}

export function encodeCloseRequest(request: CloseRequest | null) {
  if (request === null) return undefined;
  return { a: request.requestedAtMs, u: flagOrNothing(request.isUnconfirmed) };
}

export function decodeCloseRequest(parent: Raw, key: string): CloseRequest {
  const raw = readObject(parent, key);
  return { requestedAtMs: readTime(raw, 'a'), isUnconfirmed: readFlag(raw, 'u') };
}

export function encodeMethodChange(change: MethodChange | null) {
  if (change === null) return undefined;
  const { method: m, rail: r, nextRails } = change;
  return { ...encodeCloseRequest(change), m, r, x: listOrNothing(nextRails) };
}

export function decodeMethodChange(parent: Raw, key: string): MethodChange {
  const raw = readObject(parent, key);
  return {
    ...decodeCloseRequest(parent, key),
    method: readOneOf(raw, 'm', CHARGEABLE_METHODS),
    rail: readOneOf(raw, 'r', RAIL_NAMES),
    nextRails: readListOf(raw, 'x', RAIL_NAMES),
  };
}
