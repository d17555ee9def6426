// The payouts of a merchant, newest first.
import { type Static, Type } from '@sinclair/typebox';
import { removeHidden } from '#actors/core/hidden-characters.js';
import type { PayoutId } from '#actors/core/ids.js';
import { viewPayout } from '#actors/core/payout/view.js';
import { Payout, PayoutStatusFilter } from '#actors/core/schemas/payout.js';
import {
  findPayout,
  type ListedPayout,
  listPayouts as findPayouts,
  type PayoutFilter,
} from '#store/postgres/payouts/list-payouts.js';
import { type Answer, type ApiError, buildApiError, reply } from '#gateway/routing/response.js';
import type { KeyRequest, NoParams } from '#gateway/routing/request.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import { checkReference, readTimes, TIMES_QUERY } from '#gateway/lists/filters.js';
import {
  type Listing,
  type Tenant,
  type TenantRequest,
  showPage,
  type StoreDeps,
} from '#gateway/lists/listing.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';

export const PayoutsQuery = Type.Object(
  {
    status: Type.Optional(PayoutStatusFilter),
    reference_id: Type.Optional(Type.String({ description: "The merchant's own id, exact." })),
    ...TIMES_QUERY,
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type PayoutsQuery = Static<typeof PayoutsQuery>;

/** 200 with a page; 400 names the invalid parameter. */
export function listPayouts(
  deps: StoreDeps,
  { credential, query }: KeyRequest<NoParams, undefined, PayoutsQuery>,
): Promise<Answer> {
  return showPage(deps, createPayoutListing(deps, credential, query), query);
}

export function createPayoutListing(
  deps: Pick<StoreDeps, 'lists'>,
  { merchantId, environment }: Tenant,
  query: PayoutsQuery,
): Listing<ListedPayout> | ApiError {
  const filter = readFilter({ merchantId, environment }, query);
  if ('code' in filter) return filter;
  return {
    scope: { list: 'payouts', merchantId, environment },
    columns: listColumns(Payout),
    find: (page) => findPayouts(deps.lists, filter, page),
    view: ({ state }) => viewPayout(state),
  };
}

function readFilter(tenant: Tenant, query: PayoutsQuery): PayoutFilter | ApiError {
  const { status = null, reference_id: reference } = query;
  const referenceId = reference === undefined ? null : removeHidden(reference);
  const fault = referenceId === null ? null : checkReference(referenceId);
  if (fault !== null) return fault;
  const times = readTimes(query);
  return 'code' in times ? times : { tenant, status, referenceId, ...times };
}

/** 200; another merchant's or the other environment's id returns 404. */
export async function getPayout(
  deps: StoreDeps,
  { credential, params }: TenantRequest<{ payout_id: PayoutId }>,
): Promise<Answer> {
  const found = await findPayout(deps.lists, params.payout_id);
  const { merchantId, environment } = credential;
  const own = found.find(
    (state) => state.merchantId === merchantId && state.environment === environment,
  );
  return own === undefined
    ? buildApiError('payout_not_found')
    : reply(200, JSON.stringify(viewPayout(own)));
}
