// Administrators manage each other: one disables another, which ends that one's sessions, and may enable it again. New ones
// are created by an operator with access to the database (`kasir admin create`).
import type { Static } from '@sinclair/typebox';
import type { UserId } from '#actors/core/ids.js';
import {
  type AdministratorRow,
  listAdministrators,
  setAdministrator,
} from '#store/postgres/accounts/administrators.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { SessionRequest } from '#gateway/routing/request.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import { composeChangeMails } from './change-mails.js';
import type { Administrator, AdministratorStatus } from './schema.js';

const REJECTIONS = {
  missing: buildApiError('user_not_found'),
  self: buildApiError('state_conflict', {
    message: 'You cannot disable yourself. Another administrator can.',
  }),
  last: buildApiError('state_conflict', {
    message:
      'The last administrator of the role admin cannot be disabled. Create or enable another one first.',
  }),
} as const satisfies Record<string, ApiError>;

/** Returns 200 with all administrators, oldest first. */
export async function showAdministrators(deps: AccountDeps): Promise<Answer> {
  const rows = await listAdministrators(deps.accounts);
  return reply(200, JSON.stringify({ data: rows.map(viewAdministrator) }));
}

/** Returns 200 with the administrator, also if it had the status before. The other administrators get a mail. */
export async function changeStatus(
  deps: AccountDeps,
  request: SessionRequest<{ user_id: UserId }>,
  status: AdministratorStatus,
): Promise<Answer> {
  const { params, session } = request;
  const actor = buildActor(request);
  const rows = await listAdministrators(deps.accounts);
  const target = rows.find(({ id }) => id === params.user_id);
  if (target === undefined) return REJECTIONS.missing;
  const isDisabled = status === 'disabled';
  const mails = composeChangeMails(deps.compose, rows, {
    actor: session.email,
    target: target.email,
    change: isDisabled ? 'disabled' : 'enabled',
    role: target.role,
  });
  const change = { id: target.id, isDisabled, actor, mails };
  const result = await setAdministrator(deps.accounts, change);
  if (result !== 'done' && result !== 'same') return REJECTIONS[result];
  deps.nudgeMailer();
  const changed = await listAdministrators(deps.accounts);
  const row = changed.find(({ id }) => id === target.id);
  return row === undefined
    ? REJECTIONS.missing
    : reply(200, JSON.stringify(viewAdministrator(row)));
}

function viewAdministrator(row: AdministratorRow): Static<typeof Administrator> {
  return {
    id: row.id,
    object: 'administrator',
    email: row.email,
    role: row.role,
    status: row.disabledAt === null ? 'active' : 'disabled',
    totp_enabled: row.hasTotp,
    second_factor_enabled: row.hasSecondFactor,
    created_at: row.createdAt.toISOString(),
    disabled_at: row.disabledAt?.toISOString() ?? null,
  };
}
