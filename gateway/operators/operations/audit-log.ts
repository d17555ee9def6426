// The audit log, for administrators.
import { type AuditRow, listAudit } from '#store/postgres/operations/audit.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { readDate } from '#gateway/lists/filters.js';
import { DEFAULT_LIMIT } from '#gateway/lists/page.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import type { AuditQuery } from '../merchants/schema.js';

/** Returns 200 with a page, newest first. */
export async function showAudit(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, AuditQuery>,
): Promise<Answer> {
  const { actor = null, target = null, action = null, cursor: olderThan = null } = query;
  const from = readDate(query, 'from');
  if (from !== null && 'code' in from) return from;
  const to = readDate(query, 'to');
  if (to !== null && 'code' in to) return to;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const filter = { actor, target, action, from, to, olderThan };
  const { rows, stoppedAt } = await listAudit(deps.accounts, filter, limit + 1);
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : stoppedAt;
  return reply(200, JSON.stringify({ data: shown.map(viewEntry), next_cursor: next }));
}

function viewEntry(row: AuditRow): object {
  const { id, actor, email, address, action, target } = row;
  return {
    id,
    at: row.at.toISOString(),
    actor,
    email,
    address,
    action,
    target,
    before: row.before === null ? null : (JSON.parse(row.before) as object),
    after: row.after === null ? null : (JSON.parse(row.after) as object),
  };
}
