// Every row for sessions, and those that lead to one.
import type { AdminRefundDeps } from './refunds/admin-handlers.js';
import { mapStoreFailures } from './routing/store-failures.js';
import type { InvoiceDeps } from './invoices/handlers.js';
import type { LinkDeps } from './payment-links/handlers.js';
import type { TransactionDeps } from './merchants/transaction-lists.js';
import type { WebhookDeps } from './webhook-endpoints/handlers.js';
import type { Route } from './routing/route.js';
import { buildAdminRoutes } from './merchants/admin-routes.js';
import { buildApiKeyRoutes } from './api-keys/routes.js';
import { buildAuthRoutes } from './accounts/routes.js';
import { buildInvoiceRoutes } from './invoices/routes.js';
import { buildKycRoutes } from './kyc/routes.js';
import { buildMerchantRoutes } from './merchants/routes.js';
import { buildPaymentLinkRoutes } from './payment-links/routes.js';
import { buildApiLogRoutes } from './api-logs/routes.js';
import { buildDeadLetterRoutes } from './dead-letters/routes.js';
import { buildErasureRoutes } from './erasures/routes.js';
import { buildTransactionRoutes } from './merchants/transaction-routes.js';
import { buildWebhookRoutes } from './webhook-endpoints/routes.js';

export type SessionRouteDeps = WebhookDeps &
  LinkDeps &
  InvoiceDeps &
  AdminRefundDeps &
  TransactionDeps;

export const buildSessionRoutes = (parts: SessionRouteDeps): readonly Route[] =>
  mapStoreFailures(
    [
      ...buildAuthRoutes(parts),
      ...buildMerchantRoutes(parts),
      ...buildApiKeyRoutes(parts),
      ...buildWebhookRoutes(parts),
      ...buildDeadLetterRoutes(parts),
      ...buildPaymentLinkRoutes(parts),
      ...buildInvoiceRoutes(parts),
      ...buildTransactionRoutes(parts),
      ...buildApiLogRoutes(parts),
      ...buildErasureRoutes(parts),
      ...buildKycRoutes(parts),
      ...buildAdminRoutes(parts),
    ],
    parts.onError,
  );
