// The rights that a user needs to see the secret of a key, new or rolled, and the mail that tells the owners.
//
// A key has no scope that its maker's role lacks. A key that could reach LIVE money (LIVE, or with the scope `payouts`)
// also needs a code of the maker's second factor, and each owner gets a mail.
import type { Scope } from '#actors/core/api-key.js';
import type { Environment, KeyId } from '#actors/core/ids.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import { listOwners } from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import { proveSecondFactor, type StepUp } from '../accounts/step-up.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import { listExcessScopes } from '../routing/roles.js';
import type { MerchantSession } from '../routing/session-route.js';

export interface KeyRights {
  readonly environment: Environment;
  /** As stored: empty means read and write. */
  readonly scopes: readonly Scope[];
}

export interface MakerOfKey extends StepUp {
  readonly session: MerchantSession;
}

const DEFAULT_SCOPES: readonly Scope[] = ['read', 'write'];

const listScopes = ({ scopes }: KeyRights): readonly Scope[] =>
  scopes.length === 0 ? DEFAULT_SCOPES : scopes;

const isSensitive = (rights: KeyRights): boolean =>
  rights.environment === 'LIVE' || rights.scopes.includes('payouts');

/** Returns undefined if the user may have the secret of such a key; a code of the second factor is used up then. */
export async function checkKeyRights(
  deps: AccountDeps,
  maker: MakerOfKey,
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
  { session, address }: MakerOfKey,
  key: KeyRights & { readonly id: KeyId },
): Promise<readonly Mail[]> {
  if (!isSensitive(key)) return [];
  const { merchantId, email: maker } = session;
  const [merchant] = await findMerchant(deps.accounts, merchantId);
  const owners = await listOwners(deps.accounts, merchantId);
  const fields = { id: key.id, environment: key.environment, scopes: listScopes(key) };
  return owners.map(({ email, language }) =>
    deps.compose({
      ...{ kind: 'key_made', recipient: email, language },
      ...{ businessName: merchant?.businessName ?? '', key: { ...fields, maker, address } },
    }),
  );
}
