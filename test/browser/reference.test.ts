// The references of the API in a real browser, in the light and in the dark scheme, on a phone and on a wide screen: each
// operation is shown, axe finds nothing (contrast among its rules), nothing is wider than the screen.
// SHOTS=<folder> keeps pictures.
import type { Locator } from 'playwright-core';
import t from 'tap';
import { WEBHOOK_TYPES } from '#actors/core/schemas/event.js';
import { findReference } from '#gateway/docs/reference.js';
import {
  API_DOCUMENTS,
  DASHBOARD,
  MERCHANTS,
  selectRoutes,
} from '#gateway/developers/openapi/documents.js';
import { referToErrors } from '#gateway/developers/openapi/errors.js';
import { listErrorCodes } from '#gateway/routing/route-errors.js';
import {
  listViolations,
  measureOverflow,
  openBrowser,
  openPage,
  SCHEMES,
  SCREENS,
  shoot,
  SHOWN_MS,
  WIDE,
} from '../support/browser.js';
import { startService } from '../support/processes.js';
import { listRoutes } from '../support/routes.js';

/** CSS pixels of the open operation createPayment; it had 18,133 on a phone and 11,408 on a wide screen before answers folded. */
const MAX_FOLDED = { phone: 4_500, wide: 3_500 } as const;
/** Bytes that the page of the main reference loads, with Brotli; it was 512,538 before it showed programs, with gzip. */
const MAX_BYTES = 462_000;
const createPayment = listRoutes().find(({ operationId }) => operationId === 'createPayment');
const CREATE_ANSWERS = {
  ...createPayment?.answers,
  ...(createPayment === undefined ? {} : referToErrors(listErrorCodes(createPayment))),
};

async function measureHeight(operation: Locator): Promise<number> {
  return Math.round((await operation.boundingBox())?.height ?? 0);
}

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
        await open.locator('.snippets').scrollIntoViewIfNeeded();
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
        t.match(await open.locator('.snippets').innerText(), /getSandboxPayment|sandbox\/payments/);
        t.same(await listViolations(page), [], 'axe finds nothing on the answer');
      });

      t.test(
        `the answers of an operation fold, ${colorScheme} on a ${screen} screen`,
        async (t) => {
          const { page, complaints } = await openPage(t, browser, { viewport, colorScheme });
          await page.goto(`${baseUrl}/docs/reference#/Payments/createPayment`);
          const open = page.locator('.opblock.is-open');
          await open.locator('.responses-wrapper').waitFor({ timeout: SHOWN_MS });
          const folds = open.locator('.response .fold');
          const answers = Object.keys(CREATE_ANSWERS).length;
          t.equal(await folds.count(), answers - 1, 'each answer but the first of success folds');
          const shown = open.locator('.response:not(.folded)');
          t.equal(await shown.count(), 1);
          t.match(await shown.innerText(), /^\s*201[^]*checkout_url/, 'no replay');
          const folded = await measureHeight(open);
          t.same(await listViolations(page), [], 'axe finds nothing');
          for (const fold of await folds.all()) {
            t.equal(await fold.getAttribute('aria-expanded'), 'false');
            await fold.press('Enter');
            t.equal(await fold.getAttribute('aria-expanded'), 'true');
          }
          t.equal(await open.locator('.response.unfolded').count(), answers - 1);
          t.match(await open.innerText(), /req_7c9e6679[^]*idempotency_conflict/);
          // By the keyboard, as the folds: a click waits until nothing moves, which took 30 s once on this long a page.
          for (const headers of await open.locator('.folded-headers summary').all()) {
            await headers.press('Enter');
          }
          const whole = await measureHeight(open);
          t.comment(`${folded} px folded, ${whole} px with all answers and headers`);
          t.ok(folded <= MAX_FOLDED[screen], `${folded} px`);
          t.ok(whole > 2 * folded, 'most of its height is folded');
          t.same(await listViolations(page), [], 'axe finds nothing on open answers');
          t.equal(await measureOverflow(page), 0);
          await folds.first().press('Enter');
          t.equal(await folds.first().getAttribute('aria-expanded'), 'false');
          await shoot(page, shotName('answers'), 'screen');
          t.same(complaints, []);
        },
      );

      t.test(`the dialog for sessions, ${colorScheme} on a ${screen} screen`, async (t) => {
        const { page, complaints } = await openPage(t, browser, { viewport, colorScheme });
        await page.goto(`${baseUrl}${findReference(DASHBOARD).path}`);
        await page.locator('.btn.authorize').click();
        const dialog = page.getByRole('dialog');
        await dialog.waitFor();
        t.same(await listViolations(page), [], 'axe finds nothing on the dialog');
        await dialog
          .locator('input')
          .first()
          .fill(`sk_live_${'x'.repeat(38)}`);
        await dialog.getByRole('button', { name: 'Authorize' }).first().click();
        await dialog
          .getByText(/takes no LIVE key, because its calls would move real money/)
          .waitFor();
        t.same(await listViolations(page), [], 'axe finds nothing on the refusal');
        await shoot(page, shotName('authorize'), 'screen');
        await page.getByRole('button', { name: 'Close' }).first().click();
        t.equal(await page.getByRole('dialog').count(), 0);
        t.same(complaints, []);
      });
    }
  }

  t.test('the reference loads no more than before it showed programs', async (t) => {
    const { page } = await openPage(t, browser, { viewport: WIDE });
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    let bytes = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(`${baseUrl}/docs/reference`, { waitUntil: 'networkidle' });
    await page.locator('.opblock').first().waitFor({ timeout: SHOWN_MS });
    t.comment(`${bytes} bytes`);
    t.ok(bytes > 0 && bytes <= MAX_BYTES, `${bytes} bytes`);
  });
}
