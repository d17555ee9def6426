// Sets up, confirms and removes the authenticator app as a second factor (auth/check-totp.ts checks its codes), and renews the
// recovery codes. Logins need a code after the factor is confirmed. Each change of the factor ends the other sessions of the user
// and is mailed to the user.
import { Secret, TOTP } from 'otpauth';
import { openSecret, sealSecret } from '#ops/runtime/sealed-secrets.js';
import {
  confirmTotp as storeConfirmation,
  findTotp,
  removeTotp as removeStored,
  renewRecoveryCodes as storeRenewal,
  setTotpSecret,
} from '#store/postgres/accounts/passwords.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import { findUser } from '#store/postgres/accounts/users.js';
import type { NoParams, Session, SessionRequest } from '#gateway/routing/request.js';
import { buildActor } from '#gateway/auth/actor.js';
import { consumeCode, findStep } from '#gateway/auth/check-totp.js';
import { makeRecoveryCode } from '#gateway/auth/tokens.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { type ProvenPassword, provePassword } from '#gateway/auth/prove-password.js';
import type { ConfirmTotpRequest, RemoveTotpRequest, SetUpTotpRequest } from './schema.js';

const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;

const WRONG_CODE = buildApiError('field_invalid', {
  message: 'code is wrong or was already used.',
  param: 'code',
});
const PASSKEY_CODE_REQUIRED = buildApiError('role_insufficient', {
  message:
    'totp_code is required here: a recovery code, or a code of a passkey (POST /v1/auth/passkeys/challenge).',
  param: 'totp_code',
});
const WRONG_PASSKEY_CODE = buildApiError('field_invalid', {
  message: 'totp_code is wrong, has expired or was already used.',
  param: 'totp_code',
});
const ALREADY_ENABLED = buildApiError('state_conflict', {
  message: 'A second factor is already set up.',
});
const NOT_STARTED = buildApiError('state_conflict', {
  message: 'No second factor is being set up.',
});
const NOT_ENABLED = buildApiError('state_conflict', {
  message: 'No second factor is set up.',
});

/**
 * Returns 201 with an unconfirmed secret, or 409 if a second factor is already confirmed. It needs the password: otherwise a
 * stolen session could set up a factor of its own, and with it prove whatever needs one.
 */
export async function setUpTotp(
  deps: AccountDeps,
  request: SessionRequest<NoParams, SetUpTotpRequest>,
): Promise<Answer> {
  const { session, body, address } = request;
  const actor = buildActor(request);
  const proven = await provePassword(deps, session, body.current_password, address);
  if ('code' in proven) return proven;
  proven.attempt.refund();
  if (proven.user.passkeys > 0) {
    const error = await provePasskeyCode(deps, request);
    if (error !== undefined) return error;
  }
  const secret = new Secret({ size: SECRET_BYTES });
  const sealed = sealSecret(deps.secretsKeys, session.userId, secret.base32);
  if (!(await setTotpSecret(deps.accounts, actor, sealed))) return ALREADY_ENABLED;
  const totp = new TOTP({ issuer: deps.brand, label: session.email, secret });
  const shown = { secret: secret.base32, otpauth_url: totp.toString() };
  return reply(201, JSON.stringify(shown), proven.attempt.headers);
}

/** A user with passkeys has recovery codes, and gets codes by a passkey. */
async function provePasskeyCode(
  deps: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, SetUpTotpRequest>,
): Promise<ApiError | undefined> {
  const { userId, id: sessionId } = session;
  const { totp_code: code } = body;
  if (code === undefined) return PASSKEY_CODE_REQUIRED;
  const isRight = await consumeCode(deps, { userId, sessionId, address, sealedSecret: null, code });
  return isRight ? undefined : WRONG_PASSKEY_CODE;
}

/** Returns 200 with recovery codes; logins need a code from now on. */
export async function confirmTotp(
  deps: AccountDeps,
  request: SessionRequest<NoParams, ConfirmTotpRequest>,
): Promise<Answer> {
  const { session, body, address } = request;
  const actor = buildActor(request);
  const { userId } = session;
  const attempt = deps.throttle.takeInSession(session, address);
  if (attempt.error !== undefined) return attempt.error;
  const [stored] = await findTotp(deps.accounts, userId);
  const sealedSecret = stored?.sealedSecret ?? null;
  if (stored?.isConfirmed === true) return ALREADY_ENABLED;
  if (sealedSecret === null) return NOT_STARTED;
  const secret = openSecret(deps.secretsKeys, userId, sealedSecret);
  const step = findStep(secret, body.code, deps.nowMs());
  if (step === undefined) return WRONG_CODE;
  attempt.refund();
  const { texts, digests: recoveryDigests } = makeRecoveryCodes();
  const mail = await composeNotice(deps, session);
  const confirmation = { sealedSecret, step, recoveryDigests, mail };
  if (!(await storeConfirmation(deps.accounts, actor, confirmation))) return ALREADY_ENABLED;
  deps.nudgeMailer();
  return reply(200, JSON.stringify({ recovery_codes: texts }), attempt.headers);
}

/** Returns 204; needs the password and a code. */
export async function removeTotp(
  deps: AccountDeps,
  request: SessionRequest<NoParams, RemoveTotpRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const proven = await proveBoth(deps, request);
  if ('code' in proven) return proven;
  const mail = await composeNotice(deps, request.session);
  if (!(await removeStored(deps.accounts, actor, mail))) return NOT_ENABLED;
  deps.nudgeMailer();
  return reply(204, '', proven.attempt.headers);
}

/** Returns 201 with new recovery codes, which replace the former ones; needs the password and a code. */
export async function renewRecoveryCodes(
  deps: AccountDeps,
  request: SessionRequest<NoParams, RemoveTotpRequest>,
): Promise<Answer> {
  const actor = buildActor(request);
  const proven = await proveBoth(deps, request);
  if ('code' in proven) return proven;
  const { texts, digests } = makeRecoveryCodes();
  const mail = await composeNotice(deps, request.session);
  if (!(await storeRenewal(deps.accounts, actor, digests, mail))) return NOT_ENABLED;
  deps.nudgeMailer();
  return reply(201, JSON.stringify({ recovery_codes: texts }), proven.attempt.headers);
}

async function proveBoth(
  deps: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, RemoveTotpRequest>,
): Promise<ProvenPassword | ApiError> {
  const proven = await provePassword(deps, session, body.current_password, address);
  if ('code' in proven) return proven;
  const { totpSecret: sealedSecret, passkeys } = proven.user;
  if (sealedSecret === null && passkeys === 0) return NOT_ENABLED;
  const { userId, id: sessionId } = session;
  const attempt = { userId, sessionId, address, sealedSecret, code: body.code };
  if (!(await consumeCode(deps, attempt))) return WRONG_CODE;
  proven.attempt.refund();
  return proven;
}

export function makeRecoveryCodes(): { readonly texts: string[]; readonly digests: string[] } {
  const codes = Array.from({ length: RECOVERY_CODES }, makeRecoveryCode);
  return { texts: codes.map(({ text }) => text), digests: codes.map(({ digest }) => digest) };
}

/** Tells the user that a second factor was changed. */
export async function composeNotice(deps: AccountDeps, { userId, email }: Session): Promise<Mail> {
  const [user] = await findUser(deps.accounts, userId);
  const language = user?.language ?? 'id';
  return deps.compose({ kind: 'second_factor_changed', recipient: email, language });
}
