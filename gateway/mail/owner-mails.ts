// The mails to the owners of a merchant about a change that a stolen session could make. The statement of the change inserts
// them, so that none is lost. The owners are those before the change: one who is removed learns of it too.
import type { MerchantId } from '#actors/core/ids.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import { listOwners } from '#store/postgres/accounts/users.js';
import type { Postgres } from '#store/postgres/client.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import type { Compose } from './compose.js';
import type { KeyFields, ProtectedChangeFields } from './mail-text.js';
import { chooseMailName } from './merchant-name.js';

export interface OwnerMailDeps {
  readonly accounts: Postgres;
  readonly compose: Compose;
}

export type OwnerMail =
  | { readonly kind: 'key_made'; readonly key: KeyFields }
  | { readonly kind: 'protected_change'; readonly protectedChange: ProtectedChangeFields };

/** One mail for each owner who has proven the address, in the language of each. */
export async function composeOwnerMails(
  { accounts, compose }: OwnerMailDeps,
  merchantId: MerchantId,
  mail: OwnerMail,
): Promise<readonly Mail[]> {
  const [merchant] = await findMerchant(accounts, merchantId);
  const businessName = chooseMailName(merchant);
  const owners = await listOwners(accounts, merchantId);
  return owners.map(({ email: recipient, language }) =>
    compose({ ...mail, recipient, language, businessName }),
  );
}

/** In a session of the merchant. */
export interface ChangeMaker {
  readonly session: { readonly merchantId: MerchantId; readonly email: string };
  /** The IP address of the request. */
  readonly address: string;
}

export const composeChangeMails = (
  deps: OwnerMailDeps,
  { session: { merchantId, email: maker }, address }: ChangeMaker,
  { change, subject }: Pick<ProtectedChangeFields, 'change' | 'subject'>,
): Promise<readonly Mail[]> => {
  const protectedChange = { change, subject, maker, address };
  return composeOwnerMails(deps, merchantId, { kind: 'protected_change', protectedChange });
};
