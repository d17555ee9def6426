// The users of a merchant, and the merchant itself. One address is one user, of one merchant.
import { makeId, type UserId } from '#actors/core/ids.js';
import {
  changeRole as storeRole,
  findUser,
  inviteUser as storeInvitation,
  listUsers,
  MAX_USERS,
  removeUser as removeStored,
  type UserChange,
  type UserOfMerchant,
} from '#store/postgres/accounts/users.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, type ApiError, buildApiError, reply } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import { chooseLanguage } from '../checkout/texts.js';
import type { MerchantRequest } from '../routing/session-route.js';
import { buildActor } from '../auth/actor.js';
import { type AccountDeps, queryAccounts } from './account-deps.js';
import { makeLink, normalizeEmail } from './register.js';
import type { ChangeRoleRequest, InviteRequest } from './schema.js';
import { viewMerchant, viewUser } from './view.js';

const INVITE_MS = 7 * 24 * 60 * 60_000;

const CANNOT_INVITE = buildApiError('state_conflict', {
  message: `This address has an account already, or there are ${MAX_USERS} users.`,
});
const LAST_OWNER = buildApiError('state_conflict', { message: 'A merchant needs an owner.' });
export const UNVERIFIED = buildApiError('state_conflict', {
  message: 'Verify your e-mail address first: open the link that was mailed.',
});

/** 200 with the merchant, the user and the role. */
export async function showMe(parts: AccountDeps, { session }: MerchantRequest): Promise<Answer> {
  const [merchant] = await queryAccounts(parts, (sql) => findMerchant(sql, session.merchantId));
  const [user] = await queryAccounts(parts, (sql) => findUser(sql, session.userId));
  if (merchant === undefined || user === undefined) return buildApiError('session_expired');
  const shown = viewUser(user);
  return reply(200, JSON.stringify({ ...viewMerchant(merchant), user: shown, role: shown.role }));
}

/** 200 with all of them, oldest first. */
export async function showUsers(parts: AccountDeps, { session }: MerchantRequest): Promise<Answer> {
  const rows = await queryAccounts(parts, (sql) => listUsers(sql, session.merchantId));
  return reply(200, JSON.stringify({ data: rows.map(viewUser) }));
}

/** 201; the new user chooses a password behind a link that is mailed. */
export async function inviteUser(
  parts: AccountDeps,
  request: MerchantRequest<NoParams, InviteRequest>,
): Promise<Answer> {
  const { session, body, preferences } = request;
  const actor = buildActor(request);
  if (!session.isVerified) return UNVERIFIED;
  const { merchantId } = session;
  const [merchant] = await queryAccounts(parts, (sql) => findMerchant(sql, merchantId));
  const email = normalizeEmail(body.email);
  const language = chooseLanguage(preferences.acceptLanguage);
  const { token, link } = makeLink(parts.nowMs(), INVITE_MS);
  const businessName = merchant?.businessName ?? '';
  const mail = parts.compose({ kind: 'invite', recipient: email, language, businessName, token });
  const userId = makeId('usr', generateIdBytes());
  const { role } = body;
  const invitation = { userId, merchantId, email, role, language, link, mail };
  const [user] = await queryAccounts(parts, (sql) => storeInvitation(sql, actor, invitation));
  if (user === undefined) return CANNOT_INVITE;
  parts.nudgeMailer();
  return reply(201, JSON.stringify(viewUser(user)));
}

/** 200 with the user; it counts from the next request of the user on. */
export async function changeRole(
  parts: AccountDeps,
  request: MerchantRequest<{ user_id: UserId }, ChangeRoleRequest>,
): Promise<Answer> {
  const user = buildUserKey(request);
  const { role } = request.body;
  const change = await queryAccounts(parts, (sql) =>
    storeRole(sql, buildActor(request), user, role),
  );
  const fault = checkChange(change);
  if (fault !== undefined) return fault;
  const [row] = await queryAccounts(parts, (sql) => findUser(sql, user.userId));
  return row === undefined
    ? buildApiError('user_not_found')
    : reply(200, JSON.stringify(viewUser(row)));
}

/** 204; the sessions of the user have ended with it. */
export async function removeUser(
  parts: AccountDeps,
  request: MerchantRequest<{ user_id: UserId }>,
): Promise<Answer> {
  const user = buildUserKey(request);
  const change = await queryAccounts(parts, (sql) => removeStored(sql, buildActor(request), user));
  return checkChange(change) ?? reply(204, '');
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
