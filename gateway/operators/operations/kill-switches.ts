// Kill switches, for administrators.
import {
  listSwitches,
  type SwitchRow,
  turnSwitch,
} from '#store/postgres/operations/kill-switch-rows.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import type { NoParams, SessionRequest } from '#gateway/routing/request.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { SwitchRequest } from '../merchants/schema.js';

/** Listed first, even before they are first turned. */
const ALWAYS_SHOWN = ['live_creates', 'payouts'];

const NEVER_TURNED = { isOn: true, changedAt: null, changedBy: null, reason: null } as const;

/** Returns 200 with the switches that are always listed and every switch that was ever turned. */
export async function showSwitches(deps: AccountDeps): Promise<Answer> {
  const turned = await listSwitches(deps.accounts);
  const find = (name: string): SwitchRow | undefined => turned.find((row) => row.name === name);
  const data = [
    ...ALWAYS_SHOWN.map((name) => viewSwitch(find(name) ?? { ...NEVER_TURNED, name })),
    ...turned.filter(({ name }) => !ALWAYS_SHOWN.includes(name)).map(viewSwitch),
  ];
  return reply(200, JSON.stringify({ data }));
}

/** Returns 200 with the switch; it takes effect on every gateway within a second. */
export async function setSwitch(
  deps: AccountDeps,
  request: SessionRequest<NoParams, SwitchRequest>,
): Promise<Answer> {
  const { name, enabled: isOn, reason = null } = request.body;
  await turnSwitch(deps.accounts, buildActor(request), { name, isOn, reason });
  const row = (await listSwitches(deps.accounts)).find((each) => each.name === name);
  if (row === undefined) throw new Error(`switch ${name} was not stored`);
  return reply(200, JSON.stringify(viewSwitch(row)));
}

function viewSwitch({ name, isOn, changedAt, changedBy, reason }: SwitchRow): object {
  const at = changedAt?.toISOString() ?? null;
  return { name, enabled: isOn, changed_at: at, changed_by: changedBy, reason };
}
