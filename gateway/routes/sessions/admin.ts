// The paths of administrators (API.md, section 4). Whatever is not a mere look is written down before it is
// done, whichever row it is: none can leave that out. What it changes, the database writes down with it
// (migration 0009).
import { parseDocumentId, parseMerchantId } from '#actors/core/ids.js';
import { listOf, wholeListOf } from '#actors/core/schemas/fields.js';
import { recordAction } from '#store/postgres/admin/audit.js';
import {
  decide,
  downloadDocument,
  setLive,
  showMerchant,
  showMerchants,
} from '#gateway/admin/merchants.js';
import type { MoneyParts } from '#gateway/admin/money/refunds.js';
import { showAudit, showSwitches, turn } from '#gateway/admin/operations.js';
import { routeMerchant, showMerchantRails } from '#gateway/admin/rails.js';
import * as wire from '#gateway/admin/schema.js';
import type { Answer } from '#gateway/http/answer.js';
import { Merchant } from '#gateway/merchant/accounts/schema.js';
import { actorOf } from '#gateway/merchant/actor.js';
import { type AccountParts, ask } from '#gateway/merchant/parts.js';
import { bodyOf, queryOf, type Route } from '../route.js';
import { moneyRoutes } from './admin-money.js';
import { adminPayoutRoutes } from './admin-payouts.js';
import { adminErasureRoutes } from './records/erasures.js';
import { bodyWithTexts, sessionRoute } from './session-route.js';

const merchantParams = {
  merchant_id: { parse: parseMerchantId, code: 'merchant_not_found' },
} as const;
const documentParams = {
  ...merchantParams,
  document_id: { parse: parseDocumentId, code: 'document_not_found' },
} as const;
const ADMIN = { permission: 'administrate' } as const;

/** Lists show no more than names and statuses, and are asked for all day. */
const isMereLook = ({ method, params }: Route): boolean =>
  method === 'GET' && Object.keys(params).length === 0;

export const adminRoutes = (parts: MoneyParts): readonly Route[] =>
  [
    ...merchantRoutes(parts),
    ...decisionRoutes(parts),
    ...moneyRoutes(parts),
    ...adminPayoutRoutes(parts),
    ...adminErasureRoutes(parts),
    ...railRoutes(parts),
    ...operationRoutes(parts),
  ].map((route) => (isMereLook(route) ? route : recorded(parts, route)));

/** The row, whose requests are written down first: who, from where, what, and of whom. */
function recorded(parts: AccountParts, route: Route): Route {
  return {
    ...route,
    async handle(request): Promise<Answer> {
      const { session, address, body, target } = request;
      if (session === undefined) throw new Error(`${route.path} was handled without a session`);
      const details =
        body === undefined ? null : JSON.stringify(body, route.auditedFields?.slice());
      const done = { action: `${route.method} ${route.path}`, target, details };
      await ask(parts, (sql) => recordAction(sql, actorOf({ session, address }), done));
      return route.handle(request);
    },
  };
}

const merchantRoutes = (parts: AccountParts): readonly Route[] => [
  sessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/merchants',
    summary: 'List merchants',
    description: '`status=PENDING` is the queue of verifications.',
    query: queryOf(wire.MerchantsQuery),
    answers: { 200: listOf(Merchant) },
    handle: (request) => showMerchants(parts, request),
  }),
  sessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}',
    summary: 'Show a merchant with its verification',
    params: merchantParams,
    answers: { 200: wire.MerchantDetails },
    handle: (request) => showMerchant(parts, request),
  }),
  sessionRoute({
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

const decisionRoutes = (parts: AccountParts): readonly Route[] => [
  sessionRoute({
    ...ADMIN,
    method: 'POST',
    path: '/v1/admin/merchants/{merchant_id}/verification',
    summary: 'Decide the verification of a merchant',
    description:
      'A merchant that is PENDING is approved or rejected, one that is APPROVED suspended, one that is ' +
      'SUSPENDED approved again. `reason` is required but for approval. A suspension ends LIVE; what is in ' +
      'flight still settles.',
    params: merchantParams,
    body: bodyWithTexts(wire.VerificationRequest, ['reason']),
    answers: { 200: wire.MerchantDetails },
    errors: ['card_data_refused', 'state_conflict'],
    handle: (request) => decide(parts, request),
  }),
  sessionRoute({
    ...ADMIN,
    method: 'POST',
    path: '/v1/admin/merchants/{merchant_id}/live',
    summary: 'Enable or disable LIVE for a merchant',
    description: 'It counts on every gateway within a second.',
    params: merchantParams,
    body: bodyOf(wire.LiveRequest),
    answers: { 200: wire.MerchantDetails },
    errors: ['state_conflict'],
    handle: (request) => setLive(parts, request),
  }),
];

const railRoutes = (parts: AccountParts): readonly Route[] => [
  sessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/merchants/{merchant_id}/rails',
    summary: "List a merchant's own rails",
    params: merchantParams,
    answers: { 200: wholeListOf(wire.MerchantRails) },
    handle: (request) => showMerchantRails(parts, request),
  }),
  sessionRoute({
    ...ADMIN,
    method: 'PUT',
    path: '/v1/admin/merchants/{merchant_id}/rails',
    summary: 'Give a merchant rails of its own for a method',
    description:
      'The next LIVE payments by the method go to these, in this order, and to no others; those that are not ' +
      'configured are passed over. No rails: as everybody.',
    params: merchantParams,
    body: bodyOf(wire.MerchantRailsRequest),
    answers: { 200: wholeListOf(wire.MerchantRails) },
    handle: (request) => routeMerchant(parts, request),
  }),
];

const operationRoutes = (parts: AccountParts): readonly Route[] => [
  sessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/switches',
    summary: 'List the switches',
    answers: { 200: wholeListOf(wire.Switch) },
    handle: () => showSwitches(parts),
  }),
  sessionRoute({
    ...ADMIN,
    method: 'PUT',
    path: '/v1/admin/switches',
    summary: 'Turn a switch',
    description:
      'Off: LIVE payments are not created (`live_creates`), by a rail, by a method, or by a merchant; nothing ' +
      'is paid out (`payouts`). It counts within a second.',
    body: bodyOf(wire.SwitchRequest),
    answers: { 200: wire.Switch },
    handle: (request) => turn(parts, request),
  }),
  sessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/audit-log',
    summary: 'List what was done by whom',
    query: queryOf(wire.AuditQuery),
    answers: { 200: listOf(wire.AuditEntry) },
    handle: (request) => showAudit(parts, request),
  }),
];
