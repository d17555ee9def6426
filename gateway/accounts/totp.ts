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
  takeTotpStep,
} from '#store/postgres/accounts/passwords.js';
import { type Answer, refuse, reply } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { type AccountParts, ask } from './deps.js';
import { provePassword } from './prove-password.js';
import type { ConfirmTotpRequest, RemoveTotpRequest } from './schema.js';

const STEP_MS = 30_000;
const SECRET_BYTES = 20;

const WRONG_CODE = refuse('field_invalid', {
  message: 'code is wrong, or was used.',
  param: 'code',
});
const THERE_ALREADY = refuse('state_conflict', { message: 'A second factor is set up already.' });
const NOT_THERE = refuse('state_conflict', { message: 'No second factor is being set up.' });

/** The step that a code is of, counted from the epoch; undefined: it is of none near. */
function findStep(secret: string, code: string, nowMs: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: nowMs, window: 1 });
  return delta === null ? undefined : Math.floor(nowMs / STEP_MS) + delta;
}

/** Whether the code is right; it is then used up. */
export async function takeCode(
  parts: AccountParts,
  userId: UserId,
  sealedSecret: string,
  code: string,
): Promise<boolean> {
  const secret = openSecret(parts.secretsKeys, userId, sealedSecret);
  const step = findStep(secret, code, parts.nowMs());
  return step !== undefined && ask(parts, (sql) => takeTotpStep(sql, userId, step));
}

/** 201 with a secret, which counts once it is confirmed; 409 when one is confirmed. */
export async function setUpTotp(parts: AccountParts, { session }: SessionRequest): Promise<Answer> {
  const secret = new Secret({ size: SECRET_BYTES });
  const sealed = sealSecret(parts.secretsKeys, session.userId, secret.base32);
  if (!(await ask(parts, (sql) => setTotpSecret(sql, session.userId, sealed))))
    return THERE_ALREADY;
  const totp = new TOTP({ issuer: parts.brand, label: session.email, secret });
  return reply(201, JSON.stringify({ secret: secret.base32, otpauth_url: totp.toString() }));
}

/** 204; logins need a code from now on. */
export async function confirmTotp(
  parts: AccountParts,
  { session, body, address }: SessionRequest<NoParams, ConfirmTotpRequest>,
): Promise<Answer> {
  const { userId, email } = session;
  const attempt = parts.throttle.take(email, address);
  if (attempt.refusal !== undefined) return attempt.refusal;
  const [stored] = await ask(parts, (sql) => findTotp(sql, userId));
  const sealed = stored?.sealedSecret ?? null;
  if (stored?.isConfirmed === true) return THERE_ALREADY;
  if (sealed === null) return NOT_THERE;
  const secret = openSecret(parts.secretsKeys, userId, sealed);
  const step = findStep(secret, body.code, parts.nowMs());
  if (step === undefined) return WRONG_CODE;
  attempt.giveBack();
  const isDone = await ask(parts, (sql) => storeConfirmation(sql, userId, sealed, step));
  return isDone ? reply(204, '', attempt.headers) : THERE_ALREADY;
}

/** 204; needs the password and a code. */
export async function removeTotp(
  parts: AccountParts,
  { session, body, address }: SessionRequest<NoParams, RemoveTotpRequest>,
): Promise<Answer> {
  const proven = await provePassword(parts, session, body.current_password, address);
  if ('code' in proven) return proven;
  if (proven.user.totpSecret === null) return NOT_THERE;
  const isRight = await takeCode(parts, session.userId, proven.user.totpSecret, body.code);
  if (!isRight) return WRONG_CODE;
  proven.attempt.giveBack();
  await ask(parts, (sql) => removeStored(sql, session.userId));
  return reply(204, '', proven.attempt.headers);
}
