// Checks a `cs_` token. Each request queries its session, so that the end of a session takes effect at once everywhere.
//
//   LIVE ──unused for IDLE_S, or SESSION_MS after the login, or ended──▶ ENDED (session_expired)
//
// A token that is not a session's is credential_invalid.
import type { Postgres } from '#store/postgres/client.js';
import { findSession } from '#store/postgres/accounts/sessions.js';
import type { Head, Session } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import { isAllowed, type Permission, PERMISSIONS, type Role } from '../routing/roles.js';
import type { Route } from '../routing/route.js';
import { extractSession } from './credentials.js';
import { digestToken, isSessionToken } from './tokens.js';

export const SESSION_MS = 12 * 60 * 60_000;
export const IDLE_S = 60 * 60;

/** Rejects when the session cannot be queried. */
export type CheckSession = (route: Route, head: Head) => Promise<Session | ApiError>;

const INVALID = buildApiError('credential_invalid');
const EXPIRED = buildApiError('session_expired');
const NEEDS_TOTP = buildApiError('role_insufficient', {
  message:
    'Administrators need a second factor: set it up first (POST /v1/auth/totp, POST /v1/auth/totp/confirm).',
});

/** `isTotpRequired`: an administrator without a second factor can only set one up. */
export function createSessionCheck(sql: Postgres, isTotpRequired: boolean): CheckSession {
  return async ({ permission }, head) => {
    const extracted = extractSession(head);
    if ('code' in extracted) return extracted;
    if (!isSessionToken(extracted.text)) return INVALID;
    const [row] = await findSession(sql, digestToken(extracted.text), IDLE_S);
    if (row === undefined) return INVALID;
    if (row.hasEnded) return EXPIRED;
    const role = row.role as Role;
    if (permission === undefined) return buildApiError('role_insufficient');
    if (!isAllowed(role, permission)) return buildRoleError(role, permission);
    const canOnlyEnrol = role === 'admin' && isTotpRequired && !row.hasTotp;
    if (canOnlyEnrol && permission !== 'enrol') return NEEDS_TOTP;
    const { id, userId, merchantId, email, isVerified, hasTotp } = row;
    return { id, userId, merchantId, role, email, isVerified, hasTotp };
  };
}

function buildRoleError(role: Role, permission: Permission): ApiError {
  const message = `Your role ${role} does not allow this; it needs ${PERMISSIONS[permission].join(' or ')}.`;
  return buildApiError('role_insufficient', { message });
}
