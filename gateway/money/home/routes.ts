// Routes of a merchant's home page.
import type { StoreDeps } from '#gateway/lists/listing.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { defineMerchantRoute } from '#gateway/routing/session-route.js';
import { showAttention } from './attention.js';
import * as wire from './schema.js';
import { showStatistics, type StatisticsDeps } from './statistics.js';

export type HomeDeps = StoreDeps & StatisticsDeps;

export const buildHomeRoutes = (deps: HomeDeps): readonly Route[] => [
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    path: '/v1/merchants/me/statistics',
    operationId: 'getStatistics',
    summary: 'Show the outcomes of payments over time',
    description:
      'By hour or day of a time zone, at the time of each outcome: a payment that is paid after it expired is counted as ' +
      'failed and as paid. Outcomes are at most 6 s behind; after an outage longer, until the backlog is added. `pending` ' +
      'is as of now.',
    query: buildQuerySpec(wire.StatisticsQuery),
    answers: { 200: wire.Statistics },
    errors: ['overloaded'],
    handle: (request) => showStatistics(deps, request),
  }),
  defineMerchantRoute({
    permission: 'read_payments',
    method: 'GET',
    path: '/v1/merchants/me/attention',
    operationId: 'getAttention',
    summary: 'Show matters that need attention',
    description:
      'Failing webhooks, chargebacks, late money, refunds that are made by hand, balances below zero, and what is missing ' +
      'before LIVE payments.',
    query: buildQuerySpec(wire.AttentionQuery),
    answers: { 200: wire.Attention },
    errors: ['overloaded'],
    handle: (request) => showAttention(deps, request),
  }),
];
