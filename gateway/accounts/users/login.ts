// Login. Neither the answer nor its time reveals whether an address is registered. The password is checked against one user:
// the one who verified the address, or else the latest one that registered with it. Without one it is checked against a dummy
// hash, so that every login costs one hash. It is done in one turn with the query before it, so that a login that is refused
// because too many wait costs neither.
import { makeId, type PasskeyId } from '#actors/core/ids.js';
import { createSession, type SessionDevice } from '#store/postgres/accounts/sessions.js';
import { findLogin, findUser, type LoginRow } from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { SESSION_MS } from '#gateway/auth/check-session.js';
import { makeSessionToken } from '#gateway/auth/tokens.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import {
  type Answer,
  type ApiError,
  buildApiError,
  type HeaderPair,
  reply,
} from '#gateway/routing/response.js';
import type { NoParams, OpenRequest } from '#gateway/routing/request.js';
import type { LoginAttempt } from '#gateway/limits/login-throttle.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { beginAssertion, finishAssertion } from './passkey-ceremonies.js';
import { noteFailure } from '#gateway/auth/prove-password.js';
import { normalizeEmail } from './register.js';
import type { LoginRequest } from './schema.js';
import { consumeCode } from '#gateway/auth/check-totp.js';
import { viewMerchant, viewUser } from './view.js';

/** Returns 200 with a session, 401 `login_failed`, or 429. */
export async function logIn(
  deps: AccountDeps,
  request: OpenRequest<NoParams, LoginRequest>,
): Promise<Answer> {
  const { address, body } = request;
  const email = normalizeEmail(body.email);
  const device = deps.deviceCookie.find(request.cookies, email);
  const attempt = deps.throttle.take(email, address, device);
  if (attempt.error !== undefined) return attempt.error;
  const { user, isRight } = await deps.hasher.inTurn(
    address,
    async (verify) => {
      const [found] = await findLogin(deps.accounts, email);
      return { user: found, isRight: await verify(found?.passwordHash ?? null, body.password) };
    },
    device,
  );
  const passwordHash = user?.passwordHash ?? null;
  if (!isRight || user === undefined || passwordHash === null) {
    noteFailure(deps, user?.id ?? null, address);
    return buildLoginError(attempt);
  }
  const proof = await proveFactor(deps, user, { body, address, attempt });
  if ('code' in proof) return proof;
  const { passkeyId } = proof;
  const login = { user, passwordHash, address, attempt, passkeyId };
  const { cookie: wantsCookie = false, device: place = null } = body;
  return beginSession(deps, { ...login, wantsCookie, place });
}

function buildLoginError({ headers }: LoginAttempt): ApiError {
  return buildApiError('login_failed', { headers });
}

interface SecondStep {
  readonly body: LoginRequest;
  readonly address: string;
  readonly attempt: LoginAttempt;
}

interface FactorProof {
  /** null: proven without a passkey, or the user has no second factor. */
  readonly passkeyId: PasskeyId | null;
}

/** A passkey, a code of the authenticator app or a recovery code proves the second factor. */
async function proveFactor(
  deps: AccountDeps,
  user: LoginRow,
  step: SecondStep,
): Promise<FactorProof | ApiError> {
  const { id: userId, totpSecret: sealedSecret, passkeys } = user;
  const { body, address, attempt } = step;
  const { passkey, totp_code: code } = body;
  if (sealedSecret === null && passkeys === 0) return { passkeyId: null };
  if (passkey !== undefined) return provePasskey(deps, user, { passkey, address, attempt });
  // The password was right: first steps without a code must not lock the account.
  if (code === undefined) {
    attempt.refund();
    return askForFactor(deps, user, attempt);
  }
  const codeAttempt = { userId, sessionId: null, address, sealedSecret, code };
  if (await consumeCode(deps, codeAttempt)) return { passkeyId: null };
  const message = 'The code of the second factor is wrong or was already used.';
  return buildApiError('login_failed', { message, param: 'totp_code', headers: attempt.headers });
}

async function askForFactor(
  deps: AccountDeps,
  { id: userId, totpSecret, passkeys }: LoginRow,
  { headers }: LoginAttempt,
): Promise<ApiError> {
  const param = totpSecret === null ? 'passkey' : 'totp_code';
  if (passkeys === 0) {
    const message = 'The code of the second factor is required.';
    return buildApiError('login_failed', { message, param, headers });
  }
  const message = 'A passkey is required, or totp_code.';
  const owner = { userId, purpose: 'login', sessionId: null } as const;
  const passkeyOptions = await beginAssertion(deps, owner);
  return buildApiError('login_failed', { message, param, headers, passkeyOptions });
}

async function provePasskey(
  deps: AccountDeps,
  { id: userId }: LoginRow,
  step: Omit<SecondStep, 'body'> & { readonly passkey: Readonly<Record<string, unknown>> },
): Promise<FactorProof | ApiError> {
  const { passkey, address, attempt } = step;
  const owner = { userId, purpose: 'login', sessionId: null } as const;
  const passkeyId = await finishAssertion(deps, owner, passkey);
  if (passkeyId !== undefined) return { passkeyId };
  noteFailure(deps, userId, address);
  const message = 'passkey is wrong, or its challenge has expired or was already used.';
  return buildApiError('login_failed', { message, param: 'passkey', headers: attempt.headers });
}

interface NewLogin {
  readonly user: LoginRow;
  readonly passwordHash: string;
  readonly address: string;
  readonly attempt: LoginAttempt;
  readonly passkeyId: PasskeyId | null;
  readonly wantsCookie: boolean;
  /** Named by the client; null: it named none. */
  readonly place: SessionDevice | null;
}

async function beginSession(deps: AccountDeps, login: NewLogin): Promise<Answer> {
  const { user, passwordHash, address, attempt, passkeyId, wantsCookie, place } = login;
  const { text: token, digest } = makeSessionToken();
  const expiresAt = new Date(deps.nowMs() + SESSION_MS);
  const id = makeId('ses', generateIdBytes());
  const { totpSecret, passkeys } = user;
  const checked = { passwordHash, totpSecret, passkeys, passkeyId };
  const session = { id, userId: user.id, digest, address, device: place, expiresAt, ...checked };
  const isCreated = await createSession(deps.accounts, session);
  const [shown] = await findUser(deps.accounts, user.id);
  if (!isCreated || shown === undefined) return buildLoginError(attempt);
  attempt.refund();
  const { merchantId } = user;
  const [merchant] = merchantId === null ? [] : await findMerchant(deps.accounts, merchantId);
  const body = {
    ...(wantsCookie ? {} : { token }),
    expires_at: expiresAt.toISOString(),
    user: viewUser(shown),
    merchant: merchant === undefined ? null : viewMerchant(merchant),
  };
  const cookies = wantsCookie ? buildCookies(deps, user, token) : [];
  return reply(200, JSON.stringify(body), [...attempt.headers, ...cookies]);
}

/**
 * A user who never verified the address may be a stranger who registered with it. Each login of such a one would give another
 * cookie, and with it more guesses at the password of the one who verifies it.
 */
function buildCookies(deps: AccountDeps, user: LoginRow, token: string): readonly HeaderPair[] {
  const session = deps.sessionCookie.set(token, SESSION_MS);
  return user.isVerified ? [session, deps.deviceCookie.set(user.email)] : [session];
}
