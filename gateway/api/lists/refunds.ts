// The refunds of a merchant: shown from the snapshots of their payments, found by the table of refunds.
import { type Static, Type } from '@sinclair/typebox';
import { PAYMENT_ID_PATTERN, type PaymentId, type RefundId } from '../../../actors/core/ids.js';
import { findRefund as pickRefund, type RefundStatus } from '../../../actors/core/payment/state.js';
import { viewRefund } from '../../../actors/core/payment/view.js';
import { decodeSnapshot } from '../../../actors/core/payment/wire/snapshot.js';
import type { ShownRefundStatus } from '../../../actors/core/schemas/refund.js';
import {
  findRefund,
  type ListedRefund,
  listRefunds as findRefunds,
} from '../../../store/postgres/payments/lists/list-refunds.js';
import { type Answer, refuse, reply } from '../../http/answer.js';
import type { KeyRequest, NoParams } from '../../http/request.js';
import { askStore, type StoreParts } from '../ask-store.js';
import type { ListScope } from './cursor.js';
import { PAGE_QUERY, readPage, writePage } from './page.js';

export const RefundsQuery = Type.Object(
  {
    payment_id: Type.Optional(
      Type.Unsafe<PaymentId>(
        Type.String({ pattern: PAYMENT_ID_PATTERN, errorMessage: 'must be the id of a payment' }),
      ),
    ),
    status: Type.Optional(
      Type.Union(
        [
          Type.Literal('SUCCEEDED'),
          Type.Literal('PENDING'),
          Type.Literal('MANUAL_REQUIRED'),
          Type.Literal('FAILED'),
        ],
        { errorMessage: 'must be SUCCEEDED, PENDING, MANUAL_REQUIRED or FAILED' },
      ),
    ),
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type RefundsQuery = Static<typeof RefundsQuery>;

/** What is behind each status that merchants see. */
export const STATUSES: Readonly<Record<ShownRefundStatus, readonly RefundStatus[]>> = {
  SUCCEEDED: ['succeeded'],
  PENDING: ['queued', 'asked'],
  MANUAL_REQUIRED: ['manual_required'],
  FAILED: ['failed'],
};

/** 200 with a page, newest first. */
export async function listRefunds(
  parts: StoreParts,
  request: KeyRequest<NoParams, undefined, RefundsQuery>,
): Promise<Answer> {
  const { merchantId, environment } = request.credential;
  const { payment_id: paymentId = null, status } = request.query;
  const scope: ListScope = { list: 'refunds', merchantId, environment };
  const page = readPage(scope, request.query);
  if ('code' in page) return page;
  const statuses = status === undefined ? [] : STATUSES[status];
  const filter = { merchantId, environment, paymentId, statuses };
  const found = await askStore(parts, (sql) => findRefunds(sql, filter, page));
  if (found === undefined) return refuse('dependency_unavailable');
  return reply(200, writePage(scope, page.limit, found, writeRefund));
}

/** 200 with the refund; 404 for one of another merchant or of the other environment. */
export async function getRefund(
  parts: StoreParts,
  request: KeyRequest<{ refund_id: RefundId }>,
): Promise<Answer> {
  const { credential, params } = request;
  const found = await askStore(parts, (sql) => findRefund(sql, params.refund_id, credential));
  if (found === undefined) return refuse('dependency_unavailable');
  const [refund] = found;
  return refund === undefined ? refuse('refund_not_found') : reply(200, writeRefund(refund));
}

/** A refund's row is written by the commit that writes its payment's snapshot, so it stands there. */
function writeRefund({ id, snapshot }: ListedRefund): string {
  const state = decodeSnapshot(snapshot);
  const refund = pickRefund(state, id);
  if (refund === undefined) throw new Error(`payment ${state.id} does not hold its refund ${id}`);
  return JSON.stringify(viewRefund(state, refund));
}
