// Events about a merchant's endpoints, such as a disabled one. Merchants list them here; they are not sent as webhooks.
import { listOwnerEvents, type OwnerEvent } from '#store/postgres/webhooks/failing-endpoints.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import type { NoParams } from '#gateway/routing/request.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { EndpointsQuery } from './schema.js';

/** An endpoint is disabled after five days of failures at the earliest, so 100 events cover a long time. */
const LATEST = 100;

/** Returns 200 with the latest, newest first. */
export async function showOwnerEvents(
  deps: AccountDeps,
  { session, query }: MerchantRequest<NoParams, undefined, EndpointsQuery>,
): Promise<Answer> {
  const filter = { merchantId: session.merchantId, environment: query.environment ?? null };
  const rows = await deps.readList(session.merchantId, (sql) =>
    listOwnerEvents(sql, filter, LATEST),
  );
  return reply(200, JSON.stringify({ data: rows.map(viewOwnerEvent) }));
}

function viewOwnerEvent({ id, type, environment, subjectId, at, url, failingSince }: OwnerEvent) {
  return {
    ...{ id, type, created_at: at.toISOString() },
    data: { endpoint_id: subjectId, environment, url, failing_since: failingSince.toISOString() },
  };
}
