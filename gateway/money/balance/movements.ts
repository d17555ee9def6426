// The movements of a merchant's accounts by page: the statement as it is shown on a page.
import { formatMerchantAccount, MERCHANT_ACCOUNTS } from '#actors/core/ledger/accounts.js';
import { CURRENCY_CODES } from '#actors/core/money.js';
import { listMovements, type ListedMovement } from '#store/postgres/ledger/list-movements.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import { readDate } from '#gateway/lists/filters.js';
import { type Listing, type Tenant, showPage, type StoreDeps } from '#gateway/lists/listing.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { Answer, ApiError } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { BalanceMovement, type MovementsQuery, nameAccount } from './schema.js';

/** Returns 200 with a page, newest first; 400 names the invalid parameter. */
export function showMovements(
  deps: StoreDeps,
  { session, query }: MerchantRequest<NoParams, undefined, MovementsQuery>,
): Promise<Answer> {
  const { environment = 'TEST' } = query;
  const tenant = { merchantId: session.merchantId, environment };
  return showPage(deps, createMovementListing(deps, tenant, query), query);
}

function createMovementListing(
  { lists }: Pick<StoreDeps, 'lists'>,
  { merchantId, environment }: Tenant,
  query: MovementsQuery,
): Listing<ListedMovement> | ApiError {
  const from = readDate(query, 'from');
  if (from !== null && 'code' in from) return from;
  const to = readDate(query, 'to');
  if (to !== null && 'code' in to) return to;
  const names = new Map(
    MERCHANT_ACCOUNTS.filter((name) => (query.account ?? nameAccount(name)) === nameAccount(name))
      .flatMap((name) => CURRENCY_CODES.map((currency) => ({ name, currency })))
      .map(({ name, currency }) => [
        formatMerchantAccount(name, merchantId, environment, currency),
        nameAccount(name),
      ]),
  );
  return {
    scope: { list: 'balance_movements', merchantId, environment },
    columns: listColumns(BalanceMovement),
    find: (page) => listMovements(lists, { accounts: [...names.keys()], from, to }, page),
    view: ({ at, account, causeId, version, index, side, causeKind, ...money }) => ({
      id: [causeId, version, index, side].join('.'),
      object: 'balance_movement',
      environment,
      at: at.toISOString(),
      account: names.get(account),
      ...{ amount: money.amount, currency: money.currency, reason: money.reason },
      cause_type: causeKind,
      cause_id: causeId,
    }),
  };
}
