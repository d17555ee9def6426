// The authenticator app as a second factor: time-based codes (RFC 6238; SHA-1, 6 digits, 30 s, which every authenticator app supports). A
// code is accepted one step before and after its time, and only once. Logins need one after the factor is confirmed. A
// recovery code replaces one code. Each change of the factor ends the other sessions of the user and is mailed to the user.
import { Secret, TOTP } from 'otpauth';
import type { SessionId, UserId } from '#actors/core/ids.js';
import { openSecret, sealSecret } from '#ops/runtime/sealed-secrets.js';
import {
  confirmTotp as storeConfirmation,
  consumeRecoveryCode,
  consumeTotpStep,
  findTotp,
  removeTotp as removeStored,
  renewRecoveryCodes as storeRenewal,
  setTotpSecret,
} from '#store/postgres/accounts/passwords.js';
import { consumeStepUpCode } from '#store/postgres/accounts/passkeys.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import { findUser } from '#store/postgres/accounts/users.js';
import type { NoParams, Session, SessionRequest } from '../routing/request.js';
import { buildActor } from '../auth/actor.js';
import { digestToken, makeRecoveryCode } from '../auth/tokens.js';
import type { AccountDeps } from './account-deps.js';
import { noteFailure, type ProvenPassword, provePassword } from './prove-password.js';
import type { ConfirmTotpRequest, RemoveTotpRequest, SetUpTotpRequest } from './schema.js';

const STEP_MS = 30_000;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const TOTP_CODE = /^[0-9]{6}$/;

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

/** Returns the code's time step since the epoch; undefined if it matches none within one step of now. */
function findStep(secret: string, code: string, nowMs: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / STEP_MS) + delta;
}

export interface CodeAttempt {
  readonly userId: UserId;
  /** null: of a login, in which no code of a passkey counts. */
  readonly sessionId: SessionId | null;
  /** Of the client. */
  readonly address: string;
  /** null: the user has no authenticator app. */
  readonly sealedSecret: string | null;
  readonly code: string;
}

/** Returns whether the code is right, and marks it as used. A wrong one counts as a failed login. */
export async function consumeCode(deps: AccountDeps, attempt: CodeAttempt): Promise<boolean> {
  const { userId, address } = attempt;
  const isRight = await useCode(deps, attempt);
  if (!isRight) noteFailure(deps, userId, address);
  return isRight;
}

async function useCode(
  deps: AccountDeps,
  { userId, sessionId, address, sealedSecret, code }: CodeAttempt,
): Promise<boolean> {
  if (!TOTP_CODE.test(code)) {
    const digest = digestToken(code);
    if (await consumeRecoveryCode(deps.accounts, { userId, address }, digest)) return true;
    return sessionId !== null && consumeStepUpCode(deps.accounts, sessionId, digest);
  }
  if (sealedSecret === null) return false;
  const secret = openSecret(deps.secretsKeys, userId, sealedSecret);
  const step = findStep(secret, code, deps.nowMs());
  return step !== undefined && consumeTotpStep(deps.accounts, userId, step);
}

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
