// The environment of an object in a real browser: an object exists in TEST or in LIVE, and an address that names another
// environment, or none, shows the object with the bar of its own.
import type { Page } from 'playwright-core';
import t from 'tap';
import { PASSWORD } from '#test/support/accounts.js';
import { openBrowser, SHOWN_MS } from '#test/support/browser.js';
import {
  checkView,
  openDashboard,
  showView,
  signIn,
  waitForView,
  waitUntilShown,
} from '../stage.js';
import { LOOKS, startViews } from './checks.js';
import { makeHostileMerchant } from './hostile.js';
import { MERCHANT_VIEWS, readRoute, type View, walkViews } from './views.js';

/** The API answers so for a payment, refund or payout of the other environment, which the page asks first. */
const IN_LIVE = /\/(?:payments|refunds|payouts)\/\w+\?environment=LIVE$/;

const VIEWS: readonly View[] = MERCHANT_VIEWS.filter(({ path }) => !path.includes('?'));

const waitForBar = (page: Page, environment: string): Promise<void> =>
  page.locator(`[data-environment=${environment}]`).waitFor({ timeout: SHOWN_MS });

/** A view shows the id of its object; the form that changes one does not. */
const waitForObject = (page: Page, address: string): Promise<void> => {
  const main = page.locator('main');
  const id = address.split('/').at(-1) ?? '';
  const part = id === 'edit' ? main.locator('form') : main.getByText(id, { exact: true });
  return part.first().waitFor({ timeout: SHOWN_MS });
};

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startViews(t);
  const { baseUrl } = stage;
  const { email } = await makeHostileMerchant(stage);

  for (const { look, ...options } of LOOKS) {
    t.test(`a TEST object shows TEST to a person who chose LIVE, ${look}`, async (t) => {
      const { page, complaints } = await openDashboard(t, browser, options, [IN_LIVE]);
      await signIn(page, baseUrl, { email, password: PASSWORD });
      await page.getByText('LIVE', { exact: true }).first().click();
      await waitForView(page, '**/dashboard/?environment=LIVE');
      const shown: string[] = [];
      const show = async (page: Page, address: string, view: View): Promise<void> => {
        const route = readRoute(view);
        if (!route.includes('$')) return showView(page, `${address}?environment=TEST`);
        for (const asked of ['', '?environment=LIVE']) {
          await page.goto(`${baseUrl}/dashboard${address}${asked}`);
          await waitForBar(page, 'TEST');
          await waitUntilShown(page);
          t.match(page.url(), /[?&]environment=TEST$/, `${route}${asked}`);
          await waitForObject(page, address);
        }
        if (route === '/payments/$paymentId')
          await checkView(t, page, `object-environment-${look}`);
        shown.push(route);
      };
      const views = VIEWS.map(({ path }) => ({ path }));
      t.same(await walkViews(page, { views, show }), [], 'each view has a sample');
      t.same(
        shown,
        VIEWS.map(readRoute).filter((route) => route.includes('$')),
      );
      t.same(complaints, []);
    });
  }

  t.test(
    'a person leaves a TEST object for LIVE, and the filters of a view are kept',
    async (t) => {
      const { page, complaints } = await openDashboard(t, browser, {}, [IN_LIVE]);
      await signIn(page, baseUrl, { email, password: PASSWORD }, '/webhooks?environment=TEST');
      await page.locator('main a[href*="/webhooks/we_"]').first().waitFor({ timeout: SHOWN_MS });
      const link = await page.locator('main a[href*="/webhooks/we_"]').first().getAttribute('href');
      const path = new URL(link ?? '', baseUrl).pathname;
      await page.goto(`${baseUrl}${path}?status=dead&environment=LIVE`);
      await waitForBar(page, 'TEST');
      t.equal(new URL(page.url()).searchParams.get('status'), 'dead');
      await page.getByText('LIVE', { exact: true }).first().click();
      await waitForView(page, '**/dashboard/?environment=LIVE');
      await waitUntilShown(page);
      await waitForBar(page, 'LIVE');
      t.same(complaints, []);
    },
  );
}
