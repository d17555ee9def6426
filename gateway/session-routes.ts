// Every row for sessions, and those that lead to one.
import type { MoneyParts } from './refunds/admin-handlers.js';
import { refuseOutages } from './routing/store-failures.js';
import type { InvoiceParts } from './invoices/handlers.js';
import type { LinkParts } from './payment-links/handlers.js';
import type { TransactionParts } from './merchants/transaction-lists.js';
import type { WebhookParts } from './webhook-endpoints/handlers.js';
import type { Route } from './routing/route.js';
import { adminRoutes } from './merchants/admin-routes.js';
import { apiKeyRoutes } from './api-keys/routes.js';
import { authRoutes } from './accounts/routes.js';
import { invoiceRoutes } from './invoices/routes.js';
import { kycRoutes } from './kyc/routes.js';
import { merchantRoutes } from './merchants/routes.js';
import { paymentLinkRoutes } from './payment-links/routes.js';
import { apiLogRoutes } from './api-logs/routes.js';
import { deadLetterRoutes } from './dead-letters/routes.js';
import { erasureRoutes } from './erasures/routes.js';
import { transactionRoutes } from './merchants/transaction-routes.js';
import { webhookRoutes } from './webhook-endpoints/routes.js';

export type SessionRouteParts = WebhookParts &
  LinkParts &
  InvoiceParts &
  MoneyParts &
  TransactionParts;

export const allSessionRoutes = (parts: SessionRouteParts): readonly Route[] =>
  refuseOutages(
    [
      ...authRoutes(parts),
      ...merchantRoutes(parts),
      ...apiKeyRoutes(parts),
      ...webhookRoutes(parts),
      ...deadLetterRoutes(parts),
      ...paymentLinkRoutes(parts),
      ...invoiceRoutes(parts),
      ...transactionRoutes(parts),
      ...apiLogRoutes(parts),
      ...erasureRoutes(parts),
      ...kycRoutes(parts),
      ...adminRoutes(parts),
    ],
    parts.onError,
  );
