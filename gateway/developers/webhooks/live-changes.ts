// A change of a LIVE endpoint needs a code of the second factor, and the owners get a mail: a thief who re-points an endpoint
// reads the payments of its merchant, and one who has its secret signs events that the merchant's server believes. TEST
// endpoints need neither.
import type { Environment } from '#actors/core/ids.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { type MerchantStepUp, proveSecondFactor } from '#gateway/auth/step-up.js';
import type { ProtectedChange } from '#gateway/mail/mail-text.js';
import { composeChangeMails } from '#gateway/mail/owner-mails.js';
import type { ApiError } from '#gateway/routing/response.js';

export interface EndpointChangeNotice {
  readonly environment: Environment;
  readonly change: ProtectedChange;
  readonly id: string;
  /** The URLs before and after, or the only one. */
  readonly urls: readonly string[];
}

/** The mails of the change, which may be made; none for TEST. A code is used up, so that the caller checks the rest first. */
export async function admitEndpointChange(
  deps: AccountDeps,
  maker: MerchantStepUp,
  { environment, change, id, urls }: EndpointChangeNotice,
): Promise<readonly Mail[] | ApiError> {
  if (environment === 'TEST') return [];
  const error = await proveSecondFactor(deps, maker);
  if (error !== undefined) return error;
  const hosts = [...new Set(urls.map((url) => new URL(url).host))];
  const subject = `${id} (${hosts.join(' → ')})`;
  return composeChangeMails(deps, maker, { change, subject });
}
