// The OpenAPI documents: one for each kind of client. A route with an operation id belongs to each document that has a
// tag for its path.
import type { Route } from '#gateway/routing/route.js';

export interface Tag {
  readonly name: string;
  readonly description: string;
  readonly prefixes: readonly string[];
}

export interface ApiDocument {
  /** Where it is served. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly hasWebhooks: boolean;
  readonly tags: readonly Tag[];
}

const tag = (name: string, description: string, ...prefixes: readonly string[]): Tag => ({
  name,
  description,
  prefixes,
});

const ACCOUNTS = tag('Accounts', 'Login, password, second factor and sessions.', '/v1/auth/');
const ME = '/v1/merchants/me';

export const MERCHANTS: ApiDocument = {
  path: '/docs/openapi.json',
  title: 'API',
  summary: "Payments for merchants' servers, with a secret key.",
  hasWebhooks: true,
  tags: [
    tag('Payments', 'Payments of customers.', '/v1/payments'),
    tag('Refunds', 'Money back to customers.', '/v1/refunds'),
    tag('Payouts', 'Money to bank accounts.', '/v1/payouts', '/v1/payout-banks'),
    tag('Payment methods', 'The ways for customers to pay.', '/v1/payment-methods'),
    tag('Balance', 'The balance of the environment of the key.', '/v1/balance'),
    tag('Events', 'What happened, as webhooks deliver it.', '/v1/events'),
    tag('Sandbox', 'Decides the outcome of TEST payments.', '/v1/sandbox/'),
  ],
};

export const DASHBOARD: ApiDocument = {
  path: '/docs/dashboard.json',
  title: 'dashboard API',
  summary: "What merchants' users do in the dashboard, with a session.",
  hasWebhooks: false,
  tags: [
    ACCOUNTS,
    tag('KYC', 'The verification of the merchant.', '/v1/merchants/kyc'),
    tag('API keys', 'The secret keys of the merchant.', `${ME}/api-keys`),
    tag('Webhook endpoints', 'Endpoints, deliveries and dead letters.', `${ME}/webhooks`),
    tag('Payment links', 'Public pages that take payments.', `${ME}/payment-links`),
    tag('Invoices', 'Invoices for customers.', `${ME}/invoices`),
    tag(
      'Transactions',
      'Payments, refunds, payouts, events and the balance.',
      ...['payments', 'refunds', 'payouts', 'events', 'balance'].map((name) => `${ME}/${name}`),
    ),
    tag('API logs', 'Requests with the keys of the merchant.', `${ME}/api-logs`),
    tag('Erasures', 'Erases the data of customers.', `${ME}/erasures`),
    tag('Home', 'Figures and open matters.', `${ME}/statistics`, `${ME}/attention`),
    tag('Merchant', 'The merchant and its users.', ME),
  ],
};

export const ADMINISTRATORS: ApiDocument = {
  path: '/docs/administrators.json',
  title: 'administrators API',
  summary: 'What the operators of the installation do, with a session.',
  hasWebhooks: false,
  tags: [
    ACCOUNTS,
    tag('Merchants', 'All merchants and their verification.', '/v1/admin/merchants'),
    tag(
      'Money',
      'Payments, refunds and payouts of all merchants.',
      ...['transactions', 'payments', 'refunds', 'payouts'].map((name) => `/v1/admin/${name}`),
    ),
    tag(
      'Decisions',
      'Operator tasks, corrections and approvals.',
      ...['tasks', 'corrections', 'approvals'].map((name) => `/v1/admin/${name}`),
    ),
    tag('Operations', 'Switches, the audit log and the administrators.', '/v1/admin/'),
  ],
};

export const API_DOCUMENTS: readonly ApiDocument[] = [MERCHANTS, DASHBOARD, ADMINISTRATORS];

/** undefined: the document does not describe this path. */
export function findTag({ tags }: ApiDocument, path: string): Tag | undefined {
  return tags.find(({ prefixes }) => prefixes.some((prefix) => path.startsWith(prefix)));
}

export function selectRoutes(document: ApiDocument, routes: readonly Route[]): readonly Route[] {
  return routes.filter(
    ({ operationId, path }) => operationId !== undefined && findTag(document, path) !== undefined,
  );
}
