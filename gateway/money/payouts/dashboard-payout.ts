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
  changeMoney,
  type EnvironmentRequest,
  findTenant,
} from '#gateway/auth/tenant-request.js';
import type { SteppedBody } from '#gateway/auth/stepped-body.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { Answer } from '#gateway/routing/response.js';
import { cancelPayout, createPayout } from './handlers.js';

type PayoutDeps = ApiDeps & AccountDeps;

export function createMerchantPayout(
  deps: PayoutDeps,
  request: EnvironmentRequest<NoParams, SteppedBody<PayoutRequest>>,
): Promise<Answer> {
  const { request: body } = request.body;
  const tenant = findTenant(request);
  const isStored = async (idempotencyKey: string): Promise<boolean> => {
    const id = makeId('po', deps.deriveIdBytes({ ...tenant, kind: 'payout', idempotencyKey }));
    return (await findPayout(deps.lists, id)).length > 0;
  };
  return changeMoney(deps, request, {
    details: { amount: formatAmount(body.amountMinor), bank_code: body.bankCode },
    admit: () => admitStepped(deps, request, isStored),
    change: (ofTenant) => createPayout(deps, { ...ofTenant, body }),
  });
}

/** The money returns to the balance, so LIVE needs no code. */
export function cancelMerchantPayout(
  deps: PayoutDeps,
  request: EnvironmentRequest<{ readonly payout_id: PayoutId }>,
): Promise<Answer> {
  return changeMoney(deps, request, {
    details: {},
    admit: () => admitChange(deps, findTenant(request)),
    change: (ofTenant) => cancelPayout(deps, ofTenant),
  });
}
