// Checks a code of the second factor: a time-based code of the authenticator app (RFC 6238; SHA-1, 6 digits, 30 s, which every
// authenticator app supports), a recovery code, or a code that a passkey gave. A time-based code is accepted one step before and
// after its time. Each is accepted once.
import { Secret, TOTP } from 'otpauth';
import type { SessionId, UserId } from '#actors/core/ids.js';
import { openSecret } from '#ops/runtime/sealed-secrets.js';
import { consumeStepUpCode } from '#store/postgres/accounts/passkeys.js';
import { consumeRecoveryCode, consumeTotpStep } from '#store/postgres/accounts/passwords.js';
import type { AccountDeps } from './account-deps.js';
import { noteFailure } from './prove-password.js';
import { digestToken } from './tokens.js';

const STEP_MS = 30_000;
const TOTP_CODE = /^[0-9]{6}$/;

/** Returns the code's time step since the epoch; undefined if it matches none within one step of now. */
export function findStep(secret: string, code: string, nowMs: number): number | undefined {
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
