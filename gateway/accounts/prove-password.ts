// Before something of weight is done in a session, its user proves the password again: guesses count as logins.
import { findLogin, type LoginRow } from '#store/postgres/accounts/users.js';
import type { Session } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { LoginAttempt } from '../limits/login-throttle.js';
import { type AccountDeps, queryAccounts } from './account-deps.js';

export interface ProvenPassword {
  readonly user: LoginRow;
  readonly passwordHash: string;
  /** To be given back when all is proven. */
  readonly attempt: LoginAttempt;
}

const WRONG = buildApiError('field_invalid', {
  message: 'current_password is wrong.',
  param: 'current_password',
});

export async function provePassword(
  parts: AccountDeps,
  { email }: Session,
  password: string,
  address: string,
): Promise<ProvenPassword | ApiError> {
  const attempt = parts.throttle.take(email, address);
  if (attempt.error !== undefined) return attempt.error;
  const [user] = await queryAccounts(parts, (sql) => findLogin(sql, email));
  const passwordHash = user?.passwordHash ?? null;
  const isRight = await parts.hasher.verify(passwordHash, password);
  if (!isRight || user === undefined || passwordHash === null) return WRONG;
  return { user, passwordHash, attempt };
}
