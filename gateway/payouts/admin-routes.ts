// The paths of administrators to payouts.
import { parsePayoutId } from '#actors/core/ids.js';
import { buildPageSchema } from '#actors/core/schemas/fields.js';
import { endPayout, showPayouts } from './admin-handlers.js';
import * as wire from '../operator-tasks/schema.js';
import type { AccountDeps } from '../accounts/account-deps.js';
import { buildQuerySpec, type Route } from '../routing/route.js';
import { buildTextBodySpec, defineSessionRoute } from '../routing/session-route.js';

const params = { payout_id: { parse: parsePayoutId, code: 'payout_not_found' } } as const;
const ADMIN = { permission: 'administrate' } as const;

/** What is said of each: the same again is answered alike, and the operator task of the payout ends with it. */
const VERBS = [
  {
    verb: 'complete',
    summary: 'Complete a payout by hand',
    description:
      'Of one that is `MANUAL_REQUIRED`, or `unresolved` once the rail was asked in person; or of a failed one that ' +
      'is `contradicted`: it was paid all the same, and what was given back is taken from the balance again, ' +
      'also below zero. The same again is answered alike; its operator task ends with it.',
  },
  {
    verb: 'fail',
    summary: 'Fail a payout by hand',
    description:
      'Of one that is `MANUAL_REQUIRED`, or `unresolved` once the rail was asked in person. The money goes ' +
      'back. The same again is answered alike; its operator task ends with it.',
  },
  {
    verb: 'reverse',
    summary: 'Say that a completed payout was sent back',
    description:
      'Where the money came back and no rail tells of it: paid by hand, `contradicted`, or longer ago than rails are ' +
      'asked. It goes back to the balance. The same again is answered alike; its operator task ends with it.',
  },
] as const;

export const buildAdminPayoutRoutes = (parts: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/payouts',
    summary: 'List the payouts of all merchants',
    description: '`status=MANUAL_REQUIRED` is the queue of those to be paid by hand.',
    query: buildQuerySpec(wire.AdminPayoutsQuery),
    answers: { 200: buildPageSchema(wire.AdminPayout) },
    handle: (request) => showPayouts(parts, request),
  }),
  ...VERBS.map(({ verb, ...text }) =>
    defineSessionRoute({
      ...ADMIN,
      ...text,
      method: 'POST',
      path: `/v1/admin/payouts/{payout_id}/${verb}`,
      params,
      body: buildTextBodySpec(wire.EndRefundRequest, ['external_reference', 'reason']),
      answers: { 200: wire.AdminPayout },
      errors: ['card_data_refused', 'state_conflict'],
      handle: (request) => endPayout(parts, request, verb),
    }),
  ),
];
