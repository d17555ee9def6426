// Events of a merchant: the stored envelopes, byte for byte as webhooks deliver them.
import { type Static, Type } from '@sinclair/typebox';
import { type EventKey, parseEventId, type PaymentId } from '#actors/core/ids.js';
import { EventEnvelope, WebhookTypeChoice } from '#actors/core/schemas/event.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import {
  findEvent,
  type ListedEvent,
  listEvents as findEvents,
  listPaymentEvents as findPaymentEvents,
} from '#store/postgres/payments/list-events.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { KeyRequest, NoParams } from '#gateway/routing/request.js';
import { buildQuerySpec, defineKeyRoute, type Route } from '#gateway/routing/route.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { readOwnState } from '#gateway/commands/read-state.js';
import { listColumns } from '#gateway/lists/csv-cells.js';
import {
  type Listing,
  type Tenant,
  type TenantRequest,
  showPage,
  type StoreDeps,
} from '#gateway/lists/listing.js';
import { PAGE_QUERY } from '#gateway/lists/page.js';

export const EventsQuery = Type.Object(
  {
    type: Type.Optional(WebhookTypeChoice),
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type EventsQuery = Static<typeof EventsQuery>;

const params = { event_id: { parse: parseEventId, code: 'event_not_found' } } as const;

export const buildEventRoutes = (deps: StoreDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'GET',
    path: '/v1/events',
    operationId: 'listEvents',
    summary: 'List events',
    description: 'Newest first, as webhooks deliver them.',
    query: buildQuerySpec(EventsQuery),
    answers: { 200: buildPageSchema(EventEnvelope) },
    errors: ['field_invalid'],
    handle: (request) => listEvents(deps, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/events/{event_id}',
    operationId: 'getEvent',
    summary: 'Show an event',
    description: 'Byte for byte as webhooks deliver it.',
    params,
    answers: { 200: EventEnvelope },
    errors: ['event_not_found'],
    handle: (request) => getEvent(deps, request),
  }),
];

/** 200 with a page, newest first. */
function listEvents(
  deps: StoreDeps,
  { credential, query }: KeyRequest<NoParams, undefined, EventsQuery>,
): Promise<Answer> {
  return showPage(deps, createEventListing(deps, credential, query), query);
}

export function createEventListing(
  deps: Pick<StoreDeps, 'lists'>,
  { merchantId, environment }: Tenant,
  query: EventsQuery,
): Listing<ListedEvent> {
  const filter = { merchantId, environment, type: query.type ?? null };
  return {
    scope: { list: 'events', merchantId, environment },
    columns: listColumns(EventEnvelope),
    find: (page) => findEvents(deps.lists, filter, page),
    view: ({ envelope }) => JSON.parse(envelope) as object,
    write: ({ envelope }) => envelope,
  };
}

/** 200; another merchant's or the other environment's id returns 404. */
async function getEvent(
  deps: StoreDeps,
  request: KeyRequest<{ event_id: EventKey }>,
): Promise<Answer> {
  const { credential, params } = request;
  const [envelope] = await findEvent(deps.lists, params.event_id, credential);
  return envelope === undefined ? buildApiError('event_not_found') : reply(200, envelope);
}

/** 200 with all events of a payment, oldest first, on one page: a payment has few. */
export async function listPaymentEvents(
  deps: ApiDeps,
  { credential, params }: TenantRequest<{ payment_id: PaymentId }>,
): Promise<Answer> {
  const state = await readOwnState(deps, params.payment_id, credential);
  if (state === undefined) return buildApiError('payment_not_found');
  const envelopes = await findPaymentEvents(deps.lists, state.id);
  return reply(200, `{"data":[${envelopes.join(',')}],"next_cursor":null}`);
}
