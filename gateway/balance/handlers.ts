// What the environment of a key offers and holds: payment methods, balance.
import type { Environment } from '#actors/core/ids.js';
import { PAYMENT_METHOD_IDS, type PaymentMethodId } from '#actors/core/payment-methods.js';
import {
  listBalanceAccounts,
  type BalanceBody,
  viewBalance,
} from '#actors/core/schemas/balance.js';
import { viewPaymentMethod } from '#actors/core/schemas/payment-method.js';
import { loadBalances } from '#store/postgres/ledger/load-balances.js';
import { type Answer, buildApiError, reply, type Reply } from '../routing/response.js';
import type { KeyRequest } from '../routing/request.js';
import type { ApiDeps } from '../payments/api-deps.js';
import type { Owner, StoreDeps } from '../lists/listing.js';

const TEST_LISTING = buildListing(PAYMENT_METHOD_IDS, 'TEST');

function buildListing(ids: readonly PaymentMethodId[], environment: Environment): Reply {
  return reply(200, JSON.stringify({ data: ids.map((id) => viewPaymentMethod(id, environment)) }));
}

/** 200 with the methods that the environment of the key offers: of LIVE those that a rail takes now. */
export async function listPaymentMethods(
  { railAvailability, onError }: Pick<ApiDeps, 'railAvailability' | 'onError'>,
  { credential }: KeyRequest,
): Promise<Answer> {
  if (credential.environment === 'TEST') return TEST_LISTING;
  try {
    const isOffered = await railAvailability.findMethodFilter(credential.merchantId);
    return buildListing(PAYMENT_METHOD_IDS.filter(isOffered), 'LIVE');
  } catch (error) {
    onError(error);
    return buildApiError('dependency_unavailable');
  }
}

/** 200; every currency is there, with zeros where nothing was booked. */
export async function getBalance(
  parts: StoreDeps,
  { credential }: Pick<KeyRequest, 'credential'>,
): Promise<Answer> {
  const balance = await readBalance(parts, credential);
  return reply(200, JSON.stringify(balance));
}

export async function readBalance(
  parts: StoreDeps,
  { merchantId, environment }: Owner,
): Promise<BalanceBody> {
  const accounts = listBalanceAccounts(merchantId, environment);
  return viewBalance(merchantId, environment, await loadBalances(parts.lists, accounts));
}
