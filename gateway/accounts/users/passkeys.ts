// Passkeys of the logged-in user: a second factor that no page of a stranger can ask for. Each change of them ends the other
// sessions of the user and is mailed to the user. In a session a passkey gives a code that replaces `totp_code` once.
import type { PasskeyId } from '#actors/core/ids.js';
import {
  addPasskey,
  type ChallengeOwner,
  listPasskeys,
  MAX_PASSKEYS,
  type PasskeyRow,
  removePasskey as removeStored,
  renamePasskey as storeName,
  storeStepUpCode,
} from '#store/postgres/accounts/passkeys.js';
import { buildActor } from '#gateway/auth/actor.js';
import { makeRecoveryCode } from '#gateway/auth/tokens.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams, Session, SessionRequest } from '#gateway/routing/request.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import {
  beginAssertion,
  beginRegistration as beginCeremony,
  finishAssertion,
  finishRegistration as finishCeremony,
} from './passkey-ceremonies.js';
import type * as wire from './passkey-schema.js';
import { noteFailure, provePassword } from '#gateway/auth/prove-password.js';
import { proveSecondFactor } from '#gateway/auth/step-up.js';
import { composeNotice, makeRecoveryCodes } from './totp-set-up.js';

const STEP_UP_CODE_MS = 2 * 60_000;

const WRONG_ANSWER = buildApiError('field_invalid', {
  message:
    'passkey is wrong, or its challenge has expired or was already used. Ask for a new challenge.',
  param: 'passkey',
});
const ATTESTED = buildApiError('field_invalid', {
  message:
    'passkey has an attestation, or none that can be read. Create it with the options as they are: their attestation is "none".',
  param: 'passkey',
});
const KNOWN = buildApiError('state_conflict', { message: 'This passkey is registered already.' });
const FULL = buildApiError('state_conflict', {
  message: `A user has at most ${MAX_PASSKEYS} passkeys. Remove one first.`,
});
const NONE = buildApiError('state_conflict', { message: 'The user has no passkey.' });
const NOT_FOUND = buildApiError('passkey_not_found');

interface PasskeyParams {
  readonly passkey_id: PasskeyId;
}

/** Returns 201 with the options; needs the password, and a code if the user has a second factor. */
export async function beginRegistration(
  deps: AccountDeps,
  request: SessionRequest<NoParams, wire.BeginPasskeyRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const error = await proveBoth(deps, request, body);
  if (error !== undefined) return error;
  const options = await beginCeremony(deps, buildOwner(session, 'register'), session.email);
  return reply(201, JSON.stringify(options));
}

/** Returns 201 with the passkey; with recovery codes too if it is the first factor of the user. */
export async function finishRegistration(
  deps: AccountDeps,
  request: SessionRequest<NoParams, wire.RegisterPasskeyRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const made = await finishCeremony(deps, buildOwner(session, 'register'), body.passkey);
  if (made === undefined) return WRONG_ANSWER;
  if (made === 'attested') return ATTESTED;
  const passkey = { ...made, name: body.name };
  const { texts, digests: recoveryDigests } = makeRecoveryCodes();
  const mail = await composeNotice(deps, session);
  const addition = { passkey, recoveryDigests, mail };
  const result = await addPasskey(deps.accounts, buildActor(request), addition);
  if (result === 'known') return KNOWN;
  if (result === 'full') return FULL;
  deps.nudgeMailer();
  const shown = viewPasskey({ ...passkey, createdAt: new Date(deps.nowMs()), lastUsedAt: null });
  const codes = result === 'first' ? texts : [];
  return reply(201, JSON.stringify({ passkey: shown, recovery_codes: codes }));
}

/** Returns 200 with all passkeys of the user, oldest first. */
export async function showPasskeys(
  { accounts }: AccountDeps,
  { session }: SessionRequest,
): Promise<Answer> {
  const rows = await listPasskeys(accounts, session.userId);
  return reply(200, JSON.stringify({ data: rows.map(viewPasskey) }));
}

