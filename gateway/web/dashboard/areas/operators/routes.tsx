// Views of administrators. Sessions of merchants are led away before anything of them is loaded; the API decides anyway.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { signedInRoute } from '@dashboard/shared/session/roots.js';
import { pickTexts } from '@dashboard/shared/session/search.js';
import { sessionQuery } from '@dashboard/shared/session/session.js';

const FILTERS = pickTexts([
  ...(['cursor', 'env', 'status', 'kind', 'search', 'merchant_id', 'payment_id'] as const),
  ...(['reference_id', 'order_id', 'rail', 'rail_transaction_id'] as const),
  ...(['created_from', 'created_to', 'actor', 'target', 'action', 'from', 'to'] as const),
]);

const adminRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'admin',
  validateSearch: FILTERS,
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (!session?.permissions.includes('read_administration')) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- The router takes redirects as thrown values.
      throw redirect({ to: '/' });
    }
    if (/^\/admin\/?$/.test(location.pathname)) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- The router takes redirects as thrown values.
      throw redirect({ to: '/admin/home' });
    }
  },
});

const homeRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'home',
  component: lazyRouteComponent(() => import('./home/home-view.js'), 'HomeView'),
});

const merchantsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'merchants',
  component: lazyRouteComponent(() => import('./merchants/merchants-view.js'), 'MerchantsView'),
});

const merchantRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'merchants/$merchantId',
  component: lazyRouteComponent(() => import('./merchants/merchant-view.js'), 'MerchantView'),
});

const tasksRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'tasks',
  component: lazyRouteComponent(() => import('./tasks/tasks-view.js'), 'TasksView'),
});

const taskRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'tasks/$taskId',
  component: lazyRouteComponent(() => import('./tasks/task-view.js'), 'TaskView'),
});

const approvalsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'approvals',
  component: lazyRouteComponent(() => import('./approvals/approvals-view.js'), 'ApprovalsView'),
});

const approvalRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'approvals/$approvalId',
  component: lazyRouteComponent(() => import('./approvals/approval-view.js'), 'ApprovalView'),
});

const correctionsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'corrections',
  component: lazyRouteComponent(
    () => import('./approvals/propose-correction.js'),
    'ProposeCorrection',
  ),
});

const transactionsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'transactions',
  component: lazyRouteComponent(() => import('./money/transactions-view.js'), 'TransactionsView'),
});

const transactionRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'transactions/$paymentId',
  component: lazyRouteComponent(() => import('./money/transaction-view.js'), 'TransactionView'),
});

const refundsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'refunds',
  component: lazyRouteComponent(() => import('./money/refunds-view.js'), 'RefundsView'),
});

const refundRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'refunds/$refundId',
  component: lazyRouteComponent(() => import('./money/refund-view.js'), 'RefundView'),
});

const payoutsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'payouts',
  component: lazyRouteComponent(() => import('./money/payouts-view.js'), 'PayoutsView'),
});

const payoutRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'payouts/$payoutId',
  component: lazyRouteComponent(() => import('./money/payout-view.js'), 'PayoutView'),
});

const switchesRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'switches',
  component: lazyRouteComponent(() => import('./operations/kill-switches-view.js'), 'SwitchesView'),
});

const auditRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'audit-log',
  component: lazyRouteComponent(() => import('./operations/audit-log-view.js'), 'AuditView'),
});

const administratorsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administrators',
  component: lazyRouteComponent(
    () => import('./operations/administrators-view.js'),
    'AdministratorsView',
  ),
});

const suspenseRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'suspense',
  component: lazyRouteComponent(() => import('./operations/suspense-view.js'), 'SuspenseView'),
});

const reconciliationsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'reconciliations',
  component: lazyRouteComponent(
    () => import('./operations/reconciliations-view.js'),
    'ReconciliationsView',
  ),
});

const reconciliationRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'reconciliations/$railDay',
  component: lazyRouteComponent(
    () => import('./operations/reconciliations-view.js'),
    'ReconciliationView',
  ),
});

const railsRoute = createRoute({
  getParentRoute: () => adminRoute,
  path: 'rails',
  component: lazyRouteComponent(() => import('./operations/rails-view.js'), 'RailsView'),
});

export const buildAdminRoutes = () =>
  [
    adminRoute.addChildren([
      ...[homeRoute, merchantsRoute, merchantRoute, tasksRoute, taskRoute, approvalsRoute],
      ...[approvalRoute, correctionsRoute, transactionsRoute, transactionRoute, refundsRoute],
      ...[refundRoute, payoutsRoute, payoutRoute, switchesRoute, auditRoute, administratorsRoute],
      ...[suspenseRoute, reconciliationsRoute, reconciliationRoute, railsRoute],
    ]),
  ] as const;
