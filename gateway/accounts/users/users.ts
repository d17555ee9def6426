// The merchant of a session and its users. A verified e-mail address belongs to one user of one merchant.
// An invitation does not reveal whether the address has an account: its user learns that by mail.
import { makeId, type UserId } from '#actors/core/ids.js';
import type { Mail } from '#store/postgres/accounts/mails.js';
import {
  changeRole as storeRole,
  findInvitationWait,
  findLogin,
  findUser,
  findUserOfMerchant,
  hasOtherOwner,
  inviteUser as storeInvitation,
  listUsers,
  MAX_USERS,
  removeUser as removeStored,
  type UserChange,
  type UserOfMerchant,
  type UserRow,
} from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { generateIdBytes } from '#ops/runtime/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import { chooseLanguage } from '#gateway/routing/visitor-language.js';
import { chooseMailName } from '#gateway/mail/merchant-name.js';
import { type MerchantRequest, UNVERIFIED } from '#gateway/routing/session-route.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { composeChangeMails } from '#gateway/mail/owner-mails.js';
import { canMoveMoney, type MerchantRole } from '#gateway/routing/roles.js';
import { makeLink, normalizeEmail } from './register.js';
import type { ChangeRoleRequest, InviteRequest, RemoveUserRequest } from './schema.js';
import { buildStepUp, type MerchantStepUp, proveSecondFactor } from '#gateway/auth/step-up.js';
import { viewMerchant, viewUser } from './view.js';

const INVITE_MS = 7 * 24 * 60 * 60_000;

const CANNOT_INVITE = buildApiError('state_conflict', {
  message: `The merchant already has a user with this address, or ${MAX_USERS} users.`,
});
const LAST_OWNER = buildApiError('state_conflict', {
  message: 'A merchant needs at least one owner.',
});
const buildMailLimitError = (retryAfterSeconds: number): ApiError =>
  buildApiError('rate_limited', {
    message:
      'Too many invitations were mailed by this merchant, or to this address. A merchant that is not approved may mail ' +
      '10 a day, invoices included. Try again later.',
    retryAfterSeconds,
  });

/** Returns 200 with the merchant, the user and the role. */
export async function showMe(deps: AccountDeps, { session }: MerchantRequest): Promise<Answer> {
  const [merchant] = await findMerchant(deps.accounts, session.merchantId);
  const [user] = await findUser(deps.accounts, session.userId);
  if (merchant === undefined || user === undefined) return buildApiError('session_expired');
  const shown = viewUser(user);
  return reply(200, JSON.stringify({ ...viewMerchant(merchant), user: shown, role: shown.role }));
}

/** Returns 200 with all users, oldest first. */
export async function showUsers(deps: AccountDeps, { session }: MerchantRequest): Promise<Answer> {
  const rows = await listUsers(deps.accounts, session.merchantId);
  return reply(200, JSON.stringify({ data: rows.map(viewUser) }));
}

/** Returns 201; the new user chooses a password with a mailed link. */
export async function inviteUser(
  deps: AccountDeps,
  request: MerchantRequest<NoParams, InviteRequest>,
): Promise<Answer> {
  const { session, body, preferences } = request;
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  if (!session.isVerified) return UNVERIFIED;
  const { merchantId } = session;
  const email = normalizeEmail(body.email);
  // First: an invitation beyond the limit must cost little.
  const refusedS = await findInvitationWait(deps.accounts, merchantId, email);
  if (refusedS > 0) return buildMailLimitError(refusedS);
  const { role } = body;
  const error = canMoveMoney(role) ? await proveSecondFactor(deps, maker) : undefined;
  if (error !== undefined) return error;
  const [merchant] = await findMerchant(deps.accounts, merchantId);
  const language = chooseLanguage(preferences.acceptLanguage);
  const { token, link } = makeLink(deps.nowMs(), INVITE_MS);
  const businessName = chooseMailName(merchant);
  const mail = deps.compose({ kind: 'invite', recipient: email, language, businessName, token });
  const [known] = await findLogin(deps.accounts, email);
  const addressee = { recipient: email, language: known?.language ?? language, businessName };
  const knownMail = deps.compose({ kind: 'invite_known', ...addressee });
  const userId = makeId('usr', generateIdBytes());
  const protectedChange = { change: 'user_invited', subject: `${email} (${role})` } as const;
  const ownerMails = canMoveMoney(role)
    ? await composeChangeMails(deps, maker, protectedChange)
    : [];
  const invitation = {
    ...{ userId, merchantId, email, role, language, link },
    ...{ mail, knownMail, ownerMails },
  };
  const { waitS, user } = await storeInvitation(deps.accounts, actor, invitation);
  if (waitS > 0) return buildMailLimitError(waitS);
  if (user === null) return CANNOT_INVITE;
  deps.nudgeMailer();
  return reply(201, JSON.stringify(viewUser(user)));
}

