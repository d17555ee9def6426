// Changing a password in a session, and asking for a link to choose a new one without.
import { changePassword as storeChange } from '#store/postgres/accounts/passwords.js';
import { createResetLink } from '#store/postgres/accounts/links.js';
import { findLogin } from '#store/postgres/accounts/users.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { NoParams, OpenRequest, SessionRequest } from '../routing/request.js';
import { type AccountDeps, queryAccounts } from './account-deps.js';
import { provePassword } from './prove-password.js';
import { makeLink, normalizeEmail, checkPassword } from './register.js';
import type { ChangePasswordRequest, ResetRequest } from './schema.js';

const RESET_MS = 60 * 60_000;

/** 204; every other session of the user has ended. */
export async function changePassword(
  parts: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, ChangePasswordRequest>,
): Promise<Answer> {
  const { email, userId, id: keep } = session;
  const refusal = checkPassword(email, body.password);
  if (refusal !== undefined) return refusal;
  const proven = await provePassword(parts, session, body.current_password, address);
  if ('code' in proven) return proven;
  proven.attempt.refund();
  const { language } = proven.user;
  const newHash = await parts.hasher.hash(body.password);
  const mail = parts.compose({ kind: 'password_changed', recipient: email, language });
  const change = { userId, oldHash: proven.passwordHash, newHash, keep, mail };
  if (!(await queryAccounts(parts, (sql) => storeChange(sql, change)))) {
    return buildApiError('state_conflict', {
      message: 'The password was changed by somebody else.',
    });
  }
  parts.nudgeMailer();
  return reply(204, '', proven.attempt.headers);
}

/**
 * 204 at once, and the mail behind it: neither the answer nor its time tells whether the address is known. Who
 * gets no mail asks again.
 */
export function requestReset(
  parts: AccountDeps,
  { body }: OpenRequest<NoParams, ResetRequest>,
): Answer {
  void mailLink(parts, normalizeEmail(body.email)).catch(parts.onError);
  return reply(204, '');
}

async function mailLink(parts: AccountDeps, email: string): Promise<void> {
  // Few a quarter of an hour, wherever they are asked for from: mails are not for annoying people with.
  if (parts.throttle.take(`reset:${email}`, '').error !== undefined) return;
  const [user] = await queryAccounts(parts, (sql) => findLogin(sql, email));
  if (user === undefined) return;
  const { token, link } = makeLink(parts.nowMs(), RESET_MS);
  const { language } = user;
  const mail = parts.compose({ kind: 'reset', recipient: email, language, token });
  await queryAccounts(parts, (sql) => createResetLink(sql, user.id, link, mail));
  parts.nudgeMailer();
}
