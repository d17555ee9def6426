// Creates and cancels payouts in a session: the handlers of keys, behind the checks that a key passed when it was made. In LIVE a
// new one needs a code of the second factor (auth/step-up.ts); the repeat of a stored payout changes nothing, and needs none.
// The audit log records the user.
import { makeId, type PayoutId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { PayoutRequest } from '#actors/core/payout/state.js';
import { findPayout } from '#store/postgres/payouts/list-payouts.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import {
  admitChange,
  admitStepped,
  buildTenantRequest,
  type EnvironmentRequest,
  findTenant,
  prepareRecord,
} from '#gateway/auth/tenant-request.js';
import type { SteppedBody } from '#gateway/auth/stepped-body.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { Answer } from '#gateway/routing/response.js';
import { cancelPayout, createPayout } from './handlers.js';

type PayoutDeps = ApiDeps & AccountDeps;

export async function createMerchantPayout(
  deps: PayoutDeps,
  request: EnvironmentRequest<NoParams, SteppedBody<PayoutRequest>>,
): Promise<Answer> {
  const { amountMinor, bankCode } = request.body.request;
  const details = { amount: formatAmount(amountMinor), bank_code: bankCode };
  const record = prepareRecord(deps, request, details);
  const tenant = findTenant(request);
  const error = await admitStepped(deps, request, async (idempotencyKey) => {
    const id = makeId('po', deps.deriveIdBytes({ ...tenant, kind: 'payout', idempotencyKey }));
    return (await findPayout(deps.lists, id)).length > 0;
  });
  if (error !== undefined) return error;
  await record();
  return createPayout(deps, { ...buildTenantRequest(request), body: request.body.request });
}

/** The money returns to the balance, so LIVE needs no code. */
export async function cancelMerchantPayout(
  deps: PayoutDeps,
  request: EnvironmentRequest<{ readonly payout_id: PayoutId }>,
): Promise<Answer> {
  const record = prepareRecord(deps, request, {});
  const ofTenant = buildTenantRequest(request);
  const error = await admitChange(deps, ofTenant.credential);
  if (error !== undefined) return error;
  await record();
  return cancelPayout(deps, ofTenant);
}