/** Returns 200 with the user; the role applies from the user's next request. */
export async function changeRole(
  deps: AccountDeps,
  request: MerchantRequest<{ user_id: UserId }, ChangeRoleRequest>,
): Promise<Answer> {
  const user = buildUserKey(request);
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  const { role } = request.body;
  const [before] = await findUserOfMerchant(deps.accounts, user);
  if (before === undefined) return buildApiError('user_not_found');
  if (before.role !== role) {
    const mails = await admitUserChange(deps, maker, { before, role });
    if ('code' in mails) return mails;
    const error = checkChange(await storeRole(deps.accounts, actor, { ...user, mails }, role));
    if (error !== undefined) return error;
    deps.nudgeMailer();
  }
  const [row] = await findUser(deps.accounts, user.userId);
  return row === undefined
    ? buildApiError('user_not_found')
    : reply(200, JSON.stringify(viewUser(row)));
}

/** Returns 204. The sessions and the open invitations of the user end; its API keys end if the request asks for it. */
export async function removeUser(
  deps: AccountDeps,
  request: MerchantRequest<{ user_id: UserId }, RemoveUserRequest>,
): Promise<Answer> {
  const user = buildUserKey(request);
  const { revoke_keys: revokesKeys = false } = request.body;
  const actor = buildActor(request);
  const maker = buildStepUp(request);
  const [before] = await findUserOfMerchant(deps.accounts, user);
  if (before === undefined) return buildApiError('user_not_found');
  const mails = await admitUserChange(deps, maker, { before, role: null });
  if ('code' in mails) return mails;
  const change = { ...user, mails, revokesKeys };
  const error = checkChange(await removeStored(deps.accounts, actor, change));
  if (error !== undefined) return error;
  deps.nudgeMailer();
  return reply(204, '');
}

interface UserChangeNotice {
  readonly before: UserRow;
  /** null: the user is removed. */
  readonly role: MerchantRole | null;
}

/**
 * The mails of the change, which may be made. A code is needed to give a role that could move money: a stolen session could
 * otherwise add a person of its own, whose second factor passes every later step-up. It is needed to take away the role of an
 * owner too, who would hear no more of what the session does. Other rights are taken at once, and the owners hear of it.
 */
async function admitUserChange(
  deps: AccountDeps,
  maker: MerchantStepUp,
  { before, role }: UserChangeNotice,
): Promise<readonly Mail[] | ApiError> {
  const isOwner = before.role === 'owner';
  const user = { merchantId: maker.session.merchantId, userId: before.id };
  if (isOwner && !(await hasOtherOwner(deps.accounts, user))) return LAST_OWNER;
  const isGiven = role !== null && canMoveMoney(role);
  const unproven = isGiven || isOwner ? await proveSecondFactor(deps, maker) : undefined;
  if (unproven !== undefined) return unproven;
  if (!isGiven && before.role === 'viewer') return [];
  const roles = role === null ? before.role : `${before.role} → ${role}`;
  const change = role === null ? 'user_removed' : 'role_changed';
  return composeChangeMails(deps, maker, { change, subject: `${before.email} (${roles})` });
}

function buildUserKey({
  session,
  params,
}: Pick<MerchantRequest<{ user_id: UserId }>, 'session' | 'params'>): UserOfMerchant {
  return { merchantId: session.merchantId, userId: params.user_id };
}

function checkChange(change: UserChange): ApiError | undefined {
  switch (change) {
    case 'done':
      return undefined;
    case 'missing':
      return buildApiError('user_not_found');
    case 'last_owner':
      return LAST_OWNER;
  }
}
