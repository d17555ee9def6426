// Sensitive actions in a session need the password again. A wrong password counts as a failed login.
import type { UserId } from '#actors/core/ids.js';
import { noteFailedLogin } from '#store/postgres/operations/audit.js';
import { findLoginOf, type LoginRow } from '#store/postgres/accounts/users.js';
import type { Session } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { LoginAttempt } from '../limits/login-throttle.js';
import type { AccountDeps } from './account-deps.js';

/**
 * Records a failed login for the audit log without a wait: the first one of an account in an hour writes more, and those of
 * all addresses that nobody has registered share a row, so the time of an answer would tell them apart. The lock of an account
 * does not depend on it. `userId` null: nobody has registered the address.
 */
export function noteFailure(
  { accounts, background }: Pick<AccountDeps, 'accounts' | 'background'>,
  userId: UserId | null,
  address: string,
): void {
  background.begin('failed_login', () => noteFailedLogin(accounts, userId, address));
}

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
  session: Session,
  password: string,
  address: string,
): Promise<ProvenPassword | ApiError> {
  const { userId } = session;
  const attempt = deps.throttle.takeInSession(session, address);
  if (attempt.error !== undefined) return attempt.error;
  const [user] = await findLoginOf(deps.accounts, userId);
  const passwordHash = user?.passwordHash ?? null;
  const isRight = await deps.hasher.verify(passwordHash, password, address, userId);
  if (!isRight || user === undefined || passwordHash === null) {
    noteFailure(deps, userId, address);
    return WRONG;
  }
  return { user, passwordHash, attempt };
}
