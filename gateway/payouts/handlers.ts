// A payout is asked for: one statement claims its key and takes its money from the balance, so that however many
// arrive at once, none overdraws. The rails process sends it.
import { makeId, type PayoutId } from '#actors/core/ids.js';
import type { PayoutRequest, PayoutState } from '#actors/core/payout/state.js';
import { viewPayout } from '#actors/core/payout/view.js';
import { fingerprintPayout } from '#actors/core/requests/create-payout.js';
import { classifyFailure, findUndoneReason } from '#store/postgres/classify-failure.js';
import { digestKey } from '#store/postgres/payments/claim-key.js';
import { findPayout } from '#store/postgres/payouts/list-payouts.js';
import {
  type Reservation,
  buildReservedState,
  type ReserveOutcome,
  reservePayout,
} from '#store/postgres/payouts/reserve-payout.js';
import { type Answer, IDEMPOTENT_REPLAYED, buildApiError, reply } from '../routing/response.js';
import type { KeyRequest, NoParams } from '../routing/request.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';

const NO_PAYOUTS = buildApiError('dependency_unavailable', {
  message: 'Payouts are not taken at the moment. Nothing was done; try again later.',
  retryAfterSeconds: 60,
});

/** 201 created, 200 the same payout again, 409, 503, 504. */
export async function createPayout(
  parts: ApiDeps,
  request: KeyRequest<NoParams, PayoutRequest>,
): Promise<Answer> {
  const reservation = buildReservation(parts, request);
  if (!parts.isSwitchedOn('payouts')) return answerSwitchedOff(parts, reservation);
  const outcome = await reserve(parts, reservation);
  switch (outcome) {
    case 'created':
      return reply(201, serializePayout(buildReservedState(reservation)));
    case 'replayed':
    case 'unknown':
      return answerStored(parts, reservation, outcome);
    default:
      return buildApiError(outcome);
  }
}

const serializePayout = (state: PayoutState): string => JSON.stringify(viewPayout(state));

function buildReservation(
  parts: ApiDeps,
  { credential, idempotencyKey, body }: KeyRequest<NoParams, PayoutRequest>,
): Reservation {
  const { merchantId, environment } = credential;
  const of = { merchantId, environment, request: body, fingerprint: fingerprintPayout(body) };
  const nowMs = Date.now();
  if (idempotencyKey === undefined) {
    return { payout: { payoutId: makeId('po', generateIdBytes()), ...of }, key: null, nowMs };
  }
  const scope = { merchantId, environment, kind: 'payout', idempotencyKey } as const;
  const payoutId = makeId('po', parts.deriveIdBytes(scope));
  return { payout: { payoutId, ...of }, key: digestKey(idempotencyKey), nowMs };
}

type Reserved = ReserveOutcome | 'overloaded' | 'dependency_unavailable' | 'unknown';

/** 503 only where nothing can have been kept. */
async function reserve({ lists, onError }: ApiDeps, reservation: Reservation): Promise<Reserved> {
  try {
    return await reservePayout(lists, reservation);
  } catch (error) {
    onError(error);
    const reason = findUndoneReason(error);
    if (reason !== undefined) {
      return reason === 'contended' ? 'overloaded' : 'dependency_unavailable';
    }
    const failure = classifyFailure(error);
    if (failure === 'refused' || failure === 'impossible') throw error;
    return 'unknown';
  }
}

/** Of an outcome that is not known: when it is found, nobody can tell any more whether this request made it. */
async function answerStored(
  parts: ApiDeps,
  { payout, key }: Reservation,
  outcome: 'replayed' | 'unknown',
): Promise<Answer> {
  const { payoutId } = payout;
  const [state] = await findPayout(parts.lists, payoutId).catch((error: unknown) => {
    parts.onError(error);
    return [];
  });
  if (state === undefined) {
    return outcome === 'unknown'
      ? buildUnknownError(payoutId)
      : buildApiError('dependency_unavailable', { payoutId });
  }
  return key === null
    ? reply(201, serializePayout(state))
    : answerRepeat(state, payout.fingerprint);
}

function answerRepeat(state: PayoutState, fingerprint: string): Answer {
  if (state.fingerprint !== fingerprint) return buildApiError('idempotency_conflict');
  return reply(200, serializePayout(state), [IDEMPOTENT_REPLAYED]);
}

/** The switch is about new payouts: the repeat of one that is there is answered by it. */
async function answerSwitchedOff(parts: ApiDeps, { payout, key }: Reservation): Promise<Answer> {
  if (key === null) return NO_PAYOUTS;
  const [state] = await findPayout(parts.lists, payout.payoutId);
  return state === undefined ? NO_PAYOUTS : answerRepeat(state, payout.fingerprint);
}

function buildUnknownError(payoutId: PayoutId): Answer {
  const message = `There is no answer yet. Look ${payoutId} up, or repeat with the same Idempotency-Key.`;
  return buildApiError('outcome_unknown', { message, payoutId });
}
