// Merchant-specific rails: for a payment method, the rails to try, in order. A change applies to the next payment,
// because each create reads them.
import type { MerchantId } from '#actors/core/ids.js';
import { LIVE_RAIL_NAMES } from '#actors/core/rails/rail-names.js';
import {
  listMerchantRails,
  type MerchantRails,
  setMerchantRails,
} from '#store/postgres/merchants/merchant-rails.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { SessionRequest } from '#gateway/routing/request.js';
import { buildActor } from '#gateway/auth/actor.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { MerchantRailsRequest } from './schema.js';

type MerchantParams = { readonly merchant_id: MerchantId };

const NO_SUCH_RAIL = buildApiError('field_invalid', {
  message: 'rails must hold names of known rails, each at most once.',
  param: 'rails',
});

/** Returns 200 with the methods that have merchant-specific rails. */
export async function showMerchantRails(
  deps: AccountDeps,
  { params }: Pick<SessionRequest<MerchantParams>, 'params'>,
): Promise<Answer> {
  const { merchant_id: merchantId } = params;
  const [merchant] = await findMerchant(deps.accounts, merchantId);
  if (merchant === undefined) return buildApiError('merchant_not_found');
  const rows = await listMerchantRails(deps.accounts, merchantId);
  return reply(200, JSON.stringify({ data: rows.map(viewRails) }));
}

/** Returns 200 with all methods that have merchant-specific rails; an empty list restores the default rails. */
export async function routeMerchant(
  deps: AccountDeps,
  request: SessionRequest<MerchantParams, MerchantRailsRequest>,
): Promise<Answer> {
  const { params, body } = request;
  const { merchant_id: merchantId } = params;
  const { payment_method: method, rails } = body;
  const isKnown = rails.every((rail) => LIVE_RAIL_NAMES.some((name) => name === rail));
  if (!isKnown || new Set(rails).size < rails.length) return NO_SUCH_RAIL;
  const route = { merchantId, method, rails };
  const isSet = await setMerchantRails(deps.accounts, buildActor(request), route);
  return isSet ? showMerchantRails(deps, request) : buildApiError('merchant_not_found');
}

function viewRails({ method, rails }: MerchantRails): object {
  return { payment_method: method, rails };
}
