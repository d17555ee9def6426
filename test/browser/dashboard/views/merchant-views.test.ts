// Every view of a merchant and every view without a session in a real browser, wide in English and on a phone in Indonesian,
// light and dark, while every text that a person could write is an attack.
import t from 'tap';
import { PASSWORD } from '#test/support/accounts.js';
import { openBrowser } from '#test/support/browser.js';
import { openDashboard, signIn, waitUntilShown } from '../stage.js';
import { checkViews, LOOKS, startViews } from './checks.js';
import { makeHostileMerchant } from './hostile.js';
import { ADMIN_VIEWS, MERCHANT_VIEWS, OPEN_VIEWS, readRoute, UNKNOWN_PATH } from './views.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startViews(t);
  const { baseUrl } = stage;
  const { email } = await makeHostileMerchant(stage);

  t.test('every route of the dashboard is in the table of views', async (t) => {
    const { page } = await openDashboard(t, browser);
    await page.goto(`${baseUrl}/dashboard/sign-in`);
    await page.locator('input[type=email]').waitFor();
    // The router's library leaves it in a variable. A route with children is the frame of other views.
    const routes = await page.evaluate<string[]>(
      `Object.entries(__TSR_ROUTER__.routesByPath).filter(([, { children }]) => !children).map(([path]) => path)`,
    );
    const views = [...OPEN_VIEWS, ...MERCHANT_VIEWS, ...ADMIN_VIEWS].map(readRoute);
    const listed = new Set(views.filter((path) => !path.endsWith(UNKNOWN_PATH)));
    t.same([...listed].sort(), routes.sort());
  });

  for (const looks of LOOKS) {
    t.test(`the views without a session have no finding, ${looks.look}`, (t) =>
      checkViews(t, browser, {
        ...looks,
        views: OPEN_VIEWS,
        begin: async (page) => {
          await page.goto(`${baseUrl}/dashboard/register`);
          await waitUntilShown(page);
        },
      }),
    );

    t.test(`the views of a merchant have no finding, ${looks.look}`, (t) =>
      checkViews(t, browser, {
        ...looks,
        views: MERCHANT_VIEWS,
        begin: (page) => signIn(page, baseUrl, { email, password: PASSWORD }, '/team'),
      }),
    );
  }
}
