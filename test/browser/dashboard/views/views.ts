// Every view of the dashboard, by the paths of its router. merchant-views.test.ts fails until a new route is listed here, and
// pictures.ts takes a picture of each.
import type { Page } from 'playwright-core';
import { SHOWN_MS } from '#test/support/browser.js';
import { dialog, showView } from '../stage.js';

export interface View {
  /** A path of the router, with the search part that the view needs. */
  readonly path: string;
  /** The name of the button that opens the editor of the view, in each language. */
  readonly opens?: RegExp;
  /** A part of the editor, if it is not a dialog. */
  readonly editor?: string;
}

/** No route has it. */
export const UNKNOWN_PATH = '/no-such-view';

export const OPEN_VIEWS: readonly View[] = [
  { path: '/sign-in' },
  { path: '/register' },
  { path: '/forgot-password' },
  { path: UNKNOWN_PATH },
];

/** A view with an id is below a view that links to it. */
export const MERCHANT_VIEWS: readonly View[] = [
  { path: '/' },
  { path: '/payments' },
  { path: '/payments/$paymentId', opens: /^(Refund|Kembalikan dana)$/ },
  { path: '/refunds' },
  { path: '/refunds/$refundId' },
  { path: '/balance' },
  { path: '/payouts' },
  { path: '/payouts/new' },
  { path: '/payouts/$payoutId' },
  { path: '/payment-links', opens: /^(Make a link|Buat tautan)$/ },
  { path: '/payment-links/$linkId', opens: /^(Change|Ubah)$/ },
  { path: '/invoices' },
  { path: '/invoices/new' },
  { path: '/invoices/$invoiceId' },
  { path: '/invoices/$invoiceId?preview=page' },
  { path: '/invoices/$invoiceId?preview=mail' },
  { path: '/invoices/$invoiceId/edit' },
  { path: '/first-steps' },
  { path: '/api-keys', opens: /^(Make a key|Buat kunci)$/ },
  { path: '/webhooks', opens: /^(Add an endpoint|Tambah endpoint)$/ },
  { path: '/webhooks/$webhookId' },
  { path: '/webhooks/deliveries' },
  { path: '/webhooks/deliveries/$deliveryId' },
  { path: '/webhooks/dead-letters' },
  { path: '/api-logs' },
  { path: '/api-logs/$requestId' },
  { path: '/going-live' },
  {
    path: '/verification',
    opens: /^(Begin|Mulai|Correct and submit again|Perbaiki)/,
    editor: 'main input',
  },
  { path: '/team', opens: /^(Invite a colleague|Undang rekan)$/ },
  { path: '/settings' },
  { path: '/settings/notifications' },
  { path: '/settings/erasures', opens: /^(Erase a customer|Hapus data pelanggan)$/ },
  { path: '/account' },
  { path: '/account/second-factor' },
  { path: '/payments?environment=LIVE' },
  { path: '/api-keys?environment=LIVE', opens: /^(Make a key|Buat kunci)$/ },
];

export const ADMIN_VIEWS: readonly View[] = [
  { path: '/admin/home' },
  { path: '/admin/merchants' },
  { path: '/admin/merchants/$merchantId' },
  { path: '/admin/tasks' },
  { path: '/admin/tasks?status=resolved' },
  { path: '/admin/tasks/$taskId' },
  { path: '/admin/approvals' },
  { path: '/admin/approvals/$approvalId' },
  { path: '/admin/corrections' },
  { path: '/admin/transactions' },
  { path: '/admin/transactions/$paymentId', opens: /refund|kembalikan dana/i },
  { path: '/admin/refunds' },
  { path: '/admin/refunds/$refundId' },
  { path: '/admin/payouts' },
  { path: '/admin/payouts/$payoutId' },
  { path: '/admin/suspense' },
  { path: '/admin/reconciliations' },
  { path: '/admin/reconciliations/$railDay' },
  { path: '/admin/rails' },
  { path: '/admin/switches' },
  { path: '/admin/audit-log' },
  { path: '/admin/administrators' },
  { path: `/admin${UNKNOWN_PATH}` },
];

/** The path without its search part, as the router names it. */
export const readRoute = ({ path }: View): string => path.replace(/\?.*/, '');

const ROUTES = [...OPEN_VIEWS, ...MERCHANT_VIEWS, ...ADMIN_VIEWS].map(readRoute);

/** A name for files. */
export const nameView = ({ path }: View): string =>
  path.replace(/^\//, '').replace(/\$\w+/, 'one').replace(/\W+/g, '-') || 'home';

export interface Walk {
  readonly views: readonly View[];
  /** Leads the page to an address; showView unless it says otherwise. */
  readonly show?: (page: Page, address: string, view: View) => Promise<void>;
  /** Called once the view is shown, and again when its editor is open. */
  readonly visit?: (view: View, name: string) => Promise<void>;
}

/**
 * Shows each view, with the first object that the latest view before it links to. Returns the views and the editors for
 * which there was none. A page of the dashboard must be open.
 */
export async function walkViews(
  page: Page,
  { views, show = showView, visit = () => Promise.resolve() }: Walk,
): Promise<readonly string[]> {
  const samples = new Map<string, string>();
  const leftOut: string[] = [];
  for (const view of views) {
    const route = readRoute(view);
    const sample = route.includes('$') ? samples.get(route) : route;
    if (sample === undefined) {
      leftOut.push(view.path);
      continue;
    }
    await show(page, sample + view.path.slice(route.length), view);
    await findSamples(page, samples);
    await visit(view, nameView(view));
    if (view.opens === undefined) continue;
    if (await openEditor(page, view.opens, view.editor)) {
      await visit(view, `${nameView(view)}-editor`);
      await closeDialog(page);
    } else leftOut.push(`the editor of ${view.path}`);
  }
  return leftOut;
}

/** Keeps the first link of each form. */
async function findSamples(page: Page, samples: Map<string, string>): Promise<void> {
  const links = await page.evaluate<string[]>(
    `[...document.querySelectorAll('main a[href^="/dashboard/"]')].map(({ pathname }) => pathname)`,
  );
  const paths = links.map((link) => link.replace('/dashboard', ''));
  for (const route of ROUTES.filter((each) => each.includes('$'))) {
    const form = new RegExp(`^${route.replace(/\$\w+/g, '[^/]+')}$`);
    const found = paths.find((path) => form.test(path) && !ROUTES.includes(path));
    if (found !== undefined) samples.set(route, found);
  }
}

async function openEditor(page: Page, name: RegExp, editor = '[role=dialog]'): Promise<boolean> {
  const button = page.locator('main').getByRole('button', { name }).first();
  if ((await button.count()) === 0) return false;
  await button.click();
  await page.locator(editor).first().waitFor({ timeout: SHOWN_MS });
  return true;
}

async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await dialog(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
}
