// Paths of administrators: suspense, reconciliations and rails. They read only.
import { buildListSchema, buildPageSchema } from '#actors/core/schemas/fields.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import { buildQuerySpec, type Route } from '#gateway/routing/route.js';
import { defineSessionRoute } from '#gateway/routing/session-route.js';
import { showDifferences, showRails, showReconciliations, showSuspense } from './handlers.js';
import * as wire from './schema.js';

const READ = { permission: 'read_administration', method: 'GET' } as const;

export const buildOperationsRoutes = (deps: AccountDeps): readonly Route[] => [
  defineSessionRoute({
    ...READ,
    path: '/v1/admin/suspense',
    operationId: 'listSuspense',
    summary: 'List the money in suspense',
    description:
      'The LIVE suspense accounts that are not empty, the largest amounts first, at most 100. Operator tasks say where the ' +
      'money came from and settle it.',
    answers: { 200: buildListSchema(wire.SuspenseAccount) },
    handle: () => showSuspense(deps),
  }),
  defineSessionRoute({
    ...READ,
    path: '/v1/admin/reconciliations',
    operationId: 'listReconciliations',
    summary: 'List the reconciliations with rails',
    description:
      'One for each rail and day, the newest day first. Each difference opens an operator task.',
    query: buildQuerySpec(wire.ReconciliationsQuery),
    answers: { 200: buildPageSchema(wire.Reconciliation) },
    handle: (request) => showReconciliations(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    path: '/v1/admin/reconciliation-differences',
    operationId: 'listReconciliationDifferences',
    summary: 'List the differences of one reconciliation',
    description: 'What the service and the rail disagree about, by order.',
    query: buildQuerySpec(wire.DifferencesQuery),
    answers: { 200: buildPageSchema(wire.ReconciliationDifference) },
    handle: (request) => showDifferences(deps, request),
  }),
  defineSessionRoute({
    ...READ,
    path: '/v1/admin/rails',
    operationId: 'listRails',
    summary: 'List the rails',
    description:
      'Whether each rail takes payments now, the payment methods that it offers, and its calls without a known outcome.',
    answers: { 200: buildListSchema(wire.RailHealth) },
    handle: () => showRails(deps),
  }),
];
