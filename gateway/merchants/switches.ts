// Kill switches and the audit log, for administrators.
import { listAudit, type AuditRow } from '#store/postgres/operations/audit.js';
import { listSwitches, type SwitchRow, turnSwitch } from '#store/postgres/operations/switches.js';
import { type Answer, reply } from '../routing/response.js';
import { DEFAULT_LIMIT } from '../lists/page.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { buildActor } from '../auth/actor.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import type { AuditQuery, SwitchRequest } from './admin-schema.js';

/** Listed even before they are first turned. */
const ALWAYS_SHOWN = ['live_creates', 'payouts'];

/** Returns 200 with the switches that are always listed and every switch that was ever turned. */
export async function showSwitches(deps: AccountDeps): Promise<Answer> {
  const turned = await listSwitches(deps.accounts);
  const untouched = ALWAYS_SHOWN.filter((name) => turned.every((row) => row.name !== name));
  const data = [
    ...untouched.map((name) => ({ name, enabled: true, changed_at: null })),
    ...turned.map(viewSwitch),
  ];
  return reply(200, JSON.stringify({ data }));
}

/** Returns 200 with the switch; it takes effect on every gateway within a second. */
export async function setSwitch(
  deps: AccountDeps,
  request: SessionRequest<NoParams, SwitchRequest>,
): Promise<Answer> {
  const { name, enabled } = request.body;
  const [row] = await turnSwitch(deps.accounts, buildActor(request), name, enabled);
  if (row === undefined) throw new Error(`switch ${name} was not stored`);
  return reply(200, JSON.stringify(viewSwitch(row)));
}

function viewSwitch({ name, isOn, changedAt }: SwitchRow): object {
  return { name, enabled: isOn, changed_at: changedAt.toISOString() };
}

/** Returns 200 with a page, newest first. */
export async function showAudit(
  deps: AccountDeps,
  { query }: SessionRequest<NoParams, undefined, AuditQuery>,
): Promise<Answer> {
  const { actor = null, target = null, cursor: olderThan = null } = query;
  const limit = query.limit ?? DEFAULT_LIMIT;
  const filter = { actor, target, olderThan };
  const rows = await listAudit(deps.accounts, filter, limit + 1);
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : null;
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
