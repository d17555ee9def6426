// Kill switches, for administrators.
import { listSwitches, type SwitchRow, turnSwitch } from '#store/postgres/operations/switches.js';
import { type Answer, reply } from '../routing/response.js';
import type { NoParams, SessionRequest } from '../routing/request.js';
import { buildActor } from '../auth/actor.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import type { SwitchRequest } from './admin-schema.js';

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
