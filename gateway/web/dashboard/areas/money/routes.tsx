// Views of the area money. Each is loaded when it is first opened; filters and cursors are in the address.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '@dashboard/shared/session/roots.js';
import { pickTexts } from '@dashboard/shared/session/search.js';

const getParentRoute = () => signedInRoute;

const paymentsRoute = createRoute({
  getParentRoute,
  path: 'payments',
  validateSearch: pickTexts([
    ...(['q', 'status', 'mark', 'payment_method', 'reference_id', 'customer'] as const),
    ...(['amount_from', 'amount_to', 'created_from', 'created_to', 'cursor'] as const),
  ]),
  component: lazyRouteComponent(() => import('./payments/payments-view.js'), 'PaymentsView'),
});

const paymentRoute = createRoute({
  getParentRoute,
  path: 'payments/$paymentId',
  component: lazyRouteComponent(() => import('./payments/payment-view.js'), 'PaymentView'),
});

const refundsRoute = createRoute({
  getParentRoute,
  path: 'refunds',
  validateSearch: pickTexts(['status', 'cursor']),
  component: lazyRouteComponent(() => import('./refunds/refunds-view.js'), 'RefundsView'),
});

const refundRoute = createRoute({
  getParentRoute,
  path: 'refunds/$refundId',
  component: lazyRouteComponent(() => import('./refunds/refund-view.js'), 'RefundView'),
});

const payoutsRoute = createRoute({
  getParentRoute,
  path: 'payouts',
  validateSearch: pickTexts(['status', 'reference_id', 'created_from', 'created_to', 'cursor']),
  component: lazyRouteComponent(() => import('./payouts/payouts-view.js'), 'PayoutsView'),
});

const newPayoutRoute = createRoute({
  getParentRoute,
  path: 'payouts/new',
  component: lazyRouteComponent(() => import('./payouts/new-payout-view.js'), 'NewPayoutView'),
});

const payoutRoute = createRoute({
  getParentRoute,
  path: 'payouts/$payoutId',
  component: lazyRouteComponent(() => import('./payouts/payout-view.js'), 'PayoutView'),
});

const balanceRoute = createRoute({
  getParentRoute,
  path: 'balance',
  validateSearch: pickTexts(['account', 'from', 'to', 'cursor']),
  component: lazyRouteComponent(() => import('./balance/balance-view.js'), 'BalanceView'),
});

export const buildMoneyRoutes = () =>
  [
    ...([paymentsRoute, paymentRoute, refundsRoute, refundRoute] as const),
    ...([payoutsRoute, newPayoutRoute, payoutRoute, balanceRoute] as const),
  ] as const;
