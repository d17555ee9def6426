// Every row that the gateway serves, the documentation of them included.
import type { ApiDeps } from './payments/api-deps.js';
import type { CallbackRouteDeps } from './callbacks/handlers.js';
import type { CheckoutDeps } from './checkout/handlers.js';
import type { PayablePageDeps } from './checkout/payable-page.js';
import { buildAccountRoutes } from './balance/routes.js';
import { buildPaymentRoutes } from './payments/routes.js';
import { buildCallbackRoutes } from './callbacks/routes.js';
import { buildCheckoutRoutes } from './checkout/routes.js';
import { type DocsRouteDeps, addDocsRoutes } from './openapi/docs-routes.js';
import { buildInvoicePageRoutes } from './invoices/page-routes.js';
import { buildLinkPageRoutes } from './payment-links/page-routes.js';
import { type HealthDeps, buildHealthRoutes } from './health.js';
import { buildPayoutRoutes } from './payouts/routes.js';
import { buildRefundRoutes } from './refunds/routes.js';
import type { Route } from './routing/route.js';
import { buildSandboxRoutes } from './payments/sandbox-routes.js';
import { buildSessionRoutes, type SessionRouteDeps } from './session-routes.js';

export type RouteDeps = ApiDeps &
  CallbackRouteDeps &
  CheckoutDeps &
  PayablePageDeps &
  DocsRouteDeps &
  HealthDeps &
  SessionRouteDeps;

export function buildRoutes(parts: RouteDeps): readonly Route[] {
  const routes = [
    ...buildPaymentRoutes(parts),
    ...buildRefundRoutes(parts),
    ...buildPayoutRoutes(parts),
    ...buildAccountRoutes(parts),
    ...buildSandboxRoutes(parts),
    ...buildCheckoutRoutes(parts),
    ...buildLinkPageRoutes(parts),
    ...buildInvoicePageRoutes(parts),
    ...buildCallbackRoutes(parts),
    ...buildSessionRoutes(parts),
    ...buildHealthRoutes(parts),
  ];
  return addDocsRoutes(routes, parts);
}