/** Returns 200 with the passkey. */
export async function renamePasskey(
  { accounts }: AccountDeps,
  request: SessionRequest<PasskeyParams, wire.RenamePasskeyRequest>,
): Promise<Answer> {
  const { session, params, body } = request;
  const id = params.passkey_id;
  if (!(await storeName(accounts, buildActor(request), id, body.name))) return NOT_FOUND;
  const row = (await listPasskeys(accounts, session.userId)).find((each) => each.id === id);
  return row === undefined ? NOT_FOUND : reply(200, JSON.stringify(viewPasskey(row)));
}

/** Returns 204; needs the password and a code. */
export async function removePasskey(
  deps: AccountDeps,
  request: SessionRequest<PasskeyParams, wire.RemovePasskeyRequest>,
): Promise<Answer> {
  const { session, params, body } = request;
  const known = await listPasskeys(deps.accounts, session.userId);
  if (!known.some(({ id }) => id === params.passkey_id)) return NOT_FOUND;
  const error = await proveBoth(deps, request, { ...body, totp_code: body.code }, 'code');
  if (error !== undefined) return error;
  const mail = await composeNotice(deps, session);
  const isRemoved = await removeStored(deps.accounts, buildActor(request), params.passkey_id, mail);
  if (!isRemoved) return NOT_FOUND;
  deps.nudgeMailer();
  return reply(204, '');
}

/** Returns 201 with the options for a step-up. */
export async function beginStepUp(deps: AccountDeps, { session }: SessionRequest): Promise<Answer> {
  const known = await listPasskeys(deps.accounts, session.userId);
  if (known.length === 0) return NONE;
  return reply(201, JSON.stringify(await beginAssertion(deps, buildOwner(session, 'step_up'))));
}

/** Returns 201 with a code that replaces one `totp_code` of this session. A wrong answer counts as a failed login. */
export async function finishStepUp(
  deps: AccountDeps,
  { session, body, address }: SessionRequest<NoParams, wire.ProvePasskeyRequest>,
): Promise<Answer> {
  const attempt = deps.throttle.takeInSession(session, address);
  if (attempt.error !== undefined) return attempt.error;
  const proven = await finishAssertion(deps, buildOwner(session, 'step_up'), body.passkey);
  if (proven === undefined) {
    noteFailure(deps, session.userId, address);
    return WRONG_ANSWER;
  }
  attempt.refund();
  const { text: code, digest } = makeRecoveryCode();
  const expiresAt = new Date(deps.nowMs() + STEP_UP_CODE_MS);
  await storeStepUpCode(deps.accounts, session.id, digest, expiresAt);
  const shown = { code, expires_at: expiresAt.toISOString() };
  return reply(201, JSON.stringify(shown), attempt.headers);
}

const buildOwner = (
  { id, userId }: Session,
  purpose: ChallengeOwner['purpose'],
): ChallengeOwner => ({ userId, purpose, sessionId: id });

/** The password, and a code of a factor if there is one: a stolen session could otherwise add a factor of its own. */
async function proveBoth(
  deps: AccountDeps,
  { session, address }: Pick<SessionRequest, 'session' | 'address'>,
  sent: wire.BeginPasskeyRequest,
  field: 'totp_code' | 'code' = 'totp_code',
): Promise<ApiError | undefined> {
  const proven = await provePassword(deps, session, sent.current_password, address);
  if ('code' in proven) return proven;
  proven.attempt.refund();
  const hasFactor = proven.user.totpSecret !== null || proven.user.passkeys > 0;
  if (!hasFactor) return undefined;
  return proveSecondFactor(deps, { session, address, code: sent.totp_code, field });
}

function viewPasskey({
  id,
  name,
  isBackedUp,
  createdAt,
  lastUsedAt,
}: Omit<PasskeyRow, 'publicKey'>) {
  return {
    id,
    object: 'passkey',
    name,
    is_synced: isBackedUp,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
  };
}
