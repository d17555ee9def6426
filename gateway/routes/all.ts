// Every row that the gateway serves, the documentation of them included.
import type { ApiParts } from '../api/parts.js';
import type { CallbackParts } from '../callbacks/handlers.js';
import type { CheckoutParts } from '../pages/checkout/handlers.js';
import type { CollectingParts } from '../pages/collecting.js';
import { accountRoutes } from './account.js';
import { apiRoutes } from './api.js';
import { callbackRoutes } from './callbacks.js';
import { checkoutRoutes } from './pages/checkout.js';
import { type DocsRouteParts, withDocs } from './pages/docs.js';
import { invoicePageRoutes } from './pages/invoice.js';
import { linkPageRoutes } from './pages/payment-link.js';
import { type HealthParts, healthRoutes } from './health.js';
import { payoutRoutes } from './payouts.js';
import { refundRoutes } from './refunds.js';
import type { Route } from './route.js';
import { sandboxRoutes } from './sandbox.js';
import { allSessionRoutes, type SessionRouteParts } from './sessions/all.js';

export type AllParts = ApiParts &
  CallbackParts &
  CheckoutParts &
  CollectingParts &
  DocsRouteParts &
  HealthParts &
  SessionRouteParts;

export function allRoutes(parts: AllParts): readonly Route[] {
  const routes = [
    ...apiRoutes(parts),
    ...refundRoutes(parts),
    ...payoutRoutes(parts),
    ...accountRoutes(parts),
    ...sandboxRoutes(parts),
    ...checkoutRoutes(parts),
    ...linkPageRoutes(parts),
    ...invoicePageRoutes(parts),
    ...callbackRoutes(parts),
    ...allSessionRoutes(parts),
    ...healthRoutes(parts),
  ];
  return withDocs(routes, parts);
}
