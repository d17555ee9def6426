// The paths of administrators to payouts (API.md, section 4).
import { parsePayoutId } from '../../../actors/core/ids.js';
import { listOf } from '../../../actors/core/schemas/list.js';
import { endPayout, showPayouts } from '../../admin/money/payouts.js';
import * as wire from '../../admin/money/schema.js';
import type { AccountParts } from '../../merchant/parts.js';
import { queryOf, type Route } from '../route.js';
import { bodyWithTexts, sessionRoute } from './session-route.js';

const params = { payout_id: { parse: parsePayoutId, code: 'payout_not_found' } } as const;
const ADMIN = { permission: 'administrate' } as const;

export const adminPayoutRoutes = (parts: AccountParts): readonly Route[] => [
  sessionRoute({
    ...ADMIN,
    method: 'GET',
    path: '/v1/admin/payouts',
    summary: 'List the payouts of all merchants',
    description: '`status=MANUAL_REQUIRED` is the queue of those to be paid by hand.',
    query: queryOf(wire.AdminPayoutsQuery),
    answers: { 200: listOf(wire.AdminPayout) },
    handle: (request) => showPayouts(parts, request),
  }),
  ...(['complete', 'fail'] as const).map((verb) =>
    sessionRoute({
      ...ADMIN,
      method: 'POST',
      path: `/v1/admin/payouts/{payout_id}/${verb}`,
      summary: verb === 'complete' ? 'Complete a payout by hand' : 'Fail a payout by hand',
      description:
        'Of one that is `MANUAL_REQUIRED`, or `unresolved` once the rail was asked in person. Failing gives the money ' +
        'back. The same again is answered alike; its operator task ends with it.',
      params,
      body: bodyWithTexts(wire.EndRefundRequest, ['external_reference', 'reason']),
      answers: { 200: wire.AdminPayout },
      errors: ['card_data_refused', 'state_conflict'],
      handle: (request) => endPayout(parts, request, verb),
    }),
  ),
];
