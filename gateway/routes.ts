// All routes of the gateway, and those of its documentation, which is generated from them.
import { buildAuthRoutes } from './accounts/users/routes.js';
import { buildApiKeyRoutes } from './developers/api-keys/routes.js';
import { buildApiLogRoutes } from './developers/api-logs/routes.js';
import { buildBalanceRoutes, buildMerchantBalanceRoutes } from './money/balance/routes.js';
import type { CallbackRouteDeps } from './commands/callback-handlers.js';
import { buildCallbackRoutes } from './commands/callback-routes.js';
import type { CheckoutDeps } from './selling/checkout/handlers.js';
import type { PayablePageDeps } from './selling/checkout/payable-page.js';
import { buildChangeRoutes, type ChangeDeps } from './money/changes/routes.js';
import { buildCheckoutRoutes } from './selling/checkout/routes.js';
import type { CorrectionDeps } from './operators/corrections/propose-correction.js';
import { buildDashboardRoutes, type DashboardDeps } from './pages/dashboard-routes.js';
import { buildDeadLetterRoutes } from './developers/dead-letters/routes.js';
import { buildErasureRoutes } from './accounts/erasures/routes.js';
import { buildHealthRoutes, type HealthDeps } from './health.js';
import { buildHomeRoutes } from './money/home/routes.js';
import type { InvoiceDeps } from './selling/invoices/invoice-answers.js';
import { buildInvoicePageRoutes } from './selling/invoices/page-routes.js';
import { buildInvoiceRoutes } from './selling/invoices/routes.js';
import { buildKycRoutes, type KycDeps } from './accounts/kyc/routes.js';
import { buildAdminRoutes } from './operators/routes.js';
import type { SettingsDeps } from './accounts/settings/handlers.js';
import { buildSettingsRoutes, buildStorefrontRoutes } from './accounts/settings/routes.js';
import { buildMerchantRoutes } from './accounts/users/user-routes.js';
import type { TransactionDeps } from './lists/show-list.js';
import { addDocsRoutes, type DocsRouteDeps } from './docs/routes.js';
import type { LinkDeps } from './selling/payment-links/handlers.js';
import { buildMailedLinkRoutes } from './accounts/mailed-links/routes.js';
import { buildLinkPageRoutes } from './selling/payment-links/page-routes.js';
import { buildPaymentLinkRoutes } from './selling/payment-links/routes.js';
import type { ApiDeps } from './commands/api-deps.js';
import { buildEventRoutes } from './money/payments/events.js';
import { buildPaymentMethodRoutes } from './money/payments/payment-methods.js';
import { buildDashboardPaymentRoutes } from './money/payments/dashboard-routes.js';
import { buildPaymentRoutes } from './money/payments/routes.js';
import { buildSandboxRoutes } from './money/payments/sandbox.js';
import { buildDashboardPayoutRoutes } from './money/payouts/dashboard-routes.js';
import { buildPayoutRoutes } from './money/payouts/routes.js';
import { buildDashboardRefundRoutes } from './money/refunds/dashboard-routes.js';
import { buildRefundRoutes } from './money/refunds/routes.js';
import { buildSiteRoutes, type SiteRouteDeps } from './pages/site-routes.js';
import type { Route } from './routing/route.js';
import type { WebhookDeps } from './developers/webhooks/handlers.js';
import { buildWebhookRoutes } from './developers/webhooks/routes.js';

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
