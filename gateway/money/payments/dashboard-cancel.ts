// Cancels a payment in a session: the handler of keys, behind the checks that a key passed when it was made. The audit log
// records the user.
import type { PaymentId } from '#actors/core/ids.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import {
  admitChange,
  changeMoney,
  type EnvironmentRequest,
  findTenant,
} from '#gateway/auth/tenant-request.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import type { Answer } from '#gateway/routing/response.js';
import { cancelPayment } from './handlers.js';

/** As with a key; LIVE needs no code, because no money moves. */
export function cancelMerchantPayment(
  deps: ApiDeps & AccountDeps,
  request: EnvironmentRequest<{ readonly payment_id: PaymentId }>,
): Promise<Answer> {
  return changeMoney(deps, request, {
    details: {},
    admit: () => admitChange(deps, findTenant(request)),
    change: (ofTenant) => cancelPayment(deps, ofTenant),
  });
}
