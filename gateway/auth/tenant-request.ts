// Requests of a session about one environment of its merchant, in the form that the handlers of keys take. A change in LIVE
// needs what a live key needs: LIVE is enabled, and an idempotent one has an Idempotency-Key.
import type { Environment } from '#actors/core/ids.js';
import { isMerchantBlocked } from '#actors/core/rails/live-gate.js';
import { canTakePayments } from '#store/postgres/links-and-invoices/link-uses.js';
import { recordAction } from '#store/postgres/operations/audit.js';
import type { AccountDeps } from './account-deps.js';
import { buildActor } from './actor.js';
import { proveSecondFactor } from './step-up.js';
import type { SteppedBody } from './stepped-body.js';
import type { NoParams } from '../routing/request.js';
import type { Tenant, TenantRequest } from '../lists/listing.js';
import { type Answer, type ApiError, buildApiError } from '../routing/response.js';
import type { MerchantRequest } from '../routing/session-route.js';

export interface EnvironmentQuery {
  readonly environment?: Environment;
}

export type EnvironmentRequest<Params, Body = undefined> = MerchantRequest<
  Params,
  Body,
  EnvironmentQuery
>;

export function findTenant({
  session: { merchantId },
  query: { environment = 'TEST' },
}: Pick<EnvironmentRequest<unknown>, 'session' | 'query'>): Tenant {
  return { merchantId, environment };
}

export function buildTenantRequest<Params>(
  request: EnvironmentRequest<Params, unknown>,
): TenantRequest<Params> {
  const { params, idempotencyKey } = request;
  return { credential: findTenant(request), params, body: undefined, idempotencyKey };
}

/** Returns undefined if the merchant may change something in this environment. */
export async function admitChange(
  deps: AccountDeps,
  { merchantId, environment }: Tenant,
): Promise<ApiError | undefined> {
  if (environment === 'TEST') return undefined;
  const takesPayments = await canTakePayments(deps.accounts, merchantId, environment);
  return isMerchantBlocked({ environment, takesPayments })
    ? buildApiError('live_not_enabled')
    : undefined;
}

export function findMissingKey(
  { environment }: Tenant,
  idempotencyKey: string | undefined,
): ApiError | undefined {
  return environment === 'LIVE' && idempotencyKey === undefined
    ? buildApiError('idempotency_key_required', { param: 'Idempotency-Key' })
    : undefined;
}

interface MoneyChange<Params> {
  /** Recorded beside the environment. */
  readonly details: Readonly<Record<string, string | null>>;
  /** Returns undefined if the change may be made. */
  readonly admit: () => Promise<ApiError | undefined>;
  /** The handler of keys. */
  readonly change: (request: TenantRequest<Params>) => Answer | Promise<Answer>;
}

/** Changes money once it is admitted, and records the user behind it, whom the object itself does not name. */
export async function changeMoney<Params>(
  deps: AccountDeps,
  request: EnvironmentRequest<Params, unknown>,
  { details, admit, change }: MoneyChange<Params>,
): Promise<Answer> {
  // The request is read before the first await: it is empty once the client has disconnected.
  const actor = buildActor(request);
  const { method, path, target } = request;
  const ofTenant = buildTenantRequest(request);
  const error = await admit();
  if (error !== undefined) return error;
  const { merchantId, environment } = ofTenant.credential;
  await recordAction(deps.accounts, actor, {
    merchantId,
    action: `${method} ${path}`,
    target,
    details: JSON.stringify({ environment, ...details }),
  });
  return change(ofTenant);
}

/** `isStored`: whether a request with this key already made its object, which a repeat only shows. */
export async function admitStepped(
  deps: AccountDeps,
  request: EnvironmentRequest<NoParams, SteppedBody<object>>,
  isStored: (idempotencyKey: string) => Promise<boolean>,
): Promise<ApiError | undefined> {
  const { session, address, idempotencyKey, body } = request;
  const tenant: Tenant = findTenant(request);
  const missing = findMissingKey(tenant, idempotencyKey);
  if (missing !== undefined) return missing;
  const blocked = await admitChange(deps, tenant);
  if (blocked !== undefined || tenant.environment === 'TEST') return blocked;
  if (idempotencyKey !== undefined && (await isStored(idempotencyKey))) return undefined;
  return proveSecondFactor(deps, { session, address, code: body.totpCode });
}
