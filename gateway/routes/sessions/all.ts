// Every row for sessions, and those that lead to one.
import type { MoneyParts } from '#gateway/admin/money/refunds.js';
import { refuseOutages } from '#gateway/merchant/outages.js';
import type { InvoiceParts } from '#gateway/merchant/invoices/invoices.js';
import type { LinkParts } from '#gateway/merchant/links/payment-links.js';
import type { TransactionParts } from '#gateway/merchant/transactions/lists.js';
import type { WebhookParts } from '#gateway/merchant/webhooks/endpoints.js';
import type { Route } from '../route.js';
import { adminRoutes } from './admin.js';
import { apiKeyRoutes } from './api-keys.js';
import { authRoutes } from './auth.js';
import { invoiceRoutes } from './invoices.js';
import { kycRoutes } from './kyc.js';
import { merchantRoutes } from './merchant.js';
import { paymentLinkRoutes } from './payment-links.js';
import { apiLogRoutes } from './records/api-logs.js';
import { deadLetterRoutes } from './records/dead-letters.js';
import { erasureRoutes } from './records/erasures.js';
import { transactionRoutes } from './records/transactions.js';
import { webhookRoutes } from './webhooks.js';

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
