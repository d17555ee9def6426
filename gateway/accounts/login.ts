// Login. Neither the answer nor its time reveals whether an address is registered. The password is checked against the user
// who verified the address, then against the latest one that only registered with it, and against a dummy hash where there
// is none: a wrong password always costs two hashes.
import { makeId } from '#actors/core/ids.js';
import { createSession } from '#store/postgres/accounts/sessions.js';
import { noteFailedLogin } from '#store/postgres/operations/audit.js';
import { findLogins, findUser, type LoginRow } from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { SESSION_MS } from '../auth/check-session.js';
import { makeSessionToken } from '../auth/tokens.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams, OpenRequest } from '../routing/request.js';
import type { LoginAttempt } from '../limits/login-throttle.js';
import type { AccountDeps } from './account-deps.js';
import { normalizeEmail } from './register.js';
import type { LoginRequest } from './schema.js';
import { consumeCode } from './totp.js';
import { viewMerchant, viewUser } from './view.js';

/** Returns 200 with a session, 401 `login_failed`, or 429. */
export async function logIn(
  deps: AccountDeps,
  request: OpenRequest<NoParams, LoginRequest>,
): Promise<Answer> {
  const { address, body } = request;
  const email = normalizeEmail(body.email);
  const attempt = deps.throttle.take(email, address);
  if (attempt.error !== undefined) return attempt.error;
  const logins = await findLogins(deps.accounts, email);
  const user = await findByPassword(deps, logins, body.password, address);
  const passwordHash = user?.passwordHash ?? null;
  if (user === undefined || passwordHash === null) {
    await noteFailedLogin(deps.accounts, logins[0]?.id ?? null, address);
    return buildLoginError(attempt);
  }
  const error = await checkSecondFactor(deps, user, { code: body.totp_code, address, attempt });
  if (error !== undefined) return error;
  return beginSession(deps, { user, passwordHash, address, attempt });
}

async function findByPassword(
  deps: AccountDeps,
  logins: readonly LoginRow[],
  password: string,
  address: string,
): Promise<LoginRow | undefined> {
  for (const isVerified of [true, false]) {
    const login = logins.find((one) => one.isVerified === isVerified);
    const isRight = await deps.hasher.verify(login?.passwordHash ?? null, password, address);
    if (isRight) return login;
  }
  return undefined;
}

function buildLoginError({ headers }: LoginAttempt): ApiError {
  return buildApiError('login_failed', { headers });
}

interface SecondStep {
  readonly code: string | undefined;
  readonly address: string;
  readonly attempt: LoginAttempt;
}

/** Returns undefined if the code is right or the user has no second factor. */
async function checkSecondFactor(
  deps: AccountDeps,
  { id, totpSecret }: LoginRow,
  { code, address, attempt }: SecondStep,
): Promise<ApiError | undefined> {
  if (totpSecret === null) return undefined;
  // The password was right: first steps without a code must not lock the account.
  if (code === undefined) attempt.refund();
  else if (await consumeCode(deps, { userId: id, address, sealedSecret: totpSecret, code })) {
    return undefined;
  }
  const message =
    code === undefined
      ? 'The code of the second factor is required.'
      : 'The code of the second factor is wrong or was already used.';
  const { headers } = attempt;
  return buildApiError('login_failed', { message, param: 'totp_code', headers });
}

interface NewLogin {
  readonly user: LoginRow;
  readonly passwordHash: string;
  readonly address: string;
  readonly attempt: LoginAttempt;
}

async function beginSession(deps: AccountDeps, login: NewLogin): Promise<Answer> {
  const { user, passwordHash, address, attempt } = login;
  const { text: token, digest } = makeSessionToken();
  const expiresAt = new Date(deps.nowMs() + SESSION_MS);
  const id = makeId('ses', generateIdBytes());
  const { totpSecret } = user;
  const session = { id, userId: user.id, digest, address, expiresAt, passwordHash, totpSecret };
  const isCreated = await createSession(deps.accounts, session);
  const [shown] = await findUser(deps.accounts, user.id);
  if (!isCreated || shown === undefined) return buildLoginError(attempt);
  attempt.refund();
  const { merchantId } = user;
  const [merchant] = merchantId === null ? [] : await findMerchant(deps.accounts, merchantId);
  const body = {
    token,
    expires_at: expiresAt.toISOString(),
    user: viewUser(shown),
    merchant: merchant === undefined ? null : viewMerchant(merchant),
  };
  return reply(200, JSON.stringify(body), attempt.headers);
}
