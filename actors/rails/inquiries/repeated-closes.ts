// Closes that an inquiry repeats. Pure. A close can be lost, or refused for the moment, and its order then stays payable
// although its payment has ended or moved on. So an inquiry that finds such an order open has it closed again, until the
// rail says that it is closed or the order's inquiries end, a day after its own expiry. Rails close an order once, however
// often they are asked; a charge is never repeated. An order that nobody can be shown how to pay is closed in the same way.
import { deriveIdBody } from '#actors/core/ids.js';
import type { CloseCall } from '#actors/core/payment/rail-calls.js';
import {
  type Attempt,
  isEndRequested,
  isOpen,
  type PaymentState,
} from '#actors/core/payment/state.js';
import { encodeRailCall } from '#actors/core/payment/wire/rail-call.js';
import type { ClosePurpose } from '#actors/core/statuses.js';
import type { NewClose } from '#store/postgres/rails/inquiries.js';
import type { OpenCall } from './inquiry-result.js';

/** Before each repeat; the last one stays. The rail's own pauses come on top (circuit-breaker.ts). */
const PAUSES_S = [0, 5, 15, 60, 300, 900, 3_600];

export interface InquiredClose {
  readonly state: PaymentState;
  readonly attempt: Attempt;
  readonly railReference: string | null;
  /** Calls without an answer, of any order of the payment. */
  readonly calls: readonly OpenCall[];
  /** How often inquiries had the order closed again. */
  readonly closes: number;
  /** The latest of these closes has not been made yet. */
  readonly isCloseDue: boolean;
  readonly nowMs: number;
  readonly inquireUntilMs: number;
}

export interface RepeatedClose {
  readonly call: CloseCall;
  /** Only if this close has no answer yet: its own answer may drop the request. null: in any case. */
  readonly onlyWithout: string | null;
  readonly inMs: number;
}

export function describeClose({ call, inMs, onlyWithout }: RepeatedClose): NewClose {
  return { id: call.id, rail: call.rail, request: encodeRailCall(call), inMs, onlyWithout };
}

/** Returns null when the open order is wanted, or a close is under way. `isUnusable`: nobody can be shown how to pay it. */
export function planRepeatedClose(order: InquiredClose, isUnusable = false): RepeatedClose | null {
  const { attempt, calls, closes, isCloseDue, nowMs, inquireUntilMs } = order;
  const closing = calls.filter(
    ({ call }) => call.operation === 'close' && call.orderId === attempt.orderId,
  );
  const isUnderWay = isCloseDue || closing.some(({ isGivenUp }) => !isGivenUp);
  if (isUnderWay || nowMs >= inquireUntilMs) return null;
  const lost = closing.at(-1);
  const purpose = isUnusable ? 'supersede' : findPurpose(order, lost);
  if (purpose === null) return null;
  const isDroppable = purpose === 'cancel' || purpose === 'switch';
  return {
    call: buildClose(order, purpose),
    onlyWithout: isDroppable ? (lost?.id ?? null) : null,
    inMs: Number(PAUSES_S[closes] ?? PAUSES_S.at(-1)) * 1000,
  };
}

/**
 * The purpose of closing the order; null: it is wanted. A charging attempt learns first that it was accepted, and its
 * payment then closes it by itself. An inquiry that is behind may find a settled order open.
 */
function findPurpose(
  { state, attempt }: InquiredClose,
  lost: OpenCall | undefined,
): ClosePurpose | null {
  if (attempt.status === 'charging' || attempt.status === 'settled') return null;
  if (!isOpen(state) || attempt.status !== 'open') return 'supersede';
  if (state.expiryRequestedAtMs !== null) return 'expire';
  const isRequested = isEndRequested(state) || state.methodChange !== null;
  return isRequested && lost?.call.operation === 'close' ? lost.call.purpose : null;
}

export function buildClose(
  { state, attempt, railReference, closes }: InquiredClose,
  purpose: ClosePurpose,
): CloseCall {
  const { rail, orderId } = attempt;
  const id = `call_${deriveIdBody(`close:${orderId}:${closes}`)}`;
  return { id, operation: 'close', paymentId: state.id, rail, orderId, purpose, railReference };
}
