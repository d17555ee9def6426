// What the environment of a key offers and holds: payment methods, balance.
import type { Environment } from '../../actors/core/ids.js';
import { PAYMENT_METHOD_IDS, type PaymentMethodId } from '../../actors/core/payment-methods.js';
import { balanceAccounts, viewBalance } from '../../actors/core/schemas/balance.js';
import { viewPaymentMethod } from '../../actors/core/schemas/payment-method.js';
import { loadBalances } from '../../store/postgres/ledger/load-balances.js';
import { type Answer, refuse, reply, type Reply } from '../http/answer.js';
import type { KeyRequest } from '../http/request.js';
import { askStore, type StoreParts } from './ask-store.js';
import type { ApiParts } from './parts.js';

const TEST_LISTING = listingOf(PAYMENT_METHOD_IDS, 'TEST');

function listingOf(ids: readonly PaymentMethodId[], environment: Environment): Reply {
  return reply(200, JSON.stringify({ data: ids.map((id) => viewPaymentMethod(id, environment)) }));
}

/** 200 with the methods that the environment of the key offers: of LIVE those that a rail takes now. */
export function listPaymentMethods(
  { live }: Pick<ApiParts, 'live'>,
  { credential }: KeyRequest,
): Answer {
  if (credential.environment === 'TEST') return TEST_LISTING;
  return listingOf(
    PAYMENT_METHOD_IDS.filter((id) => live.isOffered(id)),
    'LIVE',
  );
}

/** 200; every currency is there, with zeros where nothing was booked. */
export async function getBalance(parts: StoreParts, request: KeyRequest): Promise<Answer> {
  const { merchantId, environment } = request.credential;
  const accounts = balanceAccounts(merchantId, environment);
  const balances = await askStore(parts, (sql) => loadBalances(sql, accounts));
  if (balances === undefined) return refuse('dependency_unavailable');
  return reply(200, JSON.stringify(viewBalance(merchantId, environment, balances)));
}
