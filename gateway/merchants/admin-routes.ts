// The paths of administrators. Each request that may change something is recorded in the audit log before its handler
// runs, so that no route can leave it out. Database triggers record the changes themselves.
import { parseDocumentId, parseMerchantId } from '#actors/core/ids.js';
import { buildPageSchema, buildListSchema } from '#actors/core/schemas/fields.js';
import { recordAction } from '#store/postgres/operations/audit.js';
import {
  decideMerchant,
  downloadDocument,
  setLive,
  showMerchant,
  showMerchants,
} from './admin-handlers.js';
import type { MoneyDeps } from '../refunds/admin-handlers.js';
import { showAudit, showSwitches, setSwitch } from './switches.js';
import { routeMerchant, showMerchantRails } from './admin-rails.js';
import * as wire from './admin-schema.js';
import type { Answer } from '../routing/response.js';
import { Merchant } from '../accounts/schema.js';
import { buildActor } from '../auth/actor.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import { buildBodySpec, buildQuerySpec, type Route } from '../routing/route.js';
import { buildMoneyRoutes } from '../operator-tasks/routes.js';
import { buildAdminPayoutRoutes } from '../payouts/admin-routes.js';
import { buildAdminErasureRoutes } from '../erasures/routes.js';
import { buildTextBodySpec, defineSessionRoute } from '../routing/session-route.js';

const merchantParams = {
  merchant_id: { parse: parseMerchantId, code: 'merchant_not_found' },
} as const;
const documentParams = {
  ...merchantParams,
  document_id: { parse: parseDocumentId, code: 'document_not_found' },
} as const;
const ADMIN = { permission: 'administrate' } as const;

/** Lists show no more than names and statuses, and are asked for all day. */
const isRead = ({ method, params }: Route): boolean =>
  method === 'GET' && Object.keys(params).length === 0;

export const buildAdminRoutes = (parts: MoneyDeps): readonly Route[] =>
  [
    ...buildAdminMerchantRoutes(parts),
    ...buildDecisionRoutes(parts),
    ...buildMoneyRoutes(parts),
    ...buildAdminPayoutRoutes(parts),
    ...buildAdminErasureRoutes(parts),
    ...buildRailRoutes(parts),
    ...buildOperationRoutes(parts),
  ].map((route) => (isRead(route) ? route : addAudit(parts, route)));

/** The row, whose requests are written down first: who, from where, what, and of whom. */
function addAudit(parts: AccountDeps, route: Route): Route {
  return {
    ...route,
    async handle(request): Promise<Answer> {
      const { session, address, body, target } = request;
      if (session === undefined) throw new Error(`${route.path} was handled without a session`);
      const details =
        body === undefined ? null : JSON.stringify(body, route.auditedFields?.slice());
      const done = { action: `${route.method} ${route.path}`, target, details };
      await queryAccounts(parts, (sql) =>
        recordAction(sql, buildActor({ session, address }), done),
      );
      return route.handle(request);
    },
  };
}

const buildAdminMerchantRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/merchants',
    summary: 'List merchants',
    description: '`status=PENDING` is the queue of verifications.',
    query: buildQuerySpec(wire.MerchantsQuery),
    answers: { 200: buildPageSchema(Merchant) },
    handle: (request) => showMerchants(parts, request),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}',
    summary: 'Show a merchant with its verification',
    params: merchantParams,
    answers: { 200: wire.MerchantDetails },
    handle: (request) => showMerchant(parts, request),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}/documents/{document_id}',
    summary: 'Download a document',
    params: documentParams,
    answers: { 200: null },
    mediaType: '*/*',
    handle: (request) => downloadDocument(parts, request),
  }),
];

const buildDecisionRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...ADMIN,
    method: 'POST',
    path: '/v1/admin/merchants/{merchant_id}/verification',
    summary: 'Decide the verification of a merchant',
    description:
      'A merchant that is PENDING is approved or rejected, one that is APPROVED suspended, one that is ' +
      'SUSPENDED approved again. `reason` is required but for approval. A suspension ends LIVE; what is in ' +
      'flight still settles.',
    params: merchantParams,
    body: buildTextBodySpec(wire.VerificationRequest, ['reason']),
    answers: { 200: wire.MerchantDetails },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => decideMerchant(parts, request),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'POST',
    path: '/v1/admin/merchants/{merchant_id}/live',
    summary: 'Enable or disable LIVE for a merchant',
    description: 'It counts on every gateway within a second.',
    params: merchantParams,
    body: buildBodySpec(wire.LiveRequest),
    answers: { 200: wire.MerchantDetails },
    errors: ['state_conflict'],
    handle: (request) => setLive(parts, request),
  }),
];

const buildRailRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}/rails',
    summary: "List a merchant's own rails",
    params: merchantParams,
    answers: { 200: buildListSchema(wire.MerchantRails) },
    handle: (request) => showMerchantRails(parts, request),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'PUT',
    path: '/v1/admin/merchants/{merchant_id}/rails',
    summary: 'Give a merchant rails of its own for a method',
    description:
      'The next LIVE payments by the method go to these, in this order, and to no others; those that are not ' +
      'configured are passed over. No rails: as everybody.',
    params: merchantParams,
    body: buildBodySpec(wire.MerchantRailsRequest),
    answers: { 200: buildListSchema(wire.MerchantRails) },
    handle: (request) => routeMerchant(parts, request),
  }),
];

const buildOperationRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/switches',
    summary: 'List the switches',
    answers: { 200: buildListSchema(wire.Switch) },
    handle: () => showSwitches(parts),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'PUT',
    path: '/v1/admin/switches',
    summary: 'Turn a switch',
    description:
      'Off: LIVE payments are not created (`live_creates`), by a rail, by a method, or by a merchant; nothing ' +
      'is paid out (`payouts`). It counts within a second.',
    body: buildBodySpec(wire.SwitchRequest),
    answers: { 200: wire.Switch },
    handle: (request) => setSwitch(parts, request),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/audit-log',
    summary: 'List what was done by whom',
    query: buildQuerySpec(wire.AuditQuery),
    answers: { 200: buildPageSchema(wire.AuditEntry) },
    handle: (request) => showAudit(parts, request),
  }),
];
