// The documentation in a real browser, in the light and in the dark scheme, on a phone and on a wide screen: axe finds
// nothing (contrast among its rules), nothing is wider than the screen, and the reference shows every operation.
// SHOTS=<folder> keeps pictures.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { GUIDE_NAMES } from '#gateway/docs/guides.js';
import { findReference } from '#gateway/docs/reference.js';
import { API_DOCUMENTS, MERCHANTS, selectRoutes } from '#gateway/openapi/documents.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { listViolations, openBrowser, openPage, PHONE, WIDE } from '../support/browser.js';
import { startService } from '../support/processes.js';
import { listRoutes } from '../support/routes.js';

const SHOWN_MS = 60_000;
const SCREENS = [
  { name: 'phone', viewport: PHONE },
  { name: 'wide', viewport: WIDE },
] as const;
const SCHEMES = ['light', 'dark'] as const;
const GROUNDS = { light: 'rgb(255, 255, 255)', dark: 'rgb(16, 22, 28)' } as const;
const GUIDES = GUIDE_NAMES.map((name) => (name === 'README' ? '/docs' : `/docs/${name}`));
const PAGES = [...GUIDES, '/docs/search?q=refund', '/docs/search?q=xyzzyxyzzy'];
/** On a wide screen only pages that differ in kind: axe takes seconds for each. */
const WIDE_PAGES = ['/docs', '/docs/webhooks', '/docs/errors', '/docs/search?q=refund'];

async function shoot(page: Page, name: string, fullPage: boolean): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}

/** Nothing is wider than the screen. */
async function overflowOf(page: Page): Promise<number> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  return width - (page.viewportSize()?.width ?? 0);
}

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl } = await startService(t);

  for (const { name: screen, viewport } of SCREENS) {
    for (const colorScheme of SCHEMES) {
      const shotName = (path: string): string =>
        `docs-${colorScheme}-${screen}-${path.replaceAll(/\W+/g, '-')}`;

      t.test(`guides and search in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const options = { viewport, colorScheme };
        const { page, complaints, strangers } = await openPage(browser, options);
        for (const path of screen === 'phone' ? PAGES : WIDE_PAGES) {
          await page.goto('about:blank');
          await page.goto(baseUrl + path);
          const ground = await page.evaluate<string>(
            'getComputedStyle(document.body).backgroundColor',
          );
          t.equal(ground, GROUNDS[colorScheme], `${path} has the ground of its scheme`);
          t.same(await listViolations(page), [], `axe finds nothing on ${path}`);
          t.equal(await overflowOf(page), 0, `${path} fits the screen`);
          await shoot(page, shotName(path), true);
        }
        t.same({ complaints, strangers }, { complaints: [], strangers: [] });
      });

      t.test(`the references in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const options = { viewport, colorScheme };
        const { page, complaints, strangers } = await openPage(browser, options);
        for (const document of screen === 'phone' ? API_DOCUMENTS : [MERCHANTS]) {
          const { path } = findReference(document);
          await page.goto(baseUrl + path);
          const operations = page.locator('.opblock');
          await operations.first().waitFor({ timeout: SHOWN_MS });
          const webhooks = document.hasWebhooks ? WEBHOOK_TYPES.length : 0;
          const expected = selectRoutes(document, listRoutes()).length + webhooks;
          t.equal(await operations.count(), expected, 'all operations');
          t.same(await listViolations(page), [], `axe finds nothing on ${path}`);
          t.equal(await overflowOf(page), 0, `${path} fits the screen`);
          await shoot(page, shotName(path), false);
        }
        t.same({ complaints, strangers }, { complaints: [], strangers: [] });
      });

      t.test(`an open operation in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const { page, complaints } = await openPage(browser, { viewport, colorScheme });
        await page.goto(`${baseUrl}/docs/reference#/Payments/createPayment`);
        const open = page.locator('.opblock.is-open');
        await open.locator('.responses-wrapper').waitFor({ timeout: SHOWN_MS });
        t.match(await open.innerText(), /Create a payment[^]*idempotency_conflict/);
        t.same(await listViolations(page), [], 'axe finds nothing');
        await shoot(page, shotName('operation'), false);
        await open.getByRole('button', { name: 'Try it out' }).click();
        await open.getByRole('button', { name: 'Execute' }).waitFor();
        t.same(await listViolations(page), [], 'axe finds nothing on the form');
        await shoot(page, shotName('try'), false);
        await open.locator('.model-example .tablinks').nth(1).click();
        t.same(await listViolations(page), [], 'axe finds nothing on the schema');
        await shoot(page, shotName('schema'), false);
        t.equal(await overflowOf(page), 0);
        t.same(complaints, []);
      });

      t.test(`a call in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const { page } = await openPage(browser, { viewport, colorScheme });
        await page.goto(`${baseUrl}/docs/reference#/Sandbox/getSandboxPayment`);
        const open = page.locator('.opblock.is-open');
        await open.locator('.responses-wrapper').waitFor({ timeout: SHOWN_MS });
        await open.getByRole('button', { name: 'Try it out' }).click();
        await open.getByRole('button', { name: 'Execute' }).click();
        await open.locator('.live-responses-table').waitFor({ timeout: SHOWN_MS });
        t.match(await open.innerText(), /payment_not_found/);
        t.same(await listViolations(page), [], 'axe finds nothing on the answer');
        await page.locator('.btn.authorize').click();
        await page.getByRole('dialog').waitFor();
        t.same(await listViolations(page), [], 'axe finds nothing on the dialog');
        await shoot(page, shotName('authorize'), false);
        await page.getByRole('button', { name: 'Close' }).first().click();
        t.equal(await page.getByRole('dialog').count(), 0);
      });
    }
  }

  t.test('the menu of a phone and the search need no scripts', async (t) => {
    const options = { viewport: PHONE, javaScriptEnabled: false };
    const { page } = await openPage(browser, options);
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
    const { page } = await openPage(browser, { viewport: WIDE });
    await page.goto(`${baseUrl}/docs/search?q=createRefund`);
    await page.locator('.results a').first().click();
    await page.locator('.opblock.is-open').waitFor({ timeout: SHOWN_MS });
    t.match(await page.locator('.opblock.is-open').innerText(), /\/v1\/refunds/);
    await page.goto(`${baseUrl}/docs/errors#rate_limited`);
    const row = page.locator('[id="rate_limited"]');
    await waitUntil('the row of the error', SHOWN_MS, async () => {
      const box = await row.boundingBox();
      return box !== null && box.y > 0 && box.y < WIDE.height;
    });
  });

  t.test('a button copies an example', async (t) => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page } = await openPage(browser, { viewport: WIDE, permissions });
    await page.goto(`${baseUrl}/docs/quick-start`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    t.match(text, /^export API=[^]*\nexport KEY=sk_test_…\n$/);
  });
}
