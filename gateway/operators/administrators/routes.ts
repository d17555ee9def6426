// Paths of administrators: the administrators themselves.
import { parseUserId } from '#actors/core/ids.js';
import { buildListSchema } from '#actors/core/schemas/fields.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { Route } from '#gateway/routing/route.js';
import { defineSessionRoute } from '#gateway/routing/session-route.js';
import { changeStatus, showAdministrators } from './handlers.js';
import { Administrator } from './schema.js';

const READ = { permission: 'read_administration' } as const;
const ADMIN = { permission: 'administrate' } as const;
const params = { user_id: { parse: parseUserId, code: 'user_not_found' } } as const;
const PATH = '/v1/admin/administrators';

export const buildAdministratorRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: PATH,
    operationId: 'listAdministrators',
    summary: 'List the administrators',
    description: 'Disabled ones among them.',
    answers: { 200: buildListSchema(Administrator) },
    handle: () => showAdministrators(deps),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'POST',
    path: `${PATH}/{user_id}/disable`,
    operationId: 'disableAdministrator',
    summary: 'Disable an administrator',
    description:
      'All sessions of the administrator end, and no login succeeds. Nobody disables the last administrator, or ' +
      'oneself. All administrators get a mail.',
    params,
    answers: { 200: Administrator },
    errors: ['state_conflict'],
    handle: (request) => changeStatus(deps, request, 'disabled'),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'POST',
    path: `${PATH}/{user_id}/enable`,
    operationId: 'enableAdministrator',
    summary: 'Enable an administrator again',
    description: 'The administrator logs in with the same password and second factor as before.',
    params,
    answers: { 200: Administrator },
    handle: (request) => changeStatus(deps, request, 'active'),
  }),
];
