// Changes of money in a session: the handlers of keys, behind the checks that a key passed when it was made. Refunds and
// payouts in LIVE need a code of the second factor (auth/step-up.ts); the repeat of a stored one changes nothing, and
// needs none. The audit log records the user.
import { makeId, type PaymentId, type PayoutId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { PayoutRequest } from '#actors/core/payout/state.js';
import type { RefundRequest } from '#actors/core/requests/create-refund.js';
import { findRefund } from '#store/postgres/payments/list-refunds.js';
import { findPayout } from '#store/postgres/payouts/list-payouts.js';
import type { AccountDeps } from '../auth/account-deps.js';
import { proveSecondFactor } from '../auth/step-up.js';
import type { Owner } from '../lists/listing.js';
import type { ApiDeps } from '../commands/api-deps.js';
import { cancelPayment } from '../payments/handlers.js';
import { cancelPayout, createPayout } from '../payouts/handlers.js';
import { createRefund } from '../refunds/handlers.js';
import type { NoParams } from '../routing/request.js';
import type { Answer, ApiError } from '../routing/response.js';
import {
  admitChange,
  buildOwnerRequest,
  type EnvironmentRequest,
  findMissingKey,
  findOwner,
  prepareRecord,
} from './owner-request.js';
import type { SteppedBody } from './stepped-body.js';

export type MoneyDeps = ApiDeps & AccountDeps;

/** As with a key; LIVE needs no code, because no money moves. */
export async function cancelMerchantPayment(
  deps: MoneyDeps,
  request: EnvironmentRequest<{ readonly payment_id: PaymentId }>,
): Promise<Answer> {
  const record = prepareRecord(deps, request, {});
  const owned = buildOwnerRequest(request);
  const error = await admitChange(deps, owned.credential);
  if (error !== undefined) return error;
  await record();
  return cancelPayment(deps, owned);
}

export async function createMerchantRefund(
  deps: MoneyDeps,
  request: EnvironmentRequest<NoParams, SteppedBody<RefundRequest>>,
): Promise<Answer> {
  const { paymentId, amountMinor } = request.body.request;
  const amount = amountMinor === null ? null : formatAmount(amountMinor);
  const record = prepareRecord(deps, request, { payment_id: paymentId, amount });
  const owner = findOwner(request);
  const error = await admitStepped(deps, request, async (idempotencyKey) => {
    const id = makeId('ref', deps.deriveIdBytes({ ...owner, kind: 'refund', idempotencyKey }));
    return (await findRefund(deps.lists, id, owner)).length > 0;
  });
  if (error !== undefined) return error;
  await record();
  return createRefund(deps, { ...buildOwnerRequest(request), body: request.body.request });
}

export async function createMerchantPayout(
  deps: MoneyDeps,
  request: EnvironmentRequest<NoParams, SteppedBody<PayoutRequest>>,
): Promise<Answer> {
  const { amountMinor, bankCode } = request.body.request;
  const details = { amount: formatAmount(amountMinor), bank_code: bankCode };
  const record = prepareRecord(deps, request, details);
  const owner = findOwner(request);
  const error = await admitStepped(deps, request, async (idempotencyKey) => {
    const id = makeId('po', deps.deriveIdBytes({ ...owner, kind: 'payout', idempotencyKey }));
    return (await findPayout(deps.lists, id)).length > 0;
  });
  if (error !== undefined) return error;
  await record();
  return createPayout(deps, { ...buildOwnerRequest(request), body: request.body.request });
}

/** The money returns to the balance, so LIVE needs no code. */
export async function cancelMerchantPayout(
  deps: MoneyDeps,
  request: EnvironmentRequest<{ readonly payout_id: PayoutId }>,
): Promise<Answer> {
  const record = prepareRecord(deps, request, {});
  const owned = buildOwnerRequest(request);
  const error = await admitChange(deps, owned.credential);
  if (error !== undefined) return error;
  await record();
  return cancelPayout(deps, owned);
}

/** `isStored`: whether a request with this key already made its object, which a repeat only shows. */
async function admitStepped(
  deps: MoneyDeps,
  request: EnvironmentRequest<NoParams, SteppedBody<object>>,
  isStored: (idempotencyKey: string) => Promise<boolean>,
): Promise<ApiError | undefined> {
  const { session, address, idempotencyKey, body } = request;
  const owner: Owner = findOwner(request);
  const missing = findMissingKey(owner, idempotencyKey);
  if (missing !== undefined) return missing;
  const blocked = await admitChange(deps, owner);
  if (blocked !== undefined || owner.environment === 'TEST') return blocked;
  if (idempotencyKey !== undefined && (await isStored(idempotencyKey))) return undefined;
  return proveSecondFactor(deps, { session, address, code: body.totpCode });
}
