// Views of the area selling: payment links and invoices.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '@dashboard/shared/session/roots.js';
import { pickTexts } from '@dashboard/shared/session/search.js';

const parent = { getParentRoute: () => signedInRoute } as const;

const linksRoute = createRoute({
  ...parent,
  path: 'payment-links',
  validateSearch: pickTexts(['active', 'cursor']),
  component: lazyRouteComponent(() => import('./payment-links/links-view.js'), 'LinksView'),
});

const linkRoute = createRoute({
  ...parent,
  path: 'payment-links/$linkId',
  component: lazyRouteComponent(() => import('./payment-links/link-view.js'), 'LinkView'),
});

const invoicesRoute = createRoute({
  ...parent,
  path: 'invoices',
  validateSearch: pickTexts(['status', 'number', 'cursor']),
  component: lazyRouteComponent(() => import('./invoices/invoices-view.js'), 'InvoicesView'),
});

const newInvoiceRoute = createRoute({
  ...parent,
  path: 'invoices/new',
  component: lazyRouteComponent(() => import('./invoices/new-invoice-view.js'), 'NewInvoiceView'),
});

const invoiceRoute = createRoute({
  ...parent,
  path: 'invoices/$invoiceId',
  validateSearch: pickTexts(['preview']),
  component: lazyRouteComponent(() => import('./invoices/invoice-view.js'), 'InvoiceView'),
});

const editInvoiceRoute = createRoute({
  ...parent,
  path: 'invoices/$invoiceId/edit',
  component: lazyRouteComponent(() => import('./invoices/edit-invoice-view.js'), 'EditInvoiceView'),
});

export const buildSellingRoutes = () =>
  [
    ...([linksRoute, linkRoute, invoicesRoute, newInvoiceRoute] as const),
    ...([invoiceRoute, editInvoiceRoute] as const),
  ] as const;
