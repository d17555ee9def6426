// Logging in. Whether an address is known cannot be told from the answer nor from its time: unknown ones are
// checked against a password hash of nobody.
import { makeId } from '#actors/core/ids.js';
import { createSession } from '#store/postgres/accounts/sessions.js';
import { findLogin, findUser, type LoginRow } from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { SESSION_MS } from '../auth/check-session.js';
import { makeSessionToken } from '../auth/tokens.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams, OpenRequest } from '../routing/request.js';
import type { LoginAttempt } from '../limits/login-throttle.js';
import { type AccountDeps, queryAccounts } from './account-deps.js';
import { normalizeEmail } from './register.js';
import type { LoginRequest } from './schema.js';
import { consumeCode } from './totp.js';
import { viewMerchant, viewUser } from './view.js';

/** 200 with a session; 401 login_failed; 429. */
export async function logIn(
  parts: AccountDeps,
  request: OpenRequest<NoParams, LoginRequest>,
): Promise<Answer> {
  const { address, body } = request;
  const email = normalizeEmail(body.email);
  const attempt = parts.throttle.take(email, address);
  if (attempt.error !== undefined) return attempt.error;
  const [user] = await queryAccounts(parts, (sql) => findLogin(sql, email));
  const passwordHash = user?.passwordHash ?? null;
  const isRight = await parts.hasher.verify(passwordHash, body.password);
  if (!isRight || user === undefined || passwordHash === null) return buildLoginError(attempt);
  const fault = await checkSecondFactor(parts, user, body.totp_code, attempt);
  if (fault !== undefined) return fault;
  return beginSession(parts, { user, passwordHash, address, attempt });
}

function buildLoginError({ headers }: LoginAttempt): ApiError {
  return buildApiError('login_failed', { headers });
}

/** undefined: it is right, or none is asked for. */
async function checkSecondFactor(
  parts: AccountDeps,
  { id, totpSecret }: LoginRow,
  code: string | undefined,
  { headers }: LoginAttempt,
): Promise<ApiError | undefined> {
  if (totpSecret === null) return undefined;
  if (code !== undefined && (await consumeCode(parts, id, totpSecret, code))) return undefined;
  const message =
    code === undefined
      ? 'The code of the second factor is required.'
      : 'The code of the second factor is wrong, or was used.';
  return buildApiError('login_failed', { message, param: 'totp_code', headers });
}

interface NewLogin {
  readonly user: LoginRow;
  readonly passwordHash: string;
  readonly address: string;
  readonly attempt: LoginAttempt;
}

async function beginSession(parts: AccountDeps, beginning: NewLogin): Promise<Answer> {
  const { user, passwordHash, address, attempt } = beginning;
  const { text: token, digest } = makeSessionToken();
  const expiresAt = new Date(parts.nowMs() + SESSION_MS);
  const id = makeId('ses', generateIdBytes());
  const session = { id, userId: user.id, digest, address, expiresAt, passwordHash };
  const isBegun = await queryAccounts(parts, (sql) => createSession(sql, session));
  const [shown] = await queryAccounts(parts, (sql) => findUser(sql, user.id));
  if (!isBegun || shown === undefined) return buildLoginError(attempt);
  attempt.refund();
  const { merchantId } = user;
  const [merchant] =
    merchantId === null ? [] : await queryAccounts(parts, (sql) => findMerchant(sql, merchantId));
  const body = {
    token,
    expires_at: expiresAt.toISOString(),
    user: viewUser(shown),
    merchant: merchant === undefined ? null : viewMerchant(merchant),
  };
  return reply(200, JSON.stringify(body), attempt.headers);
}
