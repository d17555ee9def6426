// What merchants are told of: the envelopes as they are stored, never serialised again.
import { type Static, Type } from '@sinclair/typebox';
import type { EventKey, PaymentId } from '../../../actors/core/ids.js';
import {
  findEvent,
  listEvents as findEvents,
  listPaymentEvents as findPaymentEvents,
} from '../../../store/postgres/payments/lists/list-events.js';
import { type Answer, refuse, reply } from '../../http/answer.js';
import type { KeyRequest, NoParams } from '../../http/request.js';
import { askStore, type StoreParts } from '../ask-store.js';
import type { ApiParts } from '../parts.js';
import { readState } from '../read-state.js';
import type { ListScope } from './cursor.js';
import { PAGE_QUERY, readPage, writePage } from './page.js';

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
export async function listEvents(
  parts: StoreParts,
  request: KeyRequest<NoParams, undefined, EventsQuery>,
): Promise<Answer> {
  const { merchantId, environment } = request.credential;
  const scope: ListScope = { list: 'events', merchantId, environment };
  const page = readPage(scope, request.query);
  if ('code' in page) return page;
  const filter = { merchantId, environment, type: request.query.type ?? null };
  const found = await askStore(parts, (sql) => findEvents(sql, filter, page));
  if (found === undefined) return refuse('dependency_unavailable');
  return reply(
    200,
    writePage(scope, page.limit, found, ({ envelope }) => envelope),
  );
}

/** 200 with the envelope; 404 for one of another merchant or of the other environment. */
export async function getEvent(
  parts: StoreParts,
  request: KeyRequest<{ event_id: EventKey }>,
): Promise<Answer> {
  const { credential, params } = request;
  const found = await askStore(parts, (sql) => findEvent(sql, params.event_id, credential));
  if (found === undefined) return refuse('dependency_unavailable');
  const [envelope] = found;
  return envelope === undefined ? refuse('event_not_found') : reply(200, envelope);
}

/** 200 with all events of a payment, oldest first; their number is bounded by its transitions. */
export async function listPaymentEvents(
  parts: ApiParts,
  { credential, params }: KeyRequest<{ payment_id: PaymentId }>,
): Promise<Answer> {
  const state = await readState(parts, params.payment_id);
  if (state === 'unavailable') return refuse('dependency_unavailable');
  const isOwn =
    state?.merchantId === credential.merchantId && state.environment === credential.environment;
  if (!isOwn) return refuse('payment_not_found');
  const envelopes = await askStore(parts, (sql) => findPaymentEvents(sql, state.id));
  if (envelopes === undefined) return refuse('dependency_unavailable');
  return reply(200, `{"data":[${envelopes.join(',')}],"next_cursor":null}`);
}
