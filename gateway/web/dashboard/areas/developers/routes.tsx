// Views of the area developers. Each is loaded when it is first opened; filters and cursors are in the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '@dashboard/shared/session/roots.js';
import { pickTexts } from '@dashboard/shared/session/search.js';

const parent = { getParentRoute: () => signedInRoute } as const;

const firstStepsRoute = createRoute({
  ...parent,
  path: 'first-steps',
  component: lazyRouteComponent(
    () => import('./first-steps/first-steps-view.js'),
    'FirstStepsView',
  ),
});

const apiKeysRoute = createRoute({
  ...parent,
  path: 'api-keys',
  validateSearch: pickTexts(['cursor']),
  component: lazyRouteComponent(() => import('./api-keys/api-keys-view.js'), 'ApiKeysView'),
});

const endpointsRoute = createRoute({
  ...parent,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('./webhooks/endpoints-view.js'), 'EndpointsView'),
});

const endpointRoute = createRoute({
  ...parent,
  path: 'webhooks/$webhookId',
  validateSearch: pickTexts(['status', 'cursor']),
  component: lazyRouteComponent(() => import('./webhooks/endpoint-view.js'), 'EndpointView'),
});

const deliveriesRoute = createRoute({
  ...parent,
  path: 'webhooks/deliveries',
  validateSearch: pickTexts([
    ...(['payment_id', 'reference_id', 'amount', 'endpoint_id', 'type', 'reason'] as const),
    ...(['status', 'cursor'] as const),
  ]),
  component: lazyRouteComponent(() => import('./webhooks/deliveries-view.js'), 'DeliveriesView'),
});

const deliveryRoute = createRoute({
  ...parent,
  path: 'webhooks/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./webhooks/delivery-view.js'), 'DeliveryView'),
});

const deadLettersRoute = createRoute({
  ...parent,
  path: 'webhooks/dead-letters',
  validateSearch: pickTexts([
    ...(['payment_id', 'reference_id', 'amount', 'endpoint_id', 'type', 'reason'] as const),
    ...(['from', 'to', 'replay', 'cursor'] as const),
  ]),
  component: lazyRouteComponent(
    () => import('./dead-letters/dead-letters-view.js'),
    'DeadLettersView',
  ),
});

const logsRoute = createRoute({
  ...parent,
  path: 'api-logs',
  validateSearch: pickTexts([
    ...(['status', 'method', 'path', 'request_id', 'payment_id', 'from'] as const),
    ...(['to', 'live', 'cursor'] as const),
  ]),
  component: lazyRouteComponent(() => import('./api-logs/logs-view.js'), 'LogsView'),
});

const logRoute = createRoute({
  ...parent,
  path: 'api-logs/$requestId',
  component: lazyRouteComponent(() => import('./api-logs/log-view.js'), 'LogView'),
});

export const buildDevelopersRoutes = () =>
  [
    ...([firstStepsRoute, apiKeysRoute, endpointsRoute, endpointRoute] as const),
    ...([deliveriesRoute, deliveryRoute, deadLettersRoute, logsRoute, logRoute] as const),
  ] as const;
