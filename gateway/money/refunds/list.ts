// The refunds of a merchant: the table of refunds finds them, the snapshots of their payments hold their fields.
import { type Static, Type } from '@sinclair/typebox';
import { PAYMENT_ID_PATTERN, type PaymentId, type RefundId } from '#actors/core/ids.js';
import { findRefund as pickRefund } from '#actors/core/payment/state.js';
import { type RefundStatus } from '#actors/core/statuses.js';
import { viewRefund } from '#actors/core/payment/view.js';
import { decodeSnapshot } from '#actors/core/payment/wire/snapshot.js';
import { Refund, type RefundBody, type ShownRefundStatus } from '#actors/core/schemas/refund.js';
import {
  findRefund,
  type ListedRefund,
  listRefunds as findRefunds,
} from '#store/postgres/payments/list-refunds.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { KeyRequest, NoParams } from '#gateway/routing/request.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import {
  type Listing,
  type Tenant,
  type TenantRequest,
  showPage,
  type StoreDeps,
} from '#gateway/lists/listing.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';

export const RefundStatusFilter = Type.Optional(
  Type.Union(
    [
      Type.Literal('SUCCEEDED'),
      Type.Literal('PENDING'),
      Type.Literal('MANUAL_REQUIRED'),
      Type.Literal('FAILED'),
    ],
    { errorMessage: 'must be SUCCEEDED, PENDING, MANUAL_REQUIRED or FAILED' },
  ),
);

export const RefundsQuery = Type.Object(
  {
    payment_id: Type.Optional(
      Type.Unsafe<PaymentId>(
        Type.String({ pattern: PAYMENT_ID_PATTERN, errorMessage: 'must be the id of a payment' }),
      ),
    ),
    status: RefundStatusFilter,
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type RefundsQuery = Static<typeof RefundsQuery>;

/** The stored statuses of each status that merchants see. */
export const STATUSES: Readonly<Record<ShownRefundStatus, readonly RefundStatus[]>> = {
  SUCCEEDED: ['succeeded'],
  PENDING: ['queued', 'asked'],
  MANUAL_REQUIRED: ['manual_required'],
  FAILED: ['failed'],
};

/** 200 with a page, newest first. */
export function listRefunds(
  deps: StoreDeps,
  { credential, query }: KeyRequest<NoParams, undefined, RefundsQuery>,
): Promise<Answer> {
  return showPage(deps, createRefundListing(deps, credential, query), query);
}

export function createRefundListing(
  deps: Pick<StoreDeps, 'lists'>,
  { merchantId, environment }: Tenant,
  { payment_id: paymentId, status }: RefundsQuery,
): Listing<ListedRefund> {
  const statuses = status === undefined ? [] : STATUSES[status];
  const filter = { merchantId, environment, paymentId: paymentId ?? null, statuses };
  return {
    scope: { list: 'refunds', merchantId, environment },
    columns: listColumns(Refund),
    find: (page) => findRefunds(deps.lists, filter, page),
    view: showRefund,
  };
}

/** 200; another merchant's or the other environment's id returns 404. */
export async function getRefund(
  deps: StoreDeps,
  request: TenantRequest<{ refund_id: RefundId }>,
): Promise<Answer> {
  const { credential, params } = request;
  const [refund] = await findRefund(deps.lists, params.refund_id, credential);
  return refund === undefined
    ? buildApiError('refund_not_found')
    : reply(200, JSON.stringify(showRefund(refund)));
}

/** One commit writes the row of a refund and the snapshot of its payment, so the snapshot holds the refund. */
function showRefund({ id, snapshot }: ListedRefund): RefundBody {
  const state = decodeSnapshot(snapshot);
  const refund = pickRefund(state, id);
  if (refund === undefined) throw new Error(`payment ${state.id} does not hold its refund ${id}`);
  return viewRefund(state, refund);
}
