// Routes of the session's merchant and its users.
import { parseUserId } from '#actors/core/ids.js';
import { buildListSchema } from '#actors/core/schemas/fields.js';
import * as wire from './schema.js';
import { changeRole, inviteUser, removeUser, showMe, showUsers } from './users.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { allowNoBody, buildBodySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '#gateway/routing/session-route.js';

const params = { user_id: { parse: parseUserId, code: 'user_not_found' } } as const;

export const buildMerchantRoutes = (deps: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    path: '/v1/merchants/me',
    operationId: 'getMerchant',
    summary: 'Show the merchant of the session',
    description: "With the user and the user's role.",
    permission: 'read_merchant',
    answers: { 200: wire.Me },
    handle: (request) => showMe(deps, request),
  }),
  ...buildUserRoutes(deps),
];

const buildUserRoutes = (deps: AccountDeps): readonly Route[] => [
  defineMerchantRoute({
    method: 'GET',
    path: '/v1/merchants/me/users',
    operationId: 'listUsers',
    summary: 'List the users of the merchant',
    description: 'Invited users among them.',
    permission: 'read_users',
    answers: { 200: buildListSchema(wire.User) },
    handle: (request) => showUsers(deps, request),
  }),
  defineMerchantRoute({
    method: 'POST',
    path: '/v1/merchants/me/users',
    operationId: 'inviteUser',
    summary: 'Invite a user',
    description:
      'Mails a link to choose a password. The link works once, within 7 days. Inviting anybody but a viewer needs `totp_code`, ' +
      'and the owners get a mail.',
    permission: 'change_users',
    body: buildTextBodySpec(wire.InviteRequest, ['email']),
    answers: { 201: wire.User },
    errors: ['card_data_refused', 'state_conflict', 'rate_limited'],
    handle: (request) => inviteUser(deps, request),
  }),
  defineMerchantRoute({
    method: 'PATCH',
    path: '/v1/merchants/me/users/{user_id}',
    operationId: 'changeUserRole',
    summary: 'Change the role of a user',
    description:
      'Making somebody owner, developer or finance, and taking the role of an owner away, needs `totp_code`. The owners get a ' +
      'mail, unless both roles are viewer.',
    permission: 'change_users',
    params,
    body: buildBodySpec(wire.ChangeRoleRequest),
    answers: { 200: wire.User },
    errors: ['state_conflict', 'rate_limited'],
    handle: (request) => changeRole(deps, request),
  }),
  defineMerchantRoute({
    method: 'DELETE',
    path: '/v1/merchants/me/users/{user_id}',
    operationId: 'removeUser',
    summary: 'Remove a user',
    description:
      'The sessions of the user end, and its invitations that nobody has accepted. API keys that the user made go on working ' +
      'unless `revoke_keys` is true; `made_by` of each key names its maker. The last owner cannot be removed. Removing an owner ' +
      'needs `totp_code`. The owners get a mail about anybody but a viewer.',
    permission: 'change_users',
    params,
    body: allowNoBody(buildBodySpec(wire.RemoveUserRequest)),
    answers: { 204: null },
    errors: ['state_conflict', 'rate_limited'],
    handle: (request) => removeUser(deps, request),
  }),
];
