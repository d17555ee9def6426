// Snapshots as text, for one column of the payment's row: the fields of the answer to GET, with its names and in its
// order, without `checkout_url`, then `internal`, the rest under the names of state.ts. The answer is cut out of the text
// (answer.ts). Members of `internal` that are null, empty or false are left out.
import { type Static, Type } from '@sinclair/typebox';
import type { OrderId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import { allowNull } from '#actors/core/schemas/fields.js';
import { SHOWN_STATUSES } from '#actors/core/statuses.js';
import {
  ATTEMPT_STATUSES,
  FAILURE_CODES,
  REFUND_STATUSES,
  RECORDED_ORIGINS,
  type RefundStatus,
  TRANSACTION_STATES,
} from '#actors/core/statuses.js';
import type { Attempt, PaymentState, Refund } from '../state.js';
import { findShownMethod, findShownOrderId, viewPayment } from '../view.js';
import { createReader, formatAmountOf, parseAmountOf, parseDigits } from './codec.js';
import * as field from './fields.js';

export const FORMAT = 2;
/** The text of each snapshot up to its id. */
export const BEGIN = '{"id":"';
/** Where the answer ends: no text of a merchant contains it (answer.ts). */
export const INTERNAL = ',"internal":{';
const { maybe, oneOf } = field;

const StoredAttempt = Type.Object({
  /** Left out of the attempt that the answer's `order_id` belongs to. */
  orderId: maybe(field.orderId),
  rail: field.rail,
  method: maybe(field.chargeableMethod),
  status: oneOf(ATTEMPT_STATUSES),
  isUnconfirmed: maybe(field.flag),
  railReference: maybe(field.text),
  instructions: maybe(field.instructions),
});
const StoredTransaction = Type.Object({
  rail: field.rail,
  id: field.text,
  state: oneOf(TRANSACTION_STATES),
  amountMinor: field.digits,
  currency: field.text,
});
const StoredRefund = Type.Object({
  id: field.refundId,
  // of one that the rail made by itself
  origin: maybe(oneOf(RECORDED_ORIGINS)),
  status: oneOf(REFUND_STATUSES),
  amountMinor: field.digits,
  requestedMinor: maybe(field.digits),
  reason: maybe(field.text),
  referenceId: maybe(field.text),
  externalReference: maybe(field.text),
  createdAtMs: field.timeMs,
  askedAtMs: maybe(field.timeMs),
  completedAtMs: maybe(field.timeMs),
  isLeftPending: maybe(field.flag),
  isContradicted: maybe(field.flag),
  isFailureConfirmed: maybe(field.flag),
  // of a refund with an external reference; without it the refund was paid by hand
  isPaidByRail: maybe(field.flag),
});
const CLOSE_REQUEST = { requestedAtMs: field.timeMs, isUnconfirmed: field.flag };
const METHOD_CHANGE = { method: field.chargeableMethod, rail: field.rail, nextRails: field.rails };
const StoredCapture = Type.Object({
  rail: field.rail,
  railTransactionId: field.text,
  orderId: field.orderId,
  holdUntilMs: allowNull(field.timeMs),
});

const StoredPayment = Type.Object({
  // First, so that the text of a newer program is reported by its format.
  internal: Type.Object({
    format: Type.Literal(FORMAT, { errorMessage: `must be ${FORMAT}` }),
    merchantId: field.merchantId,
    version: field.count,
    fingerprint: maybe(field.text),
    isCreating: maybe(field.flag),
    /** The method of the request, where the answer shows another. */
    requestedMethod: maybe(field.method),
    expiresInS: maybe(field.count),
    attempts: maybe(Type.Array(StoredAttempt)),
    nextRails: maybe(field.rails),
    railTransactions: maybe(Type.Array(StoredTransaction)),
    refunds: maybe(Type.Array(StoredRefund)),
    cancelRequest: maybe(Type.Object(CLOSE_REQUEST)),
    expiryRequestedAtMs: maybe(field.timeMs),
    methodChange: maybe(Type.Object({ ...CLOSE_REQUEST, ...METHOD_CHANGE })),
    capture: maybe(StoredCapture),
    erasedAtMs: maybe(field.timeMs),
  }),
  id: field.paymentId,
  environment: field.environment,
  status: oneOf(SHOWN_STATUSES),
  ...field.REQUEST_FIELDS,
  order_id: maybe(field.orderId),
  failure_code: maybe(oneOf(FAILURE_CODES)),
  late: maybe(field.flag),
  created_at: field.time,
  expires_at: field.time,
  paid_at: maybe(field.time),
  failed_at: maybe(field.time),
  cancelled_at: maybe(field.time),
  refunded_at: maybe(field.time),
});
type StoredPayment = Static<typeof StoredPayment>;
const readPayment = createReader('snapshot', StoredPayment);

export function encodeSnapshot(state: PaymentState): string {
  const answer = JSON.stringify(viewPayment(state));
  return `${answer.slice(0, -1)}${INTERNAL}${JSON.stringify(encodeInternal(state)).slice(1)}}`;
}

function encodeInternal(state: PaymentState): StoredPayment['internal'] {
  const { request, attempts, nextRails, railTransactions, refunds } = state;
  const orderId = findShownOrderId(state);
  const isAsRequested = findShownMethod(state) === request.paymentMethod;
  return {
    format: FORMAT,
    merchantId: state.merchantId,
    version: state.version,
    fingerprint: state.fingerprint ?? undefined,
    isCreating: trueOrNothing(state.status === 'creating'),
    requestedMethod: isAsRequested ? undefined : request.paymentMethod,
    expiresInS: request.expiresInS ?? undefined,
    attempts:
      attempts.length === 0 ? undefined : attempts.map((one) => encodeAttempt(one, orderId)),
    nextRails: nextRails.length === 0 ? undefined : nextRails,
    railTransactions:
      railTransactions.length === 0 ? undefined : railTransactions.map(formatAmountOf),
    refunds: refunds.length === 0 ? undefined : refunds.map(encodeRefund),
    cancelRequest: state.cancelRequest ?? undefined,
    expiryRequestedAtMs: state.expiryRequestedAtMs ?? undefined,
    methodChange: state.methodChange ?? undefined,
    capture: state.capture ?? undefined,
    erasedAtMs: state.erasedAtMs ?? undefined,
  };
}

function trueOrNothing(is: boolean): true | undefined {
  return is ? true : undefined;
}

function encodeAttempt(attempt: Attempt, orderId: OrderId | null): Static<typeof StoredAttempt> {
  return {
    orderId: attempt.orderId === orderId ? undefined : attempt.orderId,
    rail: attempt.rail,
    method: attempt.method ?? undefined,
    status: attempt.status,
    isUnconfirmed: trueOrNothing(attempt.isUnconfirmed),
    railReference: attempt.railReference ?? undefined,
    instructions: attempt.instructions ?? undefined,
  };
}

/** Throws on text that no payment can have: the store is damaged, or newer than this program. */
export function decodeSnapshot(text: string): PaymentState {
  const state = decodeState(readPayment(JSON.parse(text)));
  if (isWhole(state)) return state as PaymentState;
  throw new TypeError(`snapshot is malformed: fields do not fit the status "${state.status}"`);
}

type DecodedState = ReturnType<typeof decodeState>;

/** One literal of all fields: spreading one into another took nearly three times as long. */
function decodeState(stored: StoredPayment) {
  const { internal } = stored;
  const { requestedMethod, expiresInS, attempts = null } = internal;
  return {
    id: stored.id,
    version: internal.version,
    merchantId: internal.merchantId,
    environment: stored.environment,
    status: internal.isCreating === true ? ('creating' as const) : stored.status,
    request: field.decodeRequest(stored, requestedMethod, expiresInS),
    fingerprint: internal.fingerprint ?? null,
    attempts: attempts?.map((attempt, index) => decodeAttempt(attempt, index, stored)) ?? [],
    nextRails: internal.nextRails ?? [],
    railTransactions: internal.railTransactions?.map(parseAmountOf) ?? [],
    refunds: internal.refunds?.map(decodeRefund) ?? [],
    cancelRequest: internal.cancelRequest ?? null,
    expiryRequestedAtMs: internal.expiryRequestedAtMs ?? null,
    methodChange: internal.methodChange ?? null,
    capture: internal.capture ?? null,
    failureCode: stored.failure_code ?? null,
    isLate: stored.late ?? false,
    createdAtMs: Date.parse(stored.created_at),
    expiresAtMs: Date.parse(stored.expires_at),
    paidAtMs: parseTime(stored.paid_at),
    failedAtMs: parseTime(stored.failed_at),
    cancelledAtMs: parseTime(stored.cancelled_at),
    refundedAtMs: parseTime(stored.refunded_at),
    erasedAtMs: internal.erasedAtMs ?? null,
  };
}

function parseTime(time: string | null = null): number | null {
  return time === null ? null : Date.parse(time);
}

/** Attempts are in their order, so that their numbers are not stored. */
function decodeAttempt(
  attempt: Static<typeof StoredAttempt>,
  index: number,
  { order_id: shownOrderId }: StoredPayment,
): Attempt {
  const orderId = attempt.orderId ?? shownOrderId ?? null;
  if (orderId === null) throw new TypeError('snapshot is malformed: "/order_id" is missing');
  return {
    number: index + 1,
    orderId,
    rail: attempt.rail,
    method: attempt.method ?? null,
    status: attempt.status,
    isUnconfirmed: attempt.isUnconfirmed ?? false,
    railReference: attempt.railReference ?? null,
    instructions: attempt.instructions ?? null,
  };
}

function encodeRefund(refund: Refund): Static<typeof StoredRefund> {
  return {
    id: refund.id,
    origin: refund.origin === 'merchant' ? undefined : refund.origin,
    status: refund.status,
    amountMinor: formatAmount(refund.amountMinor),
    requestedMinor: refund.requestedMinor?.toString(),
    reason: refund.reason ?? undefined,
    referenceId: refund.referenceId ?? undefined,
    externalReference: refund.externalReference ?? undefined,
    createdAtMs: refund.createdAtMs,
    askedAtMs: refund.askedAtMs ?? undefined,
    completedAtMs: refund.completedAtMs ?? undefined,
    isLeftPending: trueOrNothing(refund.isLeftPending),
    isContradicted: trueOrNothing(refund.isContradicted),
    isFailureConfirmed: trueOrNothing(refund.isFailureConfirmed),
    isPaidByRail: trueOrNothing(isReported(refund) && !refund.isPaidByHand),
  };
}

function decodeRefund(refund: Static<typeof StoredRefund>): Refund {
  const { requestedMinor = null } = refund;
  return {
    id: refund.id,
    origin: refund.origin ?? 'merchant',
    status: refund.status,
    amountMinor: parseDigits(refund.amountMinor),
    requestedMinor: requestedMinor === null ? null : parseDigits(requestedMinor),
    reason: refund.reason ?? null,
    referenceId: refund.referenceId ?? null,
    externalReference: refund.externalReference ?? null,
    createdAtMs: refund.createdAtMs,
    askedAtMs: refund.askedAtMs ?? null,
    completedAtMs: refund.completedAtMs ?? null,
    isLeftPending: refund.isLeftPending ?? false,
    isContradicted: refund.isContradicted ?? false,
    isFailureConfirmed: refund.isFailureConfirmed ?? false,
    isPaidByHand: isReported(refund) && refund.isPaidByRail !== true,
  };
}

/** An administrator reported the success. */
function isReported(refund: {
  readonly status: RefundStatus;
  readonly externalReference?: string | null | undefined;
}): boolean {
  return refund.status === 'succeeded' && (refund.externalReference ?? null) !== null;
}

/** Whether the payment has what its status needs, and nothing that another status needs. */
function isWhole({ status, capture, failureCode, failedAtMs, paidAtMs }: DecodedState): boolean {
  if (status === 'failed') return failureCode !== null && failedAtMs !== null;
  const isPaid = status === 'paid' || status === 'refunded';
  return (
    failureCode === null && (isPaid ? capture !== null && paidAtMs !== null : capture === null)
  );
}
