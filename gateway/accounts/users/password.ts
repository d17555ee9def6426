// Changing the password in a session, and requesting a mailed link to choose a new one.
import { changePassword as storeChange } from '#store/postgres/accounts/passwords.js';
import { createMailedLink } from '#store/postgres/accounts/one-time-links.js';
import { findLogin } from '#store/postgres/accounts/users.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams, OpenRequest, SessionRequest } from '#gateway/routing/request.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { provePassword } from '#gateway/auth/prove-password.js';
import { makeLink, normalizeEmail, checkPassword } from './register.js';
import type { ChangePasswordRequest, ResetRequest } from './schema.js';

const RESET_MS = 60 * 60_000;

/** Returns 204 and ends every other session of the user. */
export async function changePassword(
  deps: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, ChangePasswordRequest>,
): Promise<Answer> {
  const { email, userId, id: keep } = session;
  const error = checkPassword(email, body.password);
  if (error !== undefined) return error;
  const proven = await provePassword(deps, session, body.current_password, address);
  if ('code' in proven) return proven;
  proven.attempt.refund();
  const { language } = proven.user;
  const newHash = await deps.hasher.hash(body.password, address, userId);
  const mail = deps.compose({ kind: 'password_changed', recipient: email, language });
  const change = { userId, oldHash: proven.passwordHash, newHash, keep, mail };
  if (!(await storeChange(deps.accounts, { userId, address }, change))) {
    return buildApiError('state_conflict', {
      message: 'The password was changed by another request meanwhile.',
    });
  }
  deps.nudgeMailer();
  return reply(204, '', proven.attempt.headers);
}

/**
 * Returns 204 before the mail is written, so that neither the answer nor its time reveals whether the address is
 * registered. If writing the mail fails, the user gets none and has to request it again.
 */
export function requestReset(
  deps: AccountDeps,
  { body, address }: OpenRequest<NoParams, ResetRequest>,
): Answer {
  const email = normalizeEmail(body.email);
  if (deps.throttle.takeReset(email, address)) {
    deps.background.begin('reset_mail', () => mailLink(deps, email, address));
  }
  return reply(204, '');
}

async function mailLink(deps: AccountDeps, email: string, address: string): Promise<void> {
  const [user] = await findLogin(deps.accounts, email);
  if (user === undefined) return;
  const { token, link } = makeLink(deps.nowMs(), RESET_MS);
  const { language } = user;
  const mail = deps.compose({ kind: 'reset', recipient: email, language, token });
  await createMailedLink(deps.accounts, {
    userId: user.id,
    purpose: 'reset',
    link,
    mail,
    address,
  });
  deps.nudgeMailer();
}
