// The rights that a user needs to see the secret of a key, new or rolled, and the mail that tells the owners.
//
// A key has no scope that its maker's role lacks. A key that could reach LIVE money (LIVE, or with the scope `payouts`)
// also needs a code of the maker's second factor, and each owner gets a mail.
import type { Scope } from '#actors/core/api-key.js';
import type { Environment, KeyId } from '#actors/core/ids.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { type MerchantStepUp, proveSecondFactor } from '#gateway/auth/step-up.js';
import { disarm } from '#gateway/mail/compose.js';
import {
  type ChangeMaker,
  composeChangeMails,
  composeOwnerMails,
} from '#gateway/mail/owner-mails.js';
import { type ApiError, buildApiError } from '#gateway/routing/response.js';
import { listExcessScopes } from '#gateway/routing/roles.js';

export interface KeyRights {
  readonly environment: Environment;
  /** As stored: empty means read and write. */
  readonly scopes: readonly Scope[];
}

const DEFAULT_SCOPES: readonly Scope[] = ['read', 'write'];

const listScopes = ({ scopes }: KeyRights): readonly Scope[] =>
  scopes.length === 0 ? DEFAULT_SCOPES : scopes;

const isSensitive = (rights: KeyRights): boolean =>
  rights.environment === 'LIVE' || rights.scopes.includes('payouts');

/** Returns undefined if the user may have the secret of such a key; a code of the second factor is used up then. */
export async function checkKeyRights(
  deps: AccountDeps,
  maker: MerchantStepUp,
  rights: KeyRights,
): Promise<ApiError | undefined> {
  const { role } = maker.session;
  const excess = listExcessScopes(role, listScopes(rights));
  if (excess.length > 0) {
    const message = `The role ${role} may not make or roll a key with the scope ${excess.join(', ')}.`;
    return buildApiError('role_insufficient', { message });
  }
  return isSensitive(rights) ? proveSecondFactor(deps, maker) : undefined;
}

/** The mails to the owners about a key that could reach LIVE money; none for other keys. */
export async function composeKeyMails(
  deps: AccountDeps,
  { session: { merchantId, email: maker }, address }: MerchantStepUp,
  key: KeyRights & { readonly id: KeyId },
): Promise<readonly Mail[]> {
  if (!isSensitive(key)) return [];
  const { id, environment } = key;
  const shown = { id, environment, scopes: listScopes(key), maker, address };
  return composeOwnerMails(deps, merchantId, { kind: 'key_made', key: shown });
}

/** A revocation stops payments, so the owners learn of that of a LIVE key. It needs no code: a leaked key must end at once. */
export async function composeRevocationMails(
  deps: AccountDeps,
  maker: ChangeMaker,
  { id, environment, name }: KeyRights & { readonly id: KeyId; readonly name: string | null },
): Promise<readonly Mail[]> {
  if (environment === 'TEST') return [];
  const subject = name === null ? id : `${id} (${disarm(name)})`;
  return composeChangeMails(deps, maker, { change: 'key_revoked', subject });
}
