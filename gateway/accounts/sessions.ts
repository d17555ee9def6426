// The sessions of the user who asks: seen, and ended.
import type { SessionId } from '#actors/core/ids.js';
import { endOtherSessions, endSession, listSessions } from '#store/postgres/accounts/sessions.js';
import { IDLE_S } from '../auth/check-session.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { SessionRequest } from '../routing/request.js';
import { type AccountDeps, queryAccounts } from './account-deps.js';
import { viewSession } from './view.js';

/** 204; the session of the request has ended, everywhere. */
export async function logOut(parts: AccountDeps, { session }: SessionRequest): Promise<Answer> {
  await queryAccounts(parts, (sql) => endSession(sql, session.userId, session.id));
  return reply(204, '');
}

/** 200 with those that live, newest first. */
export async function showSessions(
  parts: AccountDeps,
  { session }: SessionRequest,
): Promise<Answer> {
  const rows = await queryAccounts(parts, (sql) => listSessions(sql, session.userId, IDLE_S));
  const shown = rows.map((row) => viewSession(row, session.id));
  return reply(200, JSON.stringify({ data: shown }));
}

/** 204; every session of the user but this one has ended. */
export async function endOthers(parts: AccountDeps, { session }: SessionRequest): Promise<Answer> {
  await queryAccounts(parts, (sql) => endOtherSessions(sql, session.userId, session.id));
  return reply(204, '');
}

/** 204; 404 for one of somebody else, or one that has ended. */
export async function endOne(
  parts: AccountDeps,
  { session, params }: SessionRequest<{ session_id: SessionId }>,
): Promise<Answer> {
  const isEnded = await queryAccounts(parts, (sql) =>
    endSession(sql, session.userId, params.session_id),
  );
  return isEnded ? reply(204, '') : buildApiError('session_not_found');
}
