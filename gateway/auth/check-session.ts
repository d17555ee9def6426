// Who a `cs_` token stands for. A session is looked up with each request, so its end counts at once everywhere.
//
//   live ──unused for IDLE_S, or SESSION_MS after its login, or ended──▶ session_expired
//
// A token that never was one is credential_invalid.
import type { SessionRow } from '#store/postgres/accounts/sessions.js';
import { type ApiError, buildApiError } from '../routing/response.js';
import type { Head } from '../routing/request-head.js';
import type { Route } from '../routing/route.js';
import { extractSession } from './extract-credential.js';
import { isAllowed, type Role } from '../routing/roles.js';
import type { Session } from '../routing/session.js';
import { digestToken, isSessionToken } from './tokens.js';

export const SESSION_MS = 12 * 60 * 60_000;
export const IDLE_S = 60 * 60;

export interface SessionDeps {
  /** Rejects when it cannot be known. */
  findSession(digest: string): Promise<readonly SessionRow[]>;
  /** Administrators must have a second factor. */
  readonly isTotpRequired: boolean;
  onError(error: unknown): void;
}

export type CheckSession = (route: Route, head: Head) => Promise<Session | ApiError>;

const INVALID = buildApiError('credential_invalid');
const EXPIRED = buildApiError('session_expired');
const NOT_ALLOWED = buildApiError('role_insufficient');
const NEEDS_TOTP = buildApiError('role_insufficient', {
  message: 'Administrators need a second factor here: set it up first (POST /v1/auth/totp).',
});

export function createSessionCheck(parts: SessionDeps): CheckSession {
  const find = async (text: string): Promise<readonly SessionRow[] | ApiError> => {
    if (!isSessionToken(text)) return INVALID;
    try {
      return await parts.findSession(digestToken(text));
    } catch (error) {
      parts.onError(error);
      return buildApiError('dependency_unavailable');
    }
  };
  return async (route, head) => {
    const presented = extractSession(head);
    if ('code' in presented) return presented;
    const found = await find(presented.text);
    if ('code' in found) return found;
    const [row] = found;
    if (row === undefined) return INVALID;
    if (row.hasEnded) return EXPIRED;
    const { permission } = route;
    const role = row.role as Role;
    if (permission === undefined || !isAllowed(role, permission)) return NOT_ALLOWED;
    if (permission === 'administrate' && parts.isTotpRequired && !row.hasTotp) return NEEDS_TOTP;
    const { id, userId, merchantId, email, isVerified, hasTotp } = row;
    return { id, userId, merchantId, role, email, isVerified, hasTotp };
  };
}
