// Routes of webhook endpoints and their deliveries.
import { findCardInUrl } from '#actors/core/requests/validation.js';
import { buildPageSchema, buildListSchema } from '#actors/core/schemas/fields.js';
import { showDeliveries, showDelivery, showMerchantDeliveries } from './deliveries.js';
import {
  changeEndpoint,
  deleteEndpoint,
  makeEndpoint,
  rotateSecret,
  sendTest,
  showEndpoint,
  showEndpoints,
  type WebhookDeps,
} from './handlers.js';
import { showOwnerEvents } from './owner-events.js';
import * as deliveries from './delivery-schema.js';
import * as wire from './schema.js';
import { allowNoBody, buildBodySpec, buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineMerchantRoute } from '#gateway/routing/session-route.js';

const ENDPOINT_ID = /^we_[0-9a-z]{26}$/;
const DELIVERY_ID = /^del_[0-9a-z]{26,32}$/;
const createParser =
  (pattern: RegExp) =>
  (text: string): string | undefined =>
    pattern.test(text) ? text : undefined;

const params = {
  webhook_id: { parse: createParser(ENDPOINT_ID), code: 'webhook_not_found' },
} as const;
const deliveryParams = {
  delivery_id: { parse: createParser(DELIVERY_ID), code: 'delivery_not_found' },
} as const;
const PATH = '/v1/merchants/me/webhooks';
/** The handlers check the form and the target. */
const URL_CHECK = { url: findCardInUrl } as const;
const LIVE_CHANGE =
  'For LIVE it needs `totp_code` (403 with that `param` without it), and the owners get a mail.';
const SHORT_PAGES =
  'A page of a filtered list may be shorter than `limit` although more rows follow: the list is complete when `next_cursor` is null.';
const READ = { permission: 'read_webhooks' } as const;
const CHANGE = { permission: 'change_webhooks' } as const;

export const buildWebhookRoutes = (deps: WebhookDeps): readonly Route[] => [
  ...buildEndpointRoutes(deps),
  ...buildEndpointActionRoutes(deps),
  ...buildDeliveryRoutes(deps),
];

const buildEndpointRoutes = (deps: WebhookDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: PATH,
    operationId: 'listWebhookEndpoints',
    summary: 'List the webhook endpoints',
    description: 'Without their secrets.',
    query: buildQuerySpec(wire.EndpointsQuery),
    answers: { 200: buildListSchema(wire.Endpoint) },
    handle: (request) => showEndpoints(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: PATH,
    operationId: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description:
      'One endpoint is active in each environment, unless `allow_many` is true; with `replace_others` the new one ' +
      `replaces the others. A LIVE endpoint needs a verified e-mail address. ${LIVE_CHANGE}`,
    body: buildTextBodySpec(wire.CreateEndpointRequest, [], URL_CHECK),
    answers: { 201: wire.NewEndpoint },
    errors: ['card_data_refused', 'target_refused', 'state_conflict', 'rate_limited'],
    handle: (request) => makeEndpoint(deps, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{webhook_id}`,
    operationId: 'getWebhookEndpoint',
    summary: 'Show a webhook endpoint',
    description: 'Without its secret.',
    params,
    answers: { 200: wire.Endpoint },
    handle: (request) => showEndpoint(deps, request),
  }),
  ...buildEndpointChangeRoutes(deps),
];

const buildEndpointChangeRoutes = (deps: WebhookDeps): readonly Route[] => [
  defineMerchantRoute({
    ...CHANGE,
    method: 'PATCH',
    path: `${PATH}/{webhook_id}`,
    operationId: 'updateWebhookEndpoint',
    summary: 'Change a webhook endpoint',
    description: `The change takes effect within a second; held deliveries are sent within seconds. ${LIVE_CHANGE}`,
    params,
    body: buildTextBodySpec(wire.ChangeEndpointRequest, [], URL_CHECK),
    answers: { 200: wire.Endpoint },
    errors: ['card_data_refused', 'target_refused', 'state_conflict', 'rate_limited'],
    handle: (request) => changeEndpoint(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'DELETE',
    path: `${PATH}/{webhook_id}`,
    operationId: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: `It receives nothing from then on. ${LIVE_CHANGE}`,
    params,
    body: allowNoBody(buildBodySpec(wire.DeleteEndpointRequest)),
    answers: { 204: null },
    errors: ['rate_limited'],
    handle: (request) => deleteEndpoint(deps, request),
  }),
];

const buildEndpointActionRoutes = (deps: WebhookDeps): readonly Route[] => [
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{webhook_id}/rotate`,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of an endpoint',
    description:
      'The answer has the new secret. Until the overlap ends both secrets sign: the old one in the signature ' +
      `header, the new one in the header that ends in \`-Next\`. ${LIVE_CHANGE}`,
    params,
    body: buildBodySpec(wire.RotateRequest),
    answers: { 200: wire.NewEndpoint },
    errors: ['state_conflict', 'rate_limited'],
    handle: (request) => rotateSecret(deps, request),
  }),
  defineMerchantRoute({
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/{webhook_id}/test`,
    operationId: 'sendTestEvent',
    summary: 'Send a test event',
    description: 'Sends an event about a made-up payment; its `data.test` is true.',
    params,
    body: buildBodySpec(wire.TestRequest),
    answers: { 201: deliveries.DeliveryDetails },
    errors: ['state_conflict'],
    handle: (request) => sendTest(deps, request),
  }),
];

const buildDeliveryRoutes = (deps: WebhookDeps): readonly Route[] => [
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/events`,
    operationId: 'listWebhookEndpointEvents',
    summary: 'List the events of endpoints',
    description:
      '`endpoint.disabled`: all deliveries failed for five days. The endpoint can be activated again. Lists the latest 100.',
    query: buildQuerySpec(wire.EndpointsQuery),
    answers: { 200: buildListSchema(wire.OwnerEvent) },
    handle: (request) => showOwnerEvents(deps, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/{webhook_id}/deliveries`,
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries to an endpoint',
    description: `Newest first. ${SHORT_PAGES}`,
    params,
    query: buildQuerySpec(deliveries.DeliveriesQuery),
    answers: { 200: buildPageSchema(deliveries.Delivery) },
    handle: (request) => showDeliveries(deps, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/deliveries`,
    operationId: 'listMerchantDeliveries',
    summary: 'List the deliveries to all endpoints',
    description: `Newest first, also those to deleted endpoints. ${SHORT_PAGES}`,
    query: buildQuerySpec(deliveries.MerchantDeliveriesQuery),
    answers: { 200: buildPageSchema(deliveries.Delivery) },
    errors: ['card_data_refused'],
    handle: (request) => showMerchantDeliveries(deps, request),
  }),
  defineMerchantRoute({
    ...READ,
    method: 'GET',
    path: `${PATH}/deliveries/{delivery_id}`,
    operationId: 'getWebhookDelivery',
    summary: 'Show a delivery with its attempts',
    description:
      'With the body and the headers that were sent, byte for byte, and what the endpoint answered.',
    params: deliveryParams,
    answers: { 200: deliveries.DeliveryDetails },
    handle: ({ session, params: { delivery_id: id } }) =>
      showDelivery(deps, { id, merchantId: session.merchantId }),
  }),
];
