// Every view of administrators in a real browser, wide in English and on a phone in Indonesian, light and dark, while every
// text that a person or a rail could write is an attack.
import t from 'tap';
import { PASSWORD } from '#test/support/accounts.js';
import { openBrowser } from '#test/support/browser.js';
import { signIn } from '../stage.js';
import { checkViews, LOOKS, startViews } from './checks.js';
import { fillOffice, makeHostileMerchant } from './hostile.js';
import { ADMIN_VIEWS } from './views.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startViews(t);
  const { baseUrl, administrator } = stage;
  await fillOffice(stage, await makeHostileMerchant(stage));

  for (const looks of LOOKS) {
    t.test(`the views of administrators have no finding, ${looks.look}`, (t) =>
      checkViews(t, browser, {
        ...looks,
        views: ADMIN_VIEWS,
        begin: (page) =>
          signIn(page, baseUrl, { email: administrator.email, password: PASSWORD }, '/admin/rails'),
      }),
    );
  }
}
