// The second factor: time-based codes (RFC 6238; SHA-1, 6 digits, 30 s, which every authenticator app supports). A
// code is accepted one step before and after its time, and only once. Logins need one after the factor is confirmed.
import { Secret, TOTP } from 'otpauth';
import type { UserId } from '#actors/core/ids.js';
import { openSecret, sealSecret } from '#ops/runtime/sealed-secrets.js';
import {
  confirmTotp as storeConfirmation,
  findTotp,
  removeTotp as removeStored,
  setTotpSecret,
  consumeTotpStep,
} from '#store/postgres/accounts/passwords.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import type { AccountDeps } from './account-deps.js';
import { provePassword } from './prove-password.js';
import type { ConfirmTotpRequest, RemoveTotpRequest } from './schema.js';

const STEP_MS = 30_000;
const SECRET_BYTES = 20;

const WRONG_CODE = buildApiError('field_invalid', {
  message: 'code is wrong or was already used.',
  param: 'code',
});
const ALREADY_ENABLED = buildApiError('state_conflict', {
  message: 'A second factor is already set up.',
});
const NOT_STARTED = buildApiError('state_conflict', {
  message: 'No second factor is being set up.',
});

/** Returns the code's time step since the epoch; undefined if it matches none within one step of now. */
function findStep(secret: string, code: string, nowMs: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / STEP_MS) + delta;
}

/** Returns whether the code is right, and marks it as used. */
export async function consumeCode(
  deps: AccountDeps,
  userId: UserId,
  sealedSecret: string,
  code: string,
): Promise<boolean> {
  const secret = openSecret(deps.secretsKeys, userId, sealedSecret);
  const step = findStep(secret, code, deps.nowMs());
  return step !== undefined && consumeTotpStep(deps.accounts, userId, step);
}

/** Returns 201 with an unconfirmed secret, or 409 if a second factor is already confirmed. */
export async function setUpTotp(deps: AccountDeps, { session }: SessionRequest): Promise<Answer> {
  const secret = new Secret({ size: SECRET_BYTES });
  const sealed = sealSecret(deps.secretsKeys, session.userId, secret.base32);
  if (!(await setTotpSecret(deps.accounts, session.userId, sealed))) return ALREADY_ENABLED;
  const totp = new TOTP({ issuer: deps.brand, label: session.email, secret });
  return reply(201, JSON.stringify({ secret: secret.base32, otpauth_url: totp.toString() }));
}

/** Returns 204; logins need a code from now on. */
export async function confirmTotp(
  deps: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, ConfirmTotpRequest>,
): Promise<Answer> {
  const { userId, email } = session;
  const attempt = deps.throttle.take(email, address);
  if (attempt.error !== undefined) return attempt.error;
  const [stored] = await findTotp(deps.accounts, userId);
  const sealed = stored?.sealedSecret ?? null;
  if (stored?.isConfirmed === true) return ALREADY_ENABLED;
  if (sealed === null) return NOT_STARTED;
  const secret = openSecret(deps.secretsKeys, userId, sealed);
  const step = findStep(secret, body.code, deps.nowMs());
  if (step === undefined) return WRONG_CODE;
  attempt.refund();
  const isDone = await storeConfirmation(deps.accounts, userId, sealed, step);
  return isDone ? reply(204, '', attempt.headers) : ALREADY_ENABLED;
}

/** Returns 204; needs the password and a code. */
export async function removeTotp(
  deps: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, RemoveTotpRequest>,
): Promise<Answer> {
  const proven = await provePassword(deps, session, body.current_password, address);
  if ('code' in proven) return proven;
  if (proven.user.totpSecret === null) return NOT_STARTED;
  const isRight = await consumeCode(deps, session.userId, proven.user.totpSecret, body.code);
  if (!isRight) return WRONG_CODE;
  proven.attempt.refund();
  await removeStored(deps.accounts, session.userId);
  return reply(204, '', proven.attempt.headers);
}
