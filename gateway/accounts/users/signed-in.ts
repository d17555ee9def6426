// Tells a session who it is and what it may do, for the navigation of the dashboard.
import { findUser } from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { SessionRequest } from '#gateway/routing/request.js';
import { listPermissions } from '#gateway/routing/roles.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { viewMerchant, viewUser } from './view.js';

/** Returns 200 with the user, the merchant, the role and the permissions. */
export async function showSignedIn(
  { accounts }: AccountDeps,
  { session }: SessionRequest,
): Promise<Answer> {
  const { id, userId, merchantId, role, mustEnrol } = session;
  const [user] = await findUser(accounts, userId);
  const [merchant] = merchantId === null ? [] : await findMerchant(accounts, merchantId);
  if (user === undefined) return buildApiError('session_expired');
  const shown = {
    object: 'signed_in_user',
    session_id: id,
    user: viewUser(user),
    merchant: merchant === undefined ? null : viewMerchant(merchant),
    role,
    permissions: listPermissions(role, mustEnrol),
    second_factor_required: mustEnrol,
  };
  return reply(200, JSON.stringify(shown));
}
