// Every row that the gateway serves, the documentation of them included.
import type { ApiParts } from './payments/deps.js';
import type { CallbackParts } from './callbacks/handlers.js';
import type { CheckoutParts } from './checkout/handlers.js';
import type { CollectingParts } from './checkout/payable-page.js';
import { accountRoutes } from './balance/routes.js';
import { apiRoutes } from './payments/routes.js';
import { callbackRoutes } from './callbacks/routes.js';
import { checkoutRoutes } from './checkout/routes.js';
import { type DocsRouteParts, withDocs } from './openapi/docs-routes.js';
import { invoicePageRoutes } from './invoices/page-routes.js';
import { linkPageRoutes } from './payment-links/page-routes.js';
import { type HealthParts, healthRoutes } from './health.js';
import { payoutRoutes } from './payouts/routes.js';
import { refundRoutes } from './refunds/routes.js';
import type { Route } from './routing/route.js';
import { sandboxRoutes } from './payments/sandbox-routes.js';
import { allSessionRoutes, type SessionRouteParts } from './session-routes.js';

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
