// Webhook endpoints and their deliveries (API.md, section 4).
import { listOf, wholeListOf } from '#actors/core/schemas/fields.js';
import { showDeliveries, showDelivery } from '#gateway/merchant/webhooks/deliveries.js';
import {
  changeEndpoint,
  deleteEndpoint,
  makeEndpoint,
  rotateSecret,
  sendTest,
  showEndpoint,
  showEndpoints,
  type WebhookParts,
} from '#gateway/merchant/webhooks/endpoints.js';
import { showOwnerEvents } from '#gateway/merchant/webhooks/owner-events.js';
import * as wire from '#gateway/merchant/webhooks/schema.js';
import { bodyOf, queryOf, type Route } from '../route.js';
import { merchantRoute } from './session-route.js';

const ENDPOINT_ID = /^we_[0-9a-z]{26}$/;
const DELIVERY_ID = /^del_[0-9a-z]{26,32}$/;
const parseBy =
  (pattern: RegExp) =>
  (text: string): string | undefined =>
    pattern.test(text) ? text : undefined;

const params = { webhook_id: { parse: parseBy(ENDPOINT_ID), code: 'webhook_not_found' } } as const;
const deliveryParams = {
  delivery_id: { parse: parseBy(DELIVERY_ID), code: 'delivery_not_found' },
} as const;
const PATH = '/v1/merchants/me/webhooks';
const READ = { permission: 'read_webhooks' } as const;
const CHANGE = { permission: 'change_webhooks' } as const;

export const webhookRoutes = (parts: WebhookParts): readonly Route[] => [
  ...endpointRoutes(parts),
  ...actionRoutes(parts),
  ...deliveryRoutes(parts),
];

const endpointRoutes = (parts: WebhookParts): readonly Route[] => [
  merchantRoute({
    ...READ,
    method: 'GET',
    path: PATH,
    summary: 'List the webhook endpoints',
    query: queryOf(wire.EndpointsQuery),
    answers: { 200: wholeListOf(wire.Endpoint) },
    handle: (request) => showEndpoints(parts, request),
  }),
  merchantRoute({
    ...CHANGE,
    method: 'POST',
    path: PATH,
    summary: 'Register a webhook endpoint',
    description: 'One is active in each environment, unless `allow_many` is sent.',
    body: bodyOf(wire.CreateEndpointRequest),
    answers: { 201: wire.NewEndpoint },
    errors: ['target_refused', 'state_conflict'],
    handle: (request) => makeEndpoint(parts, request),
  }),
  merchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{webhook_id}`,
    summary: 'Show a webhook endpoint',
    params,
    answers: { 200: wire.Endpoint },
    handle: (request) => showEndpoint(parts, request),
  }),
  merchantRoute({
    ...CHANGE,
    method: 'PATCH',
    path: `${PATH}/{webhook_id}`,
    summary: 'Change a webhook endpoint',
    description: 'It counts within a second.',
    params,
    body: bodyOf(wire.ChangeEndpointRequest),
    answers: { 200: wire.Endpoint },
    errors: ['target_refused', 'state_conflict'],
    handle: (request) => changeEndpoint(parts, request),
  }),
  merchantRoute({
    ...CHANGE,
    method: 'DELETE',
    path: `${PATH}/{webhook_id}`,
    summary: 'Delete a webhook endpoint',
    params,
    answers: { 204: null },
    handle: (request) => deleteEndpoint(parts, request),
  }),
];

const actionRoutes = (parts: WebhookParts): readonly Route[] => [
  merchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{webhook_id}/rotate`,
    summary: 'Rotate the secret of an endpoint',
    description:
      'The answer has the new secret. Until the overlap ends both sign: the old one in the signature header, the ' +
      'new one in the one that ends in `-Next`.',
    params,
    body: bodyOf(wire.RotateRequest),
    answers: { 200: wire.NewEndpoint },
    errors: ['state_conflict'],
    handle: (request) => rotateSecret(parts, request),
  }),
  merchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{webhook_id}/test`,
    summary: 'Send a test event',
    description: 'Of a payment that does not exist; `data.test` is true.',
    params,
    body: bodyOf(wire.TestRequest),
    answers: { 201: wire.DeliveryDetails },
    errors: ['state_conflict'],
    handle: (request) => sendTest(parts, request),
  }),
];

const deliveryRoutes = (parts: WebhookParts): readonly Route[] => [
  merchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/events`,
    summary: 'List what was done to endpoints',
    description:
      '`endpoint.disabled`: nothing was delivered for five days. It can be switched on again. The latest 100.',
    query: queryOf(wire.EndpointsQuery),
    answers: { 200: wholeListOf(wire.OwnerEvent) },
    handle: (request) => showOwnerEvents(parts, request),
  }),
  merchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{webhook_id}/deliveries`,
    summary: 'List the deliveries to an endpoint',
    params,
    query: queryOf(wire.DeliveriesQuery),
    answers: { 200: listOf(wire.Delivery) },
    handle: (request) => showDeliveries(parts, request),
  }),
  merchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/deliveries/{delivery_id}`,
    summary: 'Show a delivery with its attempts',
    params: deliveryParams,
    answers: { 200: wire.DeliveryDetails },
    handle: ({ session, params: { delivery_id: id } }) =>
      showDelivery(parts, { id, merchantId: session.merchantId }),
  }),
];
