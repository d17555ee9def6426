// Before something of weight is done in a session, its user proves the password again: guesses count as logins.
import { findLogin, type LoginRow } from '#store/postgres/accounts/users.js';
import type { Session } from '../routing/session.js';
import { type Refusal, refuse } from '../routing/response.js';
import type { Attempt } from '../limits/login-throttle.js';
import { type AccountParts, ask } from './deps.js';

export interface Proven {
  readonly user: LoginRow;
  readonly passwordHash: string;
  /** To be given back when all is proven. */
  readonly attempt: Attempt;
}

const WRONG = refuse('field_invalid', {
  message: 'current_password is wrong.',
  param: 'current_password',
});

export async function provePassword(
  parts: AccountParts,
  { email }: Session,
  password: string,
  address: string,
): Promise<Proven | Refusal> {
  const attempt = parts.throttle.take(email, address);
  if (attempt.refusal !== undefined) return attempt.refusal;
  const [user] = await ask(parts, (sql) => findLogin(sql, email));
  const passwordHash = user?.passwordHash ?? null;
  const isRight = await parts.hasher.verify(passwordHash, password);
  if (!isRight || user === undefined || passwordHash === null) return WRONG;
  return { user, passwordHash, attempt };
}
