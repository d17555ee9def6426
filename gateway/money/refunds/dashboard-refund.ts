// Refunds a payment in a session: the handler of keys, behind the checks that a key passed when it was made. In LIVE it needs a
// code of the second factor (auth/step-up.ts); the repeat of a stored refund changes nothing, and needs none. The audit log
// records the user.
import { makeId } from '#actors/core/ids.js';
import { formatAmount } from '#actors/core/money.js';
import type { RefundRequest } from '#actors/core/requests/create-refund.js';
import { findRefund } from '#store/postgres/payments/list-refunds.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import {
  admitStepped,
  changeMoney,
  type EnvironmentRequest,
  findTenant,
} from '#gateway/auth/tenant-request.js';
import type { SteppedBody } from '#gateway/auth/stepped-body.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { Answer } from '#gateway/routing/response.js';
import { createRefund } from './handlers.js';

export function createMerchantRefund(
  deps: ApiDeps & AccountDeps,
  request: EnvironmentRequest<NoParams, SteppedBody<RefundRequest>>,
): Promise<Answer> {
  const { request: body } = request.body;
  const tenant = findTenant(request);
  const isStored = async (idempotencyKey: string): Promise<boolean> => {
    const id = makeId('ref', deps.deriveIdBytes({ ...tenant, kind: 'refund', idempotencyKey }));
    return (await findRefund(deps.lists, id, tenant)).length > 0;
  };
  const amount = body.amountMinor === null ? null : formatAmount(body.amountMinor);
  return changeMoney(deps, request, {
    details: { payment_id: body.paymentId, amount },
    admit: () => admitStepped(deps, request, isStored),
    change: (ofTenant) => createRefund(deps, { ...ofTenant, body }),
  });
}
