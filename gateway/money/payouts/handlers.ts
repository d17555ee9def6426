// Creates a payout: one statement claims its idempotency key and reserves its money, so that concurrent payouts never
// overdraw the balance. The rails process sends it.
import { makeId, type PayoutId } from '#actors/core/ids.js';
import type { PayoutRequest, PayoutState } from '#actors/core/payout/state.js';
import { viewPayout } from '#actors/core/payout/view.js';
import { listBalanceAccounts, viewBalance } from '#actors/core/schemas/balance.js';
import { fingerprintPayout } from '#actors/core/requests/create-payout.js';
import { classifyFailure, findUndoneReason } from '#store/postgres/classify-failure.js';
import { loadBalances } from '#store/postgres/ledger/load-balances.js';
import { digestKey } from '#store/postgres/payments/claim-refund-key.js';
import { applyCommand } from '#store/postgres/payouts/apply-command.js';
import { findPayout } from '#store/postgres/payouts/list-payouts.js';
import {
  type Reservation,
  buildReservedState,
  type ReserveOutcome,
  reservePayout,
} from '#store/postgres/payouts/reserve-payout.js';
import {
  type Answer,
  IDEMPOTENT_REPLAYED,
  buildApiError,
  reply,
} from '#gateway/routing/response.js';
import type { TenantRequest } from '#gateway/lists/listing.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';

const NO_PAYOUTS = buildApiError('dependency_unavailable', {
  message: 'Payouts are not taken at the moment. Nothing was done; try again later.',
  retryAfterSeconds: 60,
});

/** 201 created, 200 repeated, 409, 503, 504. */
export async function createPayout(
  deps: ApiDeps,
  request: TenantRequest<NoParams, PayoutRequest>,
): Promise<Answer> {
  const reservation = buildReservation(deps, request);
  if (!deps.isSwitchedOn('payouts')) return answerSwitchedOff(deps, reservation);
  const outcome = await reserve(deps, reservation);
  switch (outcome) {
    case 'created':
      return reply(201, serializePayout(buildReservedState(reservation)));
    case 'replayed':
    case 'unknown':
      return answerStored(deps, reservation, outcome);
    case 'balance_insufficient':
      return answerTooLow(deps, reservation);
    default:
      return buildApiError(outcome);
  }
}

/** Nothing is reserved: the balance is read for the message only, and may have changed since. */
async function answerTooLow({ lists, onError }: ApiDeps, { payout }: Reservation): Promise<Answer> {
  const { merchantId, environment, request } = payout;
  const accounts = listBalanceAccounts(merchantId, environment);
  const balances = await loadBalances(lists, accounts).catch((error: unknown) => {
    onError(error);
    return undefined;
  });
  if (balances === undefined) return buildApiError('balance_insufficient');
  const { data } = viewBalance(merchantId, environment, balances);
  const available = data.find(({ currency }) => currency === request.currency)?.available ?? '0';
  const message = /^(-|0$)/.test(available)
    ? `The available balance is ${available}; payouts work when it is above 0.`
    : `amount must be at most ${available}, the available balance.`;
  return buildApiError('balance_insufficient', { message, param: 'amount' });
}

/** 200; 409 when it was sent or has ended; another merchant's or the other environment's id returns 404. */
export async function cancelPayout(
  deps: ApiDeps,
  { credential, params }: TenantRequest<{ payout_id: PayoutId }>,
): Promise<Answer> {
  const id = params.payout_id;
  const [found] = await findPayout(deps.lists, id);
  const isOwn =
    found?.merchantId === credential.merchantId && found.environment === credential.environment;
  if (!isOwn) return buildApiError('payout_not_found');
  const command = { type: 'cancel', externalReference: null } as const;
  const context = { nowMs: Date.now(), dueInMs: () => null };
  const { outcome, state } = await applyCommand(deps.lists, id, command, context);
  if (outcome === 'overtaken' || state === undefined) return buildApiError('overloaded');
  if (outcome === 'done' || outcome === 'unchanged') return reply(200, serializePayout(state));
  return buildApiError('state_conflict', {
    currentStatus: state.status,
    requiredStatus: 'PENDING',
  });
}

const serializePayout = (state: PayoutState): string => JSON.stringify(viewPayout(state));

function buildReservation(
  deps: ApiDeps,
  { credential, idempotencyKey, body }: TenantRequest<NoParams, PayoutRequest>,
): Reservation {
  const { merchantId, environment } = credential;
  const rest = { merchantId, environment, request: body, fingerprint: fingerprintPayout(body) };
  const nowMs = Date.now();
  if (idempotencyKey === undefined) {
    return { payout: { payoutId: makeId('po', generateIdBytes()), ...rest }, key: null, nowMs };
  }
  const scope = { merchantId, environment, kind: 'payout', idempotencyKey } as const;
  const payoutId = makeId('po', deps.deriveIdBytes(scope));
  return { payout: { payoutId, ...rest }, key: digestKey(idempotencyKey), nowMs };
}

type Reserved = ReserveOutcome | 'overloaded' | 'dependency_unavailable' | 'unknown';

/** 503 only when it is certain that nothing was stored; otherwise the outcome is unknown. */
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

/** Reads the payout after a repeat, or after the outcome of the statement was lost. */
async function answerStored(
  deps: ApiDeps,
  { payout, key }: Reservation,
  outcome: 'replayed' | 'unknown',
): Promise<Answer> {
  const { payoutId } = payout;
  const [state] = await findPayout(deps.lists, payoutId).catch((error: unknown) => {
    deps.onError(error);
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

/** The kill switch stops new payouts only: the repeat of a stored one returns it. */
async function answerSwitchedOff(deps: ApiDeps, { payout, key }: Reservation): Promise<Answer> {
  if (key === null) return NO_PAYOUTS;
  const [state] = await findPayout(deps.lists, payout.payoutId);
  return state === undefined ? NO_PAYOUTS : answerRepeat(state, payout.fingerprint);
}

function buildUnknownError(payoutId: PayoutId): Answer {
  const message = `The outcome is not known yet. Read ${payoutId}, or repeat with the same Idempotency-Key.`;
  return buildApiError('outcome_unknown', { message, payoutId });
}
