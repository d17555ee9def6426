// The references of the API in a real browser, in the light and in the dark scheme, on a phone and on a wide screen: each
// operation is shown, axe finds nothing (contrast among its rules), nothing is wider than the screen.
// SHOTS=<folder> keeps pictures.
import t from 'tap';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { findReference } from '#gateway/docs/reference.js';
import { API_DOCUMENTS, MERCHANTS, selectRoutes } from '#gateway/openapi/documents.js';
import {
  listViolations,
  measureOverflow,
  openBrowser,
  openPage,
  SCHEMES,
  SCREENS,
  shoot,
  SHOWN_MS,
} from '../support/browser.js';
import { startService } from '../support/processes.js';
import { listRoutes } from '../support/routes.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl } = await startService(t);

  for (const { name: screen, viewport } of SCREENS) {
    for (const colorScheme of SCHEMES) {
      const shotName = (path: string): string =>
        `docs-${colorScheme}-${screen}-${path.replaceAll(/\W+/g, '-')}`;

      t.test(`the references in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const options = { viewport, colorScheme };
        const { page, complaints, strangers } = await openPage(t, browser, options);
        for (const document of screen === 'phone' ? API_DOCUMENTS : [MERCHANTS]) {
          const { path } = findReference(document);
          await page.goto(baseUrl + path);
          const operations = page.locator('.opblock');
          await operations.first().waitFor({ timeout: SHOWN_MS });
          const webhooks = document.hasWebhooks ? WEBHOOK_TYPES.length : 0;
          const expected = selectRoutes(document, listRoutes()).length + webhooks;
          t.equal(await operations.count(), expected, 'all operations');
          t.same(await listViolations(page), [], `axe finds nothing on ${path}`);
          t.equal(await measureOverflow(page), 0, `${path} fits the screen`);
          await shoot(page, shotName(path), 'screen');
        }
        t.same({ complaints, strangers }, { complaints: [], strangers: [] });
      });

      t.test(`an open operation in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const { page, complaints } = await openPage(t, browser, { viewport, colorScheme });
        await page.goto(`${baseUrl}/docs/reference#/Payments/createPayment`);
        const open = page.locator('.opblock.is-open');
        await open.locator('.responses-wrapper').waitFor({ timeout: SHOWN_MS });
        t.match(await open.innerText(), /Create a payment[^]*idempotency_conflict/);
        t.same(await listViolations(page), [], 'axe finds nothing');
        await shoot(page, shotName('operation'), 'screen');
        await open.getByRole('button', { name: 'Try it out' }).click();
        await open.getByRole('button', { name: 'Execute' }).waitFor();
        t.same(await listViolations(page), [], 'axe finds nothing on the form');
        await shoot(page, shotName('try'), 'screen');
        await open.locator('.model-example .tablinks').nth(1).click();
        t.same(await listViolations(page), [], 'axe finds nothing on the schema');
        await shoot(page, shotName('schema'), 'screen');
        t.equal(await measureOverflow(page), 0);
        t.same(complaints, []);
      });

      t.test(`a call in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const { page } = await openPage(t, browser, { viewport, colorScheme });
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
        await shoot(page, shotName('authorize'), 'screen');
        await page.getByRole('button', { name: 'Close' }).first().click();
        t.equal(await page.getByRole('dialog').count(), 0);
      });
    }
  }
}
