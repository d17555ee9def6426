// Paths of administrators: the payouts of all merchants.
import { parsePayoutId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import type { ApprovalDeps } from '../approvals/propose.js';
import { Approval } from '../approvals/schema.js';
import { showPayout, showPayouts } from './payout-handlers.js';
import { EndByHandRequest } from '../approvals/end-by-hand.js';
import { AdminPayout, AdminPayoutsQuery } from './payout-schema.js';
import { endOrPropose } from './payout-end.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '#gateway/routing/session-route.js';

const params = { payout_id: { parse: parsePayoutId, code: 'payout_not_found' } } as const;
const READ = { permission: 'read_administration' } as const;
const DECIDE = { permission: 'decide_money' } as const;

const REPEATS = 'Repeats are idempotent; its operator task is resolved with it.';
const ABOVE_LIMIT =
  'A LIVE amount above the limit needs a second administrator: 202 with the approval.';

const VERBS = [
  {
    verb: 'complete',
    operationId: 'completePayout',
    summary: 'Complete a payout by hand',
    description:
      'For a payout that is `MANUAL_REQUIRED`, or `unresolved` after the rail was asked in person; or for a failed one ' +
      'that is `contradicted`: it was paid, so the returned money is taken from the balance again, also below zero. ' +
      `${REPEATS} ${ABOVE_LIMIT}`,
  },
  {
    verb: 'fail',
    operationId: 'failPayout',
    summary: 'Fail a payout by hand',
    description:
      'For a payout that is `MANUAL_REQUIRED`, or `unresolved` after the rail was asked in person. The money returns ' +
      `to the balance. ${REPEATS} ${ABOVE_LIMIT}`,
  },
  {
    verb: 'cancel',
    operationId: 'cancelPayoutByHand',
    summary: 'Cancel a payout by hand',
    description: `For a payout that is \`PENDING\`. The money returns to the balance. ${REPEATS}`,
  },
  {
    verb: 'reverse',
    operationId: 'reversePayout',
    summary: 'Reverse a completed payout',
    description:
      'For a return that no rail reports: the payout was paid by hand, is `contradicted`, or is older than the rails ' +
      `are asked about. The money returns to the balance. ${REPEATS} ${ABOVE_LIMIT}`,
  },
] as const;

export const buildAdminPayoutRoutes = (deps: ApprovalDeps): readonly Route[] => [
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/payouts',
    operationId: 'listAllPayouts',
    summary: 'List the payouts of all merchants',
    description: '`status=MANUAL_REQUIRED` lists the payouts to be paid by hand.',
    query: buildQuerySpec(AdminPayoutsQuery),
    answers: { 200: buildPageSchema(AdminPayout) },
    handle: (request) => showPayouts(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    method: 'GET',
    path: '/v1/admin/payouts/{payout_id}',
    operationId: 'getAdminPayout',
    summary: 'Show a payout of any merchant',
    description: 'With its rail, and the references of the transfers that moved its money.',
    params,
    answers: { 200: AdminPayout },
    handle: (request) => showPayout(deps, request),
  }),
  ...VERBS.map(({ verb, ...text }) =>
    defineSessionRoute({
      ...DECIDE,
      ...text,
      method: 'POST',
      path: `/v1/admin/payouts/{payout_id}/${verb}`,
      params,
      body: buildTextBodySpec(EndByHandRequest, ['external_reference', 'reason']),
      answers: verb === 'cancel' ? { 200: AdminPayout } : { 200: AdminPayout, 202: Approval },
      errors: ['card_data_refused', 'state_conflict'],
      handle: (request) => endOrPropose(deps, request, verb),
    }),
  ),
];
