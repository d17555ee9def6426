// What merchants are told of: the envelopes as they are stored, never serialised again.
import { type Static, Type } from '@sinclair/typebox';
import type { EventKey, PaymentId } from '#actors/core/ids.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import {
  findEvent,
  type ListedEvent,
  listEvents as findEvents,
  listPaymentEvents as findPaymentEvents,
} from '#store/postgres/payments/list-events.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { KeyRequest, NoParams } from '../routing/request.js';
import type { ApiDeps } from './api-deps.js';
import { readState } from './read-state.js';
import { type Listing, type Owner, showPage, type StoreDeps } from '../lists/listing.js';
import { PAGE_QUERY } from '../lists/page.js';

export const EventsQuery = Type.Object(
  {
    type: Type.Optional(
      Type.Union(
        [
          Type.Literal('payment.paid'),
          Type.Literal('payment.failed'),
          Type.Literal('payment.cancelled'),
          Type.Literal('payment.refunded'),
        ],
        { errorMessage: 'must be one of the four types of events' },
      ),
    ),
    ...PAGE_QUERY,
  },
  { additionalProperties: false },
);
export type EventsQuery = Static<typeof EventsQuery>;

/** 200 with a page, newest first. */
export function listEvents(
  parts: StoreDeps,
  { credential, query }: KeyRequest<NoParams, undefined, EventsQuery>,
): Promise<Answer> {
  return showPage(createEventListing(parts, credential, query), query);
}

export function createEventListing(
  parts: StoreDeps,
  { merchantId, environment }: Owner,
  query: EventsQuery,
): Listing<ListedEvent> {
  const filter = { merchantId, environment, type: query.type ?? null };
  return {
    scope: { list: 'events', merchantId, environment },
    columns: Object.keys(EventEnvelope.properties),
    find: (page) => findEvents(parts.lists, filter, page),
    view: ({ envelope }) => JSON.parse(envelope) as object,
    write: ({ envelope }) => envelope,
  };
}

/** 200 with the envelope; 404 for one of another merchant or of the other environment. */
export async function getEvent(
  parts: StoreDeps,
  request: KeyRequest<{ event_id: EventKey }>,
): Promise<Answer> {
  const { credential, params } = request;
  const [envelope] = await findEvent(parts.lists, params.event_id, credential);
  return envelope === undefined ? buildApiError('event_not_found') : reply(200, envelope);
}

/** 200 with all events of a payment, oldest first; their number is bounded by its transitions. */
export async function listPaymentEvents(
  parts: ApiDeps,
  { credential, params }: KeyRequest<{ payment_id: PaymentId }>,
): Promise<Answer> {
  const state = await readState(parts, params.payment_id);
  if (state === 'unavailable') return buildApiError('dependency_unavailable');
  const isOwn =
    state?.merchantId === credential.merchantId && state.environment === credential.environment;
  if (!isOwn) return buildApiError('payment_not_found');
  const envelopes = await findPaymentEvents(parts.lists, state.id);
  return reply(200, `{"data":[${envelopes.join(',')}],"next_cursor":null}`);
}
