// The requests of the team. People with a role that could move money are added, changed and removed with a code of the second
// factor.
import { api, type MerchantQuery, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { buildProof, type StepUp } from '@dashboard/shared/second-factor/step-up.js';

export type User = MerchantSchema['User'];
export type ApiKey = MerchantSchema['ApiKey'];
export type MerchantRole = MerchantSchema['InviteUserRequest']['role'];

export const MERCHANT_ROLES = [
  ...(['owner', 'developer', 'finance', 'viewer'] as const),
] as const satisfies readonly MerchantRole[];

export const TEAM_KEY = ['team'] as const;
/** The role that neither pays out nor makes keys (canMoveMoney in gateway/routing/roles.ts). */
const HARMLESS_ROLE: MerchantRole = 'viewer';

export const needsFactor = (role: MerchantRole): boolean => role !== HARMLESS_ROLE;

export const findRole = (text: string): MerchantRole =>
  MERCHANT_ROLES.find((role) => role === text) ?? 'viewer';

export const loadTeam = () => unwrap(api.GET('/v1/merchants/me/users'));

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: TEAM_KEY });

export interface Invitation {
  readonly email: string;
  readonly role: MerchantRole;
}

export async function invite(stepUp: StepUp, invitation: Invitation): Promise<void> {
  await stepUp((code) => {
    const body = { ...invitation, ...buildProof(code) };
    return unwrap(api.POST('/v1/merchants/me/users', { body }));
  });
  await refresh();
}

export async function changeRole(stepUp: StepUp, user: User, role: MerchantRole): Promise<void> {
  const params = { path: { user_id: user.id } };
  await stepUp((code) => {
    const body = { role, ...buildProof(code) };
    return unwrap(api.PATCH('/v1/merchants/me/users/{user_id}', { params, body }));
  });
  await refresh();
}

export const TEAM_KEYS_KEY = ['api-keys', 'of-team'] as const;

const PAGE_KEYS = 100;

/** The API keys that still work, in both environments. Revoked ones are listed for 30 days, so there may be several pages. */
export async function loadWorkingKeys(): Promise<readonly ApiKey[]> {
  const working: ApiKey[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const query = { limit: PAGE_KEYS, cursor } as MerchantQuery<'/v1/merchants/me/api-keys'>;
    const page = await unwrap(api.GET('/v1/merchants/me/api-keys', { params: { query } }));
    working.push(...page.data.filter(({ status }) => status !== 'revoked'));
    cursor = page.next_cursor;
  }
  return working;
}

interface Removal {
  readonly user: User;
  readonly revokesKeys: boolean;
}

export async function remove(stepUp: StepUp, { user, revokesKeys }: Removal): Promise<void> {
  const params = { path: { user_id: user.id } };
  await stepUp((code) => {
    const body = { ...buildProof(code), revoke_keys: revokesKeys };
    return unwrap(api.DELETE('/v1/merchants/me/users/{user_id}', { params, body }));
  });
  await refresh();
  await queryClient.invalidateQueries({ queryKey: ['api-keys'] });
}
