// What the environment of a secret key offers, holds and has told: methods, balance, events.
import { parseEventId } from '#actors/core/ids.js';
import { Balance } from '#actors/core/schemas/balance.js';
import { EventEnvelope } from '#actors/core/schemas/event.js';
import { buildPageSchema, buildListSchema } from '#actors/core/schemas/fields.js';
import { PaymentMethodSchema } from '#actors/core/schemas/payment-method.js';
import { getBalance, listPaymentMethods } from './handlers.js';
import { EventsQuery, getEvent, listEvents } from '../payments/events.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { defineKeyRoute, buildQuerySpec, type Route } from '../routing/route.js';

const params = { event_id: { parse: parseEventId, code: 'event_not_found' } } as const;

export const buildAccountRoutes = (parts: ApiDeps): readonly Route[] => [
  defineKeyRoute({
    method: 'GET',
    path: '/v1/payment-methods',
    summary: 'List the payment methods that the environment of the key offers',
    answers: { 200: buildListSchema(PaymentMethodSchema) },
    handle: (request) => listPaymentMethods(parts, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/balance',
    summary: 'Show the balance of the environment of the key',
    answers: { 200: Balance },
    handle: (request) => getBalance(parts, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/events',
    summary: 'List events',
    query: buildQuerySpec(EventsQuery),
    answers: { 200: buildPageSchema(EventEnvelope) },
    errors: ['field_invalid'],
    handle: (request) => listEvents(parts, request),
  }),
  defineKeyRoute({
    method: 'GET',
    path: '/v1/events/{event_id}',
    summary: 'Show an event',
    params,
    answers: { 200: EventEnvelope },
    errors: ['event_not_found'],
    handle: (request) => getEvent(parts, request),
  }),
];
