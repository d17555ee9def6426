// Snapshots as text, for one column of the payment's row. The format is numbered, so that a later one can
// read the former. What is null, empty or false is not written.
import { type Environment, parseMerchantId, parsePaymentId } from '#actors/core/ids.js';
import { RAIL_NAMES } from '#actors/core/rails/answers.js';
import type { FailureCode, PaymentStatus } from '#actors/core/statuses.js';
import type { PaymentState } from '../state.js';
import {
  flagOrNothing,
  listOrNothing,
  parseObject,
  type Raw,
  readFlag,
  readId,
  readInteger,
  readList,
  readListOf,
  readObject,
  readOneOf,
  readOneOfOrNull,
  readOptional,
  readText,
  readTime,
  readTimeOrNull,
} from './fields.js';
import { decodeRequest, encodeRequest } from './parts.js';
import {
  decodeAttempt,
  decodeCapture,
  decodeCloseRequest,
  decodeMethodChange,
  decodeRefund,
  decodeTransaction,
  encodeAttempt,
  encodeCapture,
  encodeCloseRequest,
  encodeMethodChange,
  encodeRefund,
  encodeTransaction,
} from './snapshot-parts.js';

const FORMAT = 1;
const ENVIRONMENTS: readonly Environment[] = ['TEST', 'LIVE'];
const STATUSES: readonly PaymentStatus[] = [
  'creating',
  'pending',
  'paid',
  'failed',
  'cancelled',
  'refunded',
];
const FAILURE_CODES: readonly FailureCode[] = [
  'expired',
  'declined',
  'processing_failed',
  'simulated',
  'reversed',
];

export function encodeSnapshot(state: PaymentState): string {
  return JSON.stringify({
    v: FORMAT,
    i: state.id,
    n: state.version,
    m: state.merchantId,
    e: state.environment,
    s: state.status,
    q: encodeRequest(state.request),
    f: state.fingerprint,
    c: state.createdAtMs,
    x: state.expiresAtMs,
    a: listOrNothing(state.attempts.map(encodeAttempt)),
    r: listOrNothing(state.nextRails),
    t: listOrNothing(state.railTransactions.map(encodeTransaction)),
    u: listOrNothing(state.refunds.map(encodeRefund)),
    k: encodeCloseRequest(state.cancelRequest),
    y: state.expiryRequestedAtMs ?? undefined,
    g: encodeMethodChange(state.methodChange),
    p: encodeCapture(state.capture),
    l: flagOrNothing(state.isLate),
    w: state.failureCode ?? undefined,
    pa: state.paidAtMs ?? undefined,
    fa: state.failedAtMs ?? undefined,
    ca: state.cancelledAtMs ?? undefined,
    ra: state.refundedAtMs ?? undefined,
    ea: state.erasedAtMs ?? undefined,
  });
}

/** Throws on text that no payment can have: the store is damaged, or newer than this program. */
export function decodeSnapshot(text: string): PaymentState {
  const raw = parseObject(text);
  const format = readInteger(raw, 'v');
  if (format !== FORMAT) throw new TypeError(`snapshot of format ${format}, not ${FORMAT}`);
  const state = decodeState(raw);
  if (!WHOLE[state.status](state))
    throw new TypeError(`snapshot of a payment that is half ${state.status}`);
  return state as PaymentState;
}

type DecodedState = ReturnType<typeof decodeState>;

const isUnpaid = (state: DecodedState): boolean =>
  state.capture === null && state.failureCode === null;
const isPaid = (state: DecodedState): boolean =>
  state.capture !== null && state.failureCode === null && state.paidAtMs !== null;
const isFailed = (state: DecodedState): boolean =>
  state.failureCode !== null && state.failedAtMs !== null;

/** What each status needs, and the others must not have. */
const WHOLE = {
  creating: isUnpaid,
  pending: isUnpaid,
  cancelled: isUnpaid,
  paid: isPaid,
  refunded: isPaid,
  failed: isFailed,
} as const satisfies Record<PaymentStatus, (state: DecodedState) => boolean>;

/** One literal of all fields: spreading one into another took nearly three times as long. */
function decodeState(raw: Raw) {
  return {
    id: readId(raw, 'i', parsePaymentId),
    version: readInteger(raw, 'n'),
    merchantId: readId(raw, 'm', parseMerchantId),
    environment: readOneOf(raw, 'e', ENVIRONMENTS),
    status: readOneOf(raw, 's', STATUSES),
    request: decodeRequest(readObject(raw, 'q')),
    fingerprint: readText(raw, 'f'),
    attempts: readList(raw, 'a', decodeAttempt),
    nextRails: readListOf(raw, 'r', RAIL_NAMES),
    railTransactions: readList(raw, 't', decodeTransaction),
    refunds: readList(raw, 'u', decodeRefund),
    cancelRequest: readOptional(raw, 'k', decodeCloseRequest),
    expiryRequestedAtMs: readTimeOrNull(raw, 'y'),
    methodChange: readOptional(raw, 'g', decodeMethodChange),
    capture: readOptional(raw, 'p', decodeCapture),
    failureCode: readOneOfOrNull(raw, 'w', FAILURE_CODES),
    isLate: readFlag(raw, 'l'),
    createdAtMs: readTime(raw, 'c'),
    expiresAtMs: readTime(raw, 'x'),
    paidAtMs: readTimeOrNull(raw, 'pa'),
    failedAtMs: readTimeOrNull(raw, 'fa'),
    cancelledAtMs: readTimeOrNull(raw, 'ca'),
    refundedAtMs: readTimeOrNull(raw, 'ra'),
    erasedAtMs: readTimeOrNull(raw, 'ea'),
  };
}
