// All routes of the gateway, and those of its documentation, which is generated from them.
import { buildAuthRoutes } from './accounts/routes.js';
import { buildApiKeyRoutes } from './api-keys/routes.js';
import { buildApiLogRoutes } from './api-logs/routes.js';
import { buildBalanceRoutes, buildMerchantBalanceRoutes } from './balance/routes.js';
import type { CallbackRouteDeps } from './commands/callback-handlers.js';
import { buildCallbackRoutes } from './commands/callback-routes.js';
import type { CheckoutDeps } from './checkout/handlers.js';
import type { PayablePageDeps } from './checkout/payable-page.js';
import { buildChangeRoutes, type ChangeDeps } from './changes/routes.js';
import { buildCheckoutRoutes } from './checkout/routes.js';
import type { CorrectionDeps } from './corrections/propose-correction.js';
import { buildDashboardRoutes, type DashboardDeps } from './dashboard/routes.js';
import { buildDeadLetterRoutes } from './dead-letters/routes.js';
import { buildErasureRoutes } from './erasures/routes.js';
import { buildHealthRoutes, type HealthDeps } from './health.js';
import { buildHomeRoutes } from './home/routes.js';
import type { InvoiceDeps } from './invoices/invoice-answers.js';
import { buildInvoicePageRoutes } from './invoices/page-routes.js';
import { buildInvoiceRoutes } from './invoices/routes.js';
import { buildKycRoutes, type KycDeps } from './kyc/routes.js';
import { buildAdminRoutes } from './merchants/admin-routes.js';
import type { SettingsDeps } from './merchant-settings/handlers.js';
import { buildSettingsRoutes, buildStorefrontRoutes } from './merchant-settings/routes.js';
import { buildMerchantRoutes } from './merchants/routes.js';
import type { TransactionDeps } from './lists/show-list.js';
import { addDocsRoutes, type DocsRouteDeps } from './docs/routes.js';
import type { LinkDeps } from './payment-links/handlers.js';
import { buildMailedLinkRoutes } from './mailed-links/routes.js';
import { buildLinkPageRoutes } from './payment-links/page-routes.js';
import { buildPaymentLinkRoutes } from './payment-links/routes.js';
import type { ApiDeps } from './commands/api-deps.js';
import { buildEventRoutes } from './payments/events.js';
import { buildPaymentMethodRoutes } from './payments/payment-methods.js';
import { buildDashboardPaymentRoutes } from './payments/dashboard-routes.js';
import { buildPaymentRoutes } from './payments/routes.js';
import { buildSandboxRoutes } from './payments/sandbox.js';
import { buildDashboardPayoutRoutes } from './payouts/dashboard-routes.js';
import { buildPayoutRoutes } from './payouts/routes.js';
import { buildDashboardRefundRoutes } from './refunds/dashboard-routes.js';
import { buildRefundRoutes } from './refunds/routes.js';
import { buildSiteRoutes, type SiteRouteDeps } from './pages/site-routes.js';
import type { Route } from './routing/route.js';
import type { WebhookDeps } from './webhook-endpoints/handlers.js';
import { buildWebhookRoutes } from './webhook-endpoints/routes.js';

export type RouteDeps = ApiDeps &
  CallbackRouteDeps &
  ChangeDeps &
  CheckoutDeps &
  CorrectionDeps &
  DashboardDeps &
  DocsRouteDeps &
  HealthDeps &
  InvoiceDeps &
  KycDeps &
  LinkDeps &
  PayablePageDeps &
  SettingsDeps &
  SiteRouteDeps &
  TransactionDeps &
  WebhookDeps;

export function buildRoutes(deps: RouteDeps): readonly Route[] {
  const routes = [...buildKeyRoutes(deps), ...buildOpenRoutes(deps), ...buildSessionRoutes(deps)];
  return addDocsRoutes(routes, deps);
}

/** Called with an API key by a merchant's server. */
const buildKeyRoutes = (deps: RouteDeps): readonly Route[] => [
  ...buildPaymentRoutes(deps),
  ...buildRefundRoutes(deps),
  ...buildPayoutRoutes(deps),
  ...buildPaymentMethodRoutes(deps),
  ...buildBalanceRoutes(deps),
  ...buildEventRoutes(deps),
];

/** Called without a credential: by customers, rails and load balancers. */
const buildOpenRoutes = (deps: RouteDeps): readonly Route[] => [
  ...buildSandboxRoutes(deps),
  ...buildCheckoutRoutes(deps),
  ...buildLinkPageRoutes(deps),
  ...buildInvoicePageRoutes(deps),
  ...buildMailedLinkRoutes(deps),
  ...buildDashboardRoutes(deps),
  ...buildStorefrontRoutes(deps),
  ...buildCallbackRoutes(deps),
  ...buildHealthRoutes(deps),
  ...buildSiteRoutes(deps),
];

/** Called with a session, or to get one: by merchants' users and administrators. */
const buildSessionRoutes = (deps: RouteDeps): readonly Route[] => [
  ...buildAuthRoutes(deps),
  ...buildMerchantRoutes(deps),
  ...buildSettingsRoutes(deps),
  ...buildApiKeyRoutes(deps),
  ...buildWebhookRoutes(deps),
  ...buildDeadLetterRoutes(deps),
  ...buildPaymentLinkRoutes(deps),
  ...buildInvoiceRoutes(deps),
  ...buildHomeRoutes(deps),
  ...buildDashboardPaymentRoutes(deps),
  ...buildDashboardRefundRoutes(deps),
  ...buildDashboardPayoutRoutes(deps),
  ...buildMerchantBalanceRoutes(deps),
  ...buildChangeRoutes(deps),
  ...buildApiLogRoutes(deps),
  ...buildErasureRoutes(deps),
  ...buildKycRoutes(deps),
  ...buildAdminRoutes(deps),
];
