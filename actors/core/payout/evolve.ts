// Applies an event to a payout. An event out of order, or of another payout, is a bug and throws.
import { unreachable } from '../unreachable.js';
import type { PayoutEvent, PayoutRequested, PayoutSent } from './events.js';
import type { PayoutState } from './state.js';

export function evolvePayout(state: PayoutState | undefined, event: PayoutEvent): PayoutState {
  if (state === undefined) {
    if (event.type !== 'payout_requested' || event.version !== 1) throw outOfOrder(0, event);
    return createPayout(event);
  }
  if (event.payoutId !== state.id || event.version !== state.version + 1) {
    throw outOfOrder(state.version, event);
  }
  return { ...evolveExisting(state, event), version: event.version };
}

function outOfOrder(version: number, { type, payoutId, version: found }: PayoutEvent): Error {
  return new Error(`${type} ${found} of ${payoutId} does not follow version ${version}`);
}

function createPayout(event: PayoutRequested): PayoutState {
  return {
    id: event.payoutId,
    version: 1,
    merchantId: event.merchantId,
    environment: event.environment,
    request: event.request,
    fingerprint: event.fingerprint,
    status: 'PENDING',
    rail: null,
    railReference: null,
    externalReference: null,
    failureCode: null,
    isUnresolved: false,
    contradiction: null,
    contradictionClosedAtMs: null,
    isWrittenOff: false,
    reversalReference: null,
    createdAtMs: event.atMs,
    sentAtMs: null,
    completedAtMs: null,
    failedAtMs: null,
    reversedAtMs: null,
    correctedAtMs: null,
  };
}

function evolveExisting(state: PayoutState, event: PayoutEvent): PayoutState {
  const { atMs } = event;
  switch (event.type) {
    case 'payout_requested':
      throw outOfOrder(state.version, event);
    case 'payout_sent':
      return sent(state, event);
    case 'payout_accepted':
      return { ...state, railReference: event.railReference };
    case 'payout_completed': {
      const railReference = event.railReference ?? state.railReference;
      const { externalReference } = event;
      const ended = { railReference, externalReference, isUnresolved: false };
      return { ...state, ...ended, status: 'COMPLETED', completedAtMs: atMs };
    }
    case 'payout_failed': {
      const { failureCode, externalReference } = event;
      const ended = { failureCode, externalReference, isUnresolved: false };
      return { ...state, ...ended, status: 'FAILED', failedAtMs: atMs };
    }
    case 'payout_reversed':
      return {
        ...state,
        ...closeContradiction(state, atMs),
        status: 'REVERSED',
        reversalReference: event.externalReference,
        reversedAtMs: atMs,
      };
    case 'payout_corrected': {
      const { externalReference } = event;
      const notFailed = { failureCode: null, failedAtMs: null };
      const times = { completedAtMs: atMs, correctedAtMs: atMs };
      const corrected = { ...notFailed, ...times, ...closeContradiction(state, atMs) };
      return { ...state, ...corrected, status: 'COMPLETED', externalReference };
    }
    case 'payout_made_manual':
      return { ...state, status: 'MANUAL_REQUIRED', isUnresolved: false };
    case 'payout_left_unresolved':
      return { ...state, isUnresolved: true };
    case 'payout_contradicted':
      return { ...state, contradiction: event.result, contradictionClosedAtMs: null };
    default:
      return unreachable(event);
  }
}

function sent(state: PayoutState, { rail, atMs }: PayoutSent): PayoutState {
  return { ...state, status: 'PROCESSING', rail, sentAtMs: atMs, isUnresolved: false };
}

/** A contradiction of the rail is closed. */
function closeContradiction(
  { contradiction, contradictionClosedAtMs: earlier }: PayoutState,
  atMs: number,
) {
  return { contradictionClosedAtMs: contradiction === null ? null : (earlier ?? atMs) };
}
