// Sensitive actions in a session need the password again. A wrong password counts as a failed login.
import { noteFailedLogin } from '#store/postgres/operations/audit.js';
import { findLoginOf, type LoginRow } from '#store/postgres/accounts/users.js';
import type { Session } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { LoginAttempt } from '../limits/login-throttle.js';
import type { AccountDeps } from './account-deps.js';

export interface ProvenPassword {
  readonly user: LoginRow;
  readonly passwordHash: string;
  /** The caller refunds it once everything is proven. */
  readonly attempt: LoginAttempt;
}

const WRONG = buildApiError('field_invalid', {
  message: 'current_password is wrong.',
  param: 'current_password',
});

export async function provePassword(
  deps: AccountDeps,
  { email, userId }: Session,
  password: string,
  address: string,
): Promise<ProvenPassword | ApiError> {
  const attempt = deps.throttle.take(email, address);
  if (attempt.error !== undefined) return attempt.error;
  const [user] = await findLoginOf(deps.accounts, userId);
  const passwordHash = user?.passwordHash ?? null;
  const isRight = await deps.hasher.verify(passwordHash, password, address);
  if (!isRight || user === undefined || passwordHash === null) {
    await noteFailedLogin(deps.accounts, userId, address);
    return WRONG;
  }
  return { user, passwordHash, attempt };
}
