// The empty, the loading and the error state of every view in a real browser. No part of the service can keep each view
// waiting or make each fail, so here the browser holds the answers back and replaces them.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { makeMerchant, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, PHONE, SHOWN_MS, type Watched, WIDE } from '#test/support/browser.js';
import { checkView, openDashboard, press, showView, signIn, waitUntilShown } from '../stage.js';
import { startViews } from './checks.js';
import { fillOffice, makeHostileMerchant } from './hostile.js';
import {
  ADMIN_VIEWS,
  MERCHANT_VIEWS,
  nameView,
  readRoute,
  UNKNOWN_PATH,
  type View,
  walkViews,
} from './views.js';

/** The texts of views that have nothing to show. */
const EMPTY: Readonly<Record<string, string>> = {
  '/': 'No payments yet',
  '/payments': 'No payments yet',
  '/refunds': 'No refunds yet',
  '/payouts': 'No payouts yet',
  '/payment-links': 'No TEST links yet',
  '/invoices': 'No TEST invoices yet',
  '/first-steps': 'Waiting for the first request …',
  '/api-keys': 'No TEST keys yet',
  '/webhooks': 'No TEST endpoints yet',
  '/webhooks/deliveries': 'Nothing was sent yet',
  '/webhooks/dead-letters': 'No dead letters',
  '/api-logs': 'No TEST requests yet',
  '/settings/erasures': 'No erasures yet',
  '/admin/home': 'No task is open.',
  '/admin/tasks': 'No tasks',
  '/admin/approvals': 'Nothing to approve',
  '/admin/transactions': 'No transactions yet',
  '/admin/refunds': 'No refunds yet',
  '/admin/payouts': 'No payouts yet',
  '/admin/suspense': 'No money is in suspense',
  '/admin/reconciliations': 'No reconciliation yet',
  '/admin/rails': 'No rail is offered',
};

/** Views that are complete without an answer of the API. */
const ASK_NOTHING: readonly string[] = [
  '/invoices/new',
  '/account/second-factor',
  '/admin/corrections',
  `/admin${UNKNOWN_PATH}`,
];

const REQUEST_ID = 'req_0a1b2c';
const MESSAGE = 'Too many requests.';
/** The answer to one request too many, which the dashboard does not send again by itself. */
const FAILURE = {
  status: 429,
  json: {
    error: {
      ...{ type: 'rate_limited', code: 'rate_limited', param: null, doc_url: '' },
      ...{ message: MESSAGE, request_id: REQUEST_ID },
    },
  },
};

/** Neither the session, without which there is no view, nor the stream of changes, which loads views again. */
const isHeld = ({ pathname }: URL): boolean =>
  pathname.startsWith('/v1/') && pathname !== '/v1/auth/me' && !pathname.endsWith('/changes');

interface Role {
  readonly name: string;
  readonly email: string;
  readonly views: readonly View[];
}

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startViews(t);
  const { baseUrl, sql } = stage;
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql, 'Toko Baru'));
  const newcomer = { name: 'a new merchant', email: owner.email, views: MERCHANT_VIEWS };
  const { email } = stage.administrator;
  const administrator = { name: 'administrators', email, views: ADMIN_VIEWS };

  const open = async (t: Test, { email }: Role, viewport: typeof WIDE): Promise<Watched> => {
    const watched = await openDashboard(t, browser, { viewport, reducedMotion: 'reduce' });
    // A view that asks again by itself would leave a state before it is looked at.
    await watched.page.addInitScript('window.setInterval = () => 0');
    await signIn(watched.page, baseUrl, { email, password: PASSWORD }, '/account');
    return watched;
  };

  for (const role of [newcomer, administrator]) {
    t.test(`the views of ${role.name} say that there is nothing yet`, async (t) => {
      const { page, complaints } = await open(t, role, PHONE);
      const views = role.views.filter((view) => !readRoute(view).includes('$'));
      for (const view of views) {
        await showView(page, view.path);
        const empty = EMPTY[view.path];
        if (empty !== undefined) {
          t.match(await page.locator('main').innerText(), empty, view.path);
        }
        await checkView(t, page, `empty-${nameView(view)}`);
      }
      t.same(complaints, []);
    });
  }

  const checkRole = async (t: Test, role: Role): Promise<void> => {
    const { page, complaints } = await open(t, role, WIDE);
    const views = role.views.filter(({ path }) => !path.includes('?'));
    const show = (page: Page, address: string, view: View): Promise<void> =>
      checkStates(t, page, `${baseUrl}/dashboard${address}`, view);
    t.same(await walkViews(page, { views: views.map(withoutEditor), show }), []);
    t.same(complaints.filter(isUnexpected), []);
  };

  t.test('the views of a merchant say that they load or failed', async (t) => {
    const merchant = await makeHostileMerchant(stage);
    await fillOffice(stage, merchant);
    await checkRole(t, { name: 'a merchant', email: merchant.email, views: MERCHANT_VIEWS });
  });

  t.test('the views of administrators say that they load or failed', (t) =>
    checkRole(t, administrator),
  );

  t.test('a session that cannot be loaded is an error, and is tried again', async (t) => {
    const { page, complaints } = await open(t, newcomer, WIDE);
    await page.route('**/v1/auth/me', (route) => route.fulfill(FAILURE));
    await page.goto(`${baseUrl}/dashboard/team`);
    await page.getByText(REQUEST_ID).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'failed-session');
    await page.unroute('**/v1/auth/me');
    await press(page, 'Try again');
    await page.locator('#content tbody tr').first().waitFor({ timeout: SHOWN_MS });
    t.same(complaints.filter(isUnexpected), []);
  });
}

const withoutEditor = ({ path }: View): View => ({ path });

/** The console tells the failures as well, by their status or, from the router, by their message. */
const isUnexpected = (text: string): boolean =>
  !text.includes(String(FAILURE.status)) && !text.includes(MESSAGE);

/** Loads the view anew: while nothing is answered, when the answer is a failure, and after another try. */
async function checkStates(t: Test, page: Page, address: string, view: View): Promise<void> {
  const name = nameView(view);
  let fail = (): void => {};
  const failing = new Promise<void>((resolve) => (fail = resolve));
  await page.route(isHeld, async (route) => {
    await failing;
    // The page may have gone on meanwhile.
    await route.fulfill(FAILURE).catch(() => {});
  });
  await page.goto(address);
  await page.locator('main h1').first().waitFor({ timeout: SHOWN_MS });
  if (!ASK_NOTHING.includes(view.path)) {
    await page.locator('main [aria-busy=true]').first().waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, `loading-${name}`);
    fail();
    await page.locator('main').getByText(REQUEST_ID).first().waitFor({ timeout: SHOWN_MS });
    await waitUntilShown(page);
    await checkView(t, page, `failed-${name}`);
  }
  await page.unroute(isHeld);
  await tryAgain(page);
  await waitUntilShown(page);
}

/** Presses each button of the view that sends a failed request again. */
async function tryAgain(page: Page): Promise<void> {
  const buttons = page.locator('main').getByRole('button', { name: 'Try again' });
  for (let left = await buttons.count(); left > 0; left = await buttons.count()) {
    await buttons.first().click();
    await buttons.nth(left - 1).waitFor({ state: 'detached', timeout: SHOWN_MS });
  }
}
