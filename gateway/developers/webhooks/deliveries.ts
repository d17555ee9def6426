// Webhook deliveries of a merchant: those still to be sent, delivered and dead.
import type { DeliveryFailure } from '#actors/core/webhooks/failures.js';
import { findDelivery } from '#store/postgres/webhooks/list-deliveries.js';
import {
  listMerchantDeliveries,
  type MerchantDeliveryFilter,
} from '#store/postgres/webhooks/list-merchant-deliveries.js';
import { findEndpoint } from '#store/postgres/webhooks/list-endpoints.js';
import { readPage, writePage } from '#gateway/lists/page.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { DeliveriesQuery, MerchantDeliveriesQuery } from './delivery-schema.js';
import { findSubjectIds, readSubject } from './subjects.js';
import { viewDelivery, viewDetails } from './view.js';

/** Returns 200 with a page, newest first. */
export async function showDeliveries(
  deps: AccountDeps,
  request: MerchantRequest<{ readonly webhook_id: string }, undefined, DeliveriesQuery>,
): Promise<Answer> {
  const { session, params, query } = request;
  const key = { id: params.webhook_id, merchantId: session.merchantId };
  const endpoint = await findEndpoint(deps.accounts, key);
  if (endpoint === undefined) return buildApiError('webhook_not_found');
  const { environment } = endpoint;
  const scope = { list: 'deliveries', merchantId: session.merchantId, environment } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const filter: MerchantDeliveryFilter = {
    ...{ merchantId: session.merchantId, environment, endpointId: key.id },
    ...{ status: query.status ?? null, eventId: null, subjectIds: null },
    ...{ type: null, reason: null, amount: null },
  };
  const found = await deps.readList(session.merchantId, (sql) =>
    listMerchantDeliveries(sql, filter, page),
  );
  const body = writePage(scope, page.limit, found, (row) => JSON.stringify(viewDelivery(row)));
  return reply(200, body);
}

/** Returns 200 with a page of the deliveries to all endpoints, newest first. */
export async function showMerchantDeliveries(
  deps: AccountDeps,
  { session, query }: MerchantRequest<NoParams, undefined, MerchantDeliveriesQuery>,
): Promise<Answer> {
  const { merchantId } = session;
  const { environment = 'all', status = null, event_id: eventId = null } = query;
  const scope = { list: 'merchant_deliveries', merchantId, environment } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const subject = readSubject(query);
  if ('code' in subject) return subject;
  const { endpoint_id: endpointId = null, type = null } = query;
  const reason = (query.reason ?? null) as DeliveryFailure | null;
  const among = { merchantId, environment: query.environment ?? null };
  const found = await deps.readList(merchantId, async (sql) => {
    const subjectIds = await findSubjectIds(sql, among, subject);
    const wanted = { status, eventId, endpointId, type, reason, amount: subject.amount };
    return listMerchantDeliveries(sql, { ...among, ...wanted, subjectIds }, page);
  });
  const body = writePage(scope, page.limit, found, (row) => JSON.stringify(viewDelivery(row)));
  return reply(200, body);
}

/** Returns `status` with the delivery and its attempts. Another merchant's id returns 404. */
export async function showDelivery(
  deps: AccountDeps,
  key: { readonly id: string; readonly merchantId: string },
  status = 200,
): Promise<Answer> {
  const found = await findDelivery(deps.accounts, key);
  return found === undefined
    ? buildApiError('delivery_not_found')
    : reply(status, JSON.stringify(viewDetails(found)));
}
