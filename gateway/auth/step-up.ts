// Step-up: an action that could reach LIVE money needs a code of the second factor in its own request, so that a stolen
// session is not enough. A wrong code counts as a failed login.
import { findTotp } from '#store/postgres/accounts/passwords.js';
import type { Session } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { MerchantRequest, MerchantSession } from '../routing/session-route.js';
import type { AccountDeps } from './account-deps.js';
import { consumeCode } from './check-totp.js';

const NOT_ENROLLED = buildApiError('role_insufficient', {
  message:
    'This needs a second factor. Set one up first: POST /v1/auth/passkeys/options, or POST /v1/auth/totp, then POST /v1/auth/totp/confirm.',
  param: 'totp_code',
});
const CODE_REQUIRED = buildApiError('role_insufficient', {
  message:
    'totp_code is required here: the current code of your authenticator app, a recovery code, or a code of a passkey (POST /v1/auth/passkeys/challenge).',
  param: 'totp_code',
});

export interface StepUp {
  readonly session: Session;
  readonly code: string | undefined;
  readonly address: string;
  /** The field of the code, for errors. */
  readonly field?: 'totp_code' | 'code';
}

/** In a session of a merchant. */
export interface MerchantStepUp extends StepUp {
  readonly session: MerchantSession;
}

/** Call it before the first await: the address is empty once the client has disconnected. */
export function buildStepUp({
  session,
  address,
  body: { totp_code: code },
}: Pick<
  MerchantRequest<unknown, { readonly totp_code?: string }>,
  'session' | 'address' | 'body'
>): MerchantStepUp {
  return { session, address, code };
}

/** Returns undefined if the code is right; it is used up then. */
export async function proveSecondFactor(
  deps: AccountDeps,
  { session, code, address, field = 'totp_code' }: StepUp,
): Promise<ApiError | undefined> {
  const { userId, id: sessionId } = session;
  const [stored] = await findTotp(deps.accounts, userId);
  const sealed = stored?.isConfirmed === true ? stored.sealedSecret : null;
  if (stored === undefined || (sealed === null && stored.passkeys === 0)) return NOT_ENROLLED;
  if (code === undefined) return CODE_REQUIRED;
  const attempt = deps.throttle.takeInSession(session, address);
  if (attempt.error !== undefined) return attempt.error;
  if (await consumeCode(deps, { userId, sessionId, address, sealedSecret: sealed, code })) {
    attempt.refund();
    return undefined;
  }
  const message = `${field} is wrong or was already used.`;
  const { headers } = attempt;
  return buildApiError('field_invalid', { message, param: field, headers });
}
