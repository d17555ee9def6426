// Tells the administrators by mail that one of them was created, changed, disabled or enabled, also by an operator's command.
import type { AdministratorRow } from '#store/postgres/accounts/administrators.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import type { Compose } from '#gateway/mail/compose.js';
import type { AdministratorFields } from '#gateway/mail/mail-text.js';

/** One mail for each active administrator, and one for the administrator that is changed. */
export function composeChangeMails(
  compose: Compose,
  rows: readonly Pick<AdministratorRow, 'email' | 'language' | 'disabledAt'>[],
  administrator: AdministratorFields,
): Mail[] {
  return rows
    .filter(({ email, disabledAt }) => disabledAt === null || email === administrator.target)
    .map(({ email, language }) =>
      compose({ kind: 'administrator_changed', recipient: email, language, administrator }),
    );
}
