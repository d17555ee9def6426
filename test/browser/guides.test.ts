// The guides in a real browser, in the light and in the dark scheme, on a phone and on a wide screen: axe finds nothing
// (contrast among its rules), nothing is wider than the screen, search and menu work without scripts.
// SHOTS=<folder> keeps pictures.
import t from 'tap';
import { GUIDE_NAMES } from '#gateway/docs/guides.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  listViolations,
  measureOverflow,
  openBrowser,
  openPage,
  PHONE,
  SCHEMES,
  SCREENS,
  shoot,
  SHOWN_MS,
  WIDE,
} from '../support/browser.js';
import { startService } from '../support/processes.js';

const GROUNDS = { light: 'rgb(255, 255, 255)', dark: 'rgb(16, 22, 28)' } as const;
const GUIDES = GUIDE_NAMES.map((name) => (name === 'README' ? '/docs' : `/docs/${name}`));
const PAGES = [...GUIDES, '/docs/search?q=refund', '/docs/search?q=xyzzyxyzzy'];
/** On a wide screen only pages that differ in kind: axe takes seconds for each. */
const WIDE_PAGES = ['/docs', '/docs/webhooks', '/docs/errors', '/docs/search?q=refund'];

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl } = await startService(t);

  for (const { name: screen, viewport } of SCREENS) {
    for (const colorScheme of SCHEMES) {
      const shotName = (path: string): string =>
        `docs-${colorScheme}-${screen}-${path.replaceAll(/\W+/g, '-')}`;

      t.test(`guides and search in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const options = { viewport, colorScheme };
        const { page, complaints, strangers } = await openPage(t, browser, options);
        for (const path of screen === 'phone' ? PAGES : WIDE_PAGES) {
          await page.goto('about:blank');
          await page.goto(baseUrl + path);
          const ground = await page.evaluate<string>(
            'getComputedStyle(document.body).backgroundColor',
          );
          t.equal(ground, GROUNDS[colorScheme], `${path} has the ground of its scheme`);
          t.same(await listViolations(page), [], `axe finds nothing on ${path}`);
          t.equal(await measureOverflow(page), 0, `${path} fits the screen`);
          await shoot(page, shotName(path));
        }
        t.same({ complaints, strangers }, { complaints: [], strangers: [] });
      });
    }
  }

  t.test('the menu of a phone and the search need no scripts', async (t) => {
    const options = { viewport: PHONE, javaScriptEnabled: false };
    const { page } = await openPage(t, browser, options);
    await page.goto(`${baseUrl}/docs`);
    await page.getByText('Menu', { exact: true }).click();
    await page.getByRole('navigation', { name: 'Menu' }).getByText('Testing').click();
    await page.waitForURL('**/docs/testing');
    await page.getByRole('searchbox').fill('payout');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/search?q=payout');
    t.match(await page.locator('main').innerText(), /results for “payout”/);
    await page.locator('.results a').first().click();
    await page.waitForURL(/docs\/(payouts|reference)/);
    await page.goto(`${baseUrl}/docs/reference`);
    t.match(await page.locator('main').innerText(), /POST \/v1\/payments/);
  });

  t.test('a result of the search opens its operation, and an error its row', async (t) => {
    const { page } = await openPage(t, browser, { viewport: WIDE });
    await page.goto(`${baseUrl}/docs/search?q=createRefund`);
    await page.locator('.results a').first().click();
    await page.locator('.opblock.is-open').waitFor({ timeout: SHOWN_MS });
    t.match(await page.locator('.opblock.is-open').innerText(), /\/v1\/refunds/);
    await page.goto(`${baseUrl}/docs/errors#rate_limited`);
    const row = page.locator('[id="rate_limited"]');
    await waitUntil('the row of the error', async () => {
      const box = await row.boundingBox();
      return box !== null && box.y > 0 && box.y < WIDE.height;
    });
  });

  t.test('a button copies an example', async (t) => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await openPage(t, browser, { viewport: WIDE, permissions });
    await page.goto(`${baseUrl}/docs/quick-start`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    t.match(text, /^export API=[^]*\nexport KEY=sk_test_…\n$/);
  });
}
