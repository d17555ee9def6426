// Rails of a merchant's own, method by method, in the order to try them. What is set here counts for the next create: it is
// read with each.
import type { MerchantId } from '#actors/core/ids.js';
import { LIVE_RAIL_NAMES } from '#actors/core/rails/answers.js';
import {
  listMerchantRails,
  type MerchantRails,
  setMerchantRails,
} from '#store/postgres/merchants/merchant-rails.js';
import { findMerchant } from '#store/postgres/merchants/find-merchant.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { SessionRequest } from '../routing/request.js';
import { buildActor } from '../auth/actor.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import type { MerchantRailsRequest } from './admin-schema.js';

type MerchantParams = { readonly merchant_id: MerchantId };

const NO_SUCH_RAIL = buildApiError('field_invalid', {
  message: 'rails: expected names of rails, each once.',
  param: 'rails',
});

/** 200 with the methods that have rails of their own for this merchant. */
export async function showMerchantRails(
  parts: AccountDeps,
  { params }: Pick<SessionRequest<MerchantParams>, 'params'>,
): Promise<Answer> {
  const { merchant_id: merchantId } = params;
  const [merchant] = await queryAccounts(parts, (sql) => findMerchant(sql, merchantId));
  if (merchant === undefined) return buildApiError('merchant_not_found');
  const rows = await queryAccounts(parts, (sql) => listMerchantRails(sql, merchantId));
  return reply(200, JSON.stringify({ data: rows.map(viewRails) }));
}

/** 200 with all of the merchant's; without rails the method goes by the environment's again. */
export async function routeMerchant(
  parts: AccountDeps,
  request: SessionRequest<MerchantParams, MerchantRailsRequest>,
): Promise<Answer> {
  const { params, body } = request;
  const { merchant_id: merchantId } = params;
  const { payment_method: method, rails } = body;
  const isKnown = rails.every((rail) => LIVE_RAIL_NAMES.some((name) => name === rail));
  if (!isKnown || new Set(rails).size < rails.length) return NO_SUCH_RAIL;
  const route = { merchantId, method, rails };
  const isSet = await queryAccounts(parts, (sql) =>
    setMerchantRails(sql, buildActor(request), route),
  );
  return isSet ? showMerchantRails(parts, request) : buildApiError('merchant_not_found');
}

function viewRails({ method, rails }: MerchantRails): object {
  return { payment_method: method, rails };
}
