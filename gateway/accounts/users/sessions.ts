// Listing and ending the sessions of the logged-in user.
import type { SessionId } from '#actors/core/ids.js';
import { endOtherSessions, endSession, listSessions } from '#store/postgres/accounts/sessions.js';
import { IDLE_S } from '#gateway/auth/check-session.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { SessionRequest } from '#gateway/routing/request.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { viewSession } from './view.js';

/** Returns 204 and ends the session of the request on every gateway. */
export async function logOut(deps: AccountDeps, request: SessionRequest): Promise<Answer> {
  await endSession(deps.accounts, buildActor(request), request.session.id);
  return replyEnded(deps, request);
}

/** 204, and the browser forgets its cookie. */
function replyEnded({ sessionCookie }: AccountDeps, { session }: SessionRequest<unknown>): Answer {
  return reply(204, '', session.isByCookie ? [sessionCookie.clear] : []);
}

/** Returns 200 with the active sessions, newest first. */
export async function showSessions(
  deps: AccountDeps,
  { session }: SessionRequest,
): Promise<Answer> {
  const rows = await listSessions(deps.accounts, session.userId, IDLE_S);
  const shown = rows.map((row) => viewSession(row, session.id));
  return reply(200, JSON.stringify({ data: shown }));
}

/** Returns 204 and ends every session of the user except this one. */
export async function endOthers(deps: AccountDeps, request: SessionRequest): Promise<Answer> {
  await endOtherSessions(deps.accounts, buildActor(request), request.session.id);
  return reply(204, '');
}

/** Returns 204, or 404 if the session belongs to another user or has ended. */
export async function endOne(
  deps: AccountDeps,
  request: SessionRequest<{ session_id: SessionId }>,
): Promise<Answer> {
  const { session_id: id } = request.params;
  const isEnded = await endSession(deps.accounts, buildActor(request), id);
  if (!isEnded) return buildApiError('session_not_found');
  return id === request.session.id ? replyEnded(deps, request) : reply(204, '');
}
