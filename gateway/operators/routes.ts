// Routes of administrators. Every request except reading a page of a list is recorded in the audit log before its handler runs,
// so that no route can skip it. Database triggers record the changes themselves.
import { type MerchantId, parseDocumentId, parseMerchantId } from '#actors/core/ids.js';
import { buildPageSchema, buildListSchema } from '#actors/core/schemas/fields.js';
import { recordAction } from '#store/postgres/operations/audit.js';
import {
  decideMerchant,
  downloadDocument,
  setLive,
  showMerchant,
  showMerchants,
} from './merchants/handlers.js';
import type { AdminRefundCreateDeps } from './money/refund-create.js';
import { showAudit } from './operations/audit-log.js';
import { setSwitch, showSwitches } from './operations/kill-switches.js';
import { routeMerchant, showMerchantRails } from './merchants/merchant-rails.js';
import * as wire from './merchants/schema.js';
import { buildAdministratorRoutes } from './administrators/routes.js';
import type { Answer } from '../routing/response.js';
import { Merchant } from '../accounts/users/schema.js';
import { buildActor } from '../auth/actor.js';
import type { AccountDeps } from '../auth/account-deps.js';
import type { Preferences } from '../routing/request.js';
import { buildBodySpec, buildQuerySpec, type Route } from '../routing/route.js';
import { buildCorrectionRoutes } from './corrections/routes.js';
import type { CorrectionDeps } from './corrections/propose-correction.js';
import { type FileDeps, isCsvRequested } from '../lists/csv-download.js';
import { buildOperationsRoutes } from './operations/routes.js';
import { buildTaskRoutes } from './tasks/routes.js';
import { buildAdminPaymentRoutes } from './money/payment-routes.js';
import { buildAdminRefundRoutes } from './money/refund-routes.js';
import { buildAdminPayoutRoutes } from './money/payout-routes.js';
import { buildAdminErasureRoutes } from '../accounts/erasures/routes.js';
import { buildTextBodySpec, defineSessionRoute } from '../routing/session-route.js';

const merchantParams = {
  merchant_id: { parse: parseMerchantId, code: 'merchant_not_found' },
} as const;
const documentParams = {
  ...merchantParams,
  document_id: { parse: parseDocumentId, code: 'document_not_found' },
} as const;
const READ = { permission: 'read_administration' } as const;
const REVIEW = { permission: 'review_merchants' } as const;
const ADMIN = { permission: 'administrate' } as const;

/** Lists show only names and statuses and are read all day, so they are not audited. A whole list as a file is. */
const isList = ({ method, params }: Route): boolean =>
  method === 'GET' && Object.keys(params).length === 0;

const isFile = ({ hasCsv }: Route, preferences: Preferences): boolean =>
  hasCsv === true && isCsvRequested(preferences);

export const buildAdminRoutes = (
  deps: CorrectionDeps & AdminRefundCreateDeps & FileDeps,
): readonly Route[] =>
  [
    ...buildAdminMerchantRoutes(deps),
    ...buildDecisionRoutes(deps),
    ...buildAdminPaymentRoutes(deps),
    ...buildAdminRefundRoutes(deps),
    ...buildTaskRoutes(deps),
    ...buildCorrectionRoutes(deps),
    ...buildAdminPayoutRoutes(deps),
    ...buildAdminErasureRoutes(deps),
    ...buildRailRoutes(deps),
    ...buildOperationRoutes(deps),
    ...buildOperationsRoutes(deps),
    ...buildAdministratorRoutes(deps),
  ].map((route) => addAudit(deps, route));

/** Records the user, address, action and target of a request before the route's handler runs. */
function addAudit(deps: AccountDeps, route: Route): Route {
  return {
    ...route,
    async handle(request): Promise<Answer> {
      const { session, address, body, target, params, preferences } = request;
      if (isList(route) && !isFile(route, preferences)) return route.handle(request);
      if (session === undefined) throw new Error(`${route.path} was handled without a session`);
      const details =
        body === undefined ? null : JSON.stringify(body, route.auditedFields?.slice());
      const action = `${route.method} ${route.path}`;
      const record = { merchantId: findMerchantId(params), action, target, details };
      await recordAction(deps.accounts, buildActor({ session, address }), record);
      return route.handle(request);
    },
  };
}

/** Of the path; null: it names none. */
const findMerchantId = (params: unknown): MerchantId | null =>
  parseMerchantId((params as { merchant_id?: string }).merchant_id ?? '') ?? null;

const buildAdminMerchantRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/merchants',
    operationId: 'listMerchants',
    summary: 'List merchants',
    description: '`status=PENDING` lists the merchants that wait for verification.',
    query: buildQuerySpec(wire.MerchantsQuery),
    answers: { 200: buildPageSchema(Merchant) },
    handle: (request) => showMerchants(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}',
    operationId: 'getMerchantDetails',
    summary: 'Show a merchant with its verification',
    description: 'With the latest submission and the list of its documents.',
    params: merchantParams,
    answers: { 200: wire.MerchantDetails },
    handle: (request) => showMerchant(deps, request),
  }),
  defineSessionRoute({
    ...REVIEW,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}/documents/{document_id}',
    operationId: 'downloadKycDocument',
    summary: 'Download a document',
    description: 'The decrypted file.',
    params: documentParams,
    answers: { 200: null },
    mediaType: '*/*',
    handle: (request) => downloadDocument(deps, request),
  }),
];

const buildDecisionRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...REVIEW,
    method: 'POST',
    path: '/v1/admin/merchants/{merchant_id}/verification',
    operationId: 'decideVerification',
    summary: 'Decide the verification of a merchant',
    description:
      'A PENDING merchant can be approved or rejected, an APPROVED one suspended, and a SUSPENDED one approved ' +
      'again. `reason` is required unless the merchant is approved. A suspension disables LIVE; open payments ' +
      'still settle.',
    params: merchantParams,
    body: buildTextBodySpec(wire.VerificationRequest, ['reason', 'field_reasons']),
    answers: { 200: wire.MerchantDetails },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => decideMerchant(deps, request),
  }),
  defineSessionRoute({
    ...REVIEW,
    method: 'POST',
    path: '/v1/admin/merchants/{merchant_id}/live',
    operationId: 'setLiveAccess',
    summary: 'Enable or disable LIVE for a merchant',
    description: 'The change takes effect on every gateway within a second.',
    params: merchantParams,
    body: buildBodySpec(wire.LiveRequest),
    answers: { 200: wire.MerchantDetails },
    errors: ['state_conflict'],
    handle: (request) => setLive(deps, request),
  }),
];

const buildRailRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}/rails',
    operationId: 'listMerchantRails',
    summary: 'List the merchant-specific rails',
    description: 'One entry for each payment method that does not use the default rails.',
    params: merchantParams,
    answers: { 200: buildListSchema(wire.MerchantRails) },
    handle: (request) => showMerchantRails(deps, request),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'PUT',
    path: '/v1/admin/merchants/{merchant_id}/rails',
    operationId: 'setMerchantRails',
    summary: 'Set the merchant-specific rails for a payment method',
    description:
      'New LIVE payments by this method use only these rails, in this order. Rails that are not configured are ' +
      'skipped. An empty list restores the default rails.',
    params: merchantParams,
    body: buildBodySpec(wire.MerchantRailsRequest),
    answers: { 200: buildListSchema(wire.MerchantRails) },
    handle: (request) => routeMerchant(deps, request),
  }),
];

const buildOperationRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/switches',
    operationId: 'listSwitches',
    summary: 'List the switches',
    description:
      'Those that were ever turned, and `live_creates` and `payouts`. A switch that is not listed is on.',
    answers: { 200: buildListSchema(wire.Switch) },
    handle: () => showSwitches(deps),
  }),
  defineSessionRoute({
    ...ADMIN,
    method: 'PUT',
    path: '/v1/admin/switches',
    operationId: 'setSwitch',
    summary: 'Turn a switch on or off',
    description:
      'A switch that is off blocks new LIVE payments: all of them (`live_creates`), or those of a rail, a method or ' +
      'a merchant. `payouts` blocks payouts. The change takes effect within a second.',
    body: buildTextBodySpec(wire.SwitchRequest, ['reason']),
    answers: { 200: wire.Switch },
    errors: ['card_data_refused'],
    handle: (request) => setSwitch(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/audit-log',
    operationId: 'listAuditLog',
    summary: 'List the audit log',
    description:
      'Newest first: requests of administrators, and every change of the tables that matter.',
    query: buildQuerySpec(wire.AuditQuery),
    answers: { 200: buildPageSchema(wire.AuditEntry) },
    handle: (request) => showAudit(deps, request),
  }),
];
