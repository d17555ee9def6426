// The second factor: time-based codes (RFC 6238, SHA-1, 6 digits, 30 s: what every app knows). A code is good one
// step before and after its time, and once. It counts from its confirmation on.
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
import { type AccountDeps, queryAccounts } from './account-deps.js';
import { provePassword } from './prove-password.js';
import type { ConfirmTotpRequest, RemoveTotpRequest } from './schema.js';

const STEP_MS = 30_000;
const SECRET_BYTES = 20;

const WRONG_CODE = buildApiError('field_invalid', {
  message: 'code is wrong, or was used.',
  param: 'code',
});
const ALREADY_ENABLED = buildApiError('state_conflict', {
  message: 'A second factor is set up already.',
});
const NOT_STARTED = buildApiError('state_conflict', {
  message: 'No second factor is being set up.',
});

/** The step that a code is of, counted from the epoch; undefined: it is of none near. */
function findStep(secret: string, code: string, nowMs: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / STEP_MS) + delta;
}

/** Whether the code is right; it is then used up. */
export async function consumeCode(
  parts: AccountDeps,
  userId: UserId,
  sealedSecret: string,
  code: string,
): Promise<boolean> {
  const secret = openSecret(parts.secretsKeys, userId, sealedSecret);
  const step = findStep(secret, code, parts.nowMs());
  return step !== undefined && queryAccounts(parts, (sql) => consumeTotpStep(sql, userId, step));
}

/** 201 with a secret, which counts once it is confirmed; 409 when one is confirmed. */
export async function setUpTotp(parts: AccountDeps, { session }: SessionRequest): Promise<Answer> {
  const secret = new Secret({ size: SECRET_BYTES });
  const sealed = sealSecret(parts.secretsKeys, session.userId, secret.base32);
  if (!(await queryAccounts(parts, (sql) => setTotpSecret(sql, session.userId, sealed))))
    return ALREADY_ENABLED;
  const totp = new TOTP({ issuer: parts.brand, label: session.email, secret });
  return reply(201, JSON.stringify({ secret: secret.base32, otpauth_url: totp.toString() }));
}

/** 204; logins need a code from now on. */
export async function confirmTotp(
  parts: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, ConfirmTotpRequest>,
): Promise<Answer> {
  const { userId, email } = session;
  const attempt = parts.throttle.take(email, address);
  if (attempt.error !== undefined) return attempt.error;
  const [stored] = await queryAccounts(parts, (sql) => findTotp(sql, userId));
  const sealed = stored?.sealedSecret ?? null;
  if (stored?.isConfirmed === true) return ALREADY_ENABLED;
  if (sealed === null) return NOT_STARTED;
  const secret = openSecret(parts.secretsKeys, userId, sealed);
  const step = findStep(secret, body.code, parts.nowMs());
  if (step === undefined) return WRONG_CODE;
  attempt.refund();
  const isDone = await queryAccounts(parts, (sql) => storeConfirmation(sql, userId, sealed, step));
  return isDone ? reply(204, '', attempt.headers) : ALREADY_ENABLED;
}

/** 204; needs the password and a code. */
export async function removeTotp(
  parts: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, RemoveTotpRequest>,
): Promise<Answer> {
  const proven = await provePassword(parts, session, body.current_password, address);
  if ('code' in proven) return proven;
  if (proven.user.totpSecret === null) return NOT_STARTED;
  const isRight = await consumeCode(parts, session.userId, proven.user.totpSecret, body.code);
  if (!isRight) return WRONG_CODE;
  proven.attempt.refund();
  await queryAccounts(parts, (sql) => removeStored(sql, session.userId));
  return reply(204, '', proven.attempt.headers);
}
