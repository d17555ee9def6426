// Checks a `cs_` token. Each request queries its session, so that the end of a session takes effect at once everywhere.
//
//   LIVE ──unused for IDLE_S, or SESSION_MS after the login, or ended──▶ ENDED (session_expired)
//
// A token that is not a session's is credential_invalid.
import type { Postgres } from '#store/postgres/client.js';
import { findSession, type SessionRow } from '#store/postgres/accounts/sessions.js';
import type { Head, Session } from '../routing/request.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import {
  isAdministrator,
  isAllowed,
  type Permission,
  PERMISSIONS,
  type Role,
} from '../routing/roles.js';
import type { Route } from '../routing/route.js';
import { extractSession } from './credentials.js';
import { createSessionCookie, isByCookie } from './session-cookie.js';
import { digestToken, isSessionToken } from './tokens.js';

export const SESSION_MS = 12 * 60 * 60_000;
export const IDLE_S = 60 * 60;

/** Rejects when the session cannot be queried. */
export type CheckSession = (route: Route, head: Head) => Promise<Session | ApiError>;

const INVALID = buildApiError('credential_invalid');
const NEEDS_TOTP = buildApiError('role_insufficient', {
  message:
    'Administrators need a second factor: set it up first (POST /v1/auth/totp, POST /v1/auth/totp/confirm).',
});

export interface SessionCheckOptions {
  /** An administrator without a second factor can only set one up. */
  readonly isProduction: boolean;
  readonly baseUrl: string;
}

export function createSessionCheck(
  sql: Postgres,
  { isProduction, baseUrl }: SessionCheckOptions,
): CheckSession {
  const cookie = createSessionCookie(baseUrl);
  const find = async (head: Head): Promise<SessionRow | ApiError> => {
    const extracted = isByCookie(head) ? cookie.extract(head) : extractSession(head);
    if ('code' in extracted) return extracted;
    if (!isSessionToken(extracted.text)) return INVALID;
    const [row] = await findSession(sql, digestToken(extracted.text), IDLE_S);
    if (row !== undefined && !row.hasEnded) return row;
    const code = row === undefined ? 'credential_invalid' : 'session_expired';
    return buildApiError(code, isByCookie(head) ? { headers: [cookie.clear] } : {});
  };
  return async ({ permission }, head) => {
    const row = await find(head);
    if ('code' in row) return row;
    const role = row.role as Role;
    if (permission === undefined) return buildApiError('role_insufficient');
    if (!isAllowed(role, permission)) return buildRoleError(role, permission);
    const mustEnrol = isAdministrator(role) && isProduction && !row.hasSecondFactor;
    if (mustEnrol && permission !== 'enrol') return NEEDS_TOTP;
    const { id, userId, merchantId, email, isVerified, hasSecondFactor } = row;
    const user = { userId, merchantId, role, email, isVerified, hasSecondFactor };
    return { id, ...user, mustEnrol, isByCookie: isByCookie(head) };
  };
}

function buildRoleError(role: Role, permission: Permission): ApiError {
  const message = `Your role ${role} does not allow this; it needs ${PERMISSIONS[permission].join(' or ')}.`;
  return buildApiError('role_insufficient', { message });
}
