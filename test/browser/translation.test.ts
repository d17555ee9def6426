// Pages that the browser translates: like the translators of browsers, the script below wraps each text in `<font>` elements,
// also those that come later, unless the page marks them with `translate="no"`.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { openBrowser, openPage, SHOWN_MS, type Watched, WIDE } from '../support/browser.js';
import { openInvoice } from '../support/collecting/invoices.js';
import { makeLink } from '../support/collecting/links.js';
import { openSeller, startCollecting } from '../support/collecting/stage.js';
import { useService } from '../support/standing/service.js';
import { dialog, openDashboard, press, signIn, waitUntilShown } from './dashboard/stage.js';

/** A translated text begins with it. */
const MARK = '¿';
const buildTranslator = (mark: string): string => `{
  const wrap = (text) => {
    const parent = text.parentElement;
    if (text.data.trim() === '' || !parent?.translate) return;
    if (parent.closest('head, font, script, style, noscript, textarea') !== null) return;
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    inner.textContent = '${mark}' + text.data;
    outer.append(inner);
    text.replaceWith(outer);
  };
  const translate = (root) => {
    const texts = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    if (root.nodeType === Node.TEXT_NODE) texts.push(root);
    while (walker.nextNode()) texts.push(walker.currentNode);
    texts.filter((text) => text.isConnected).forEach(wrap);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes, target, type } of changes) {
      for (const node of type === 'childList' ? addedNodes : [target]) translate(node);
    }
  }).observe(document, { childList: true, characterData: true, subtree: true });
}`;
/** More than one page of the list. */
const PAYMENTS = 21;
/** Amounts, ids and numbers of accounts, and names that translators know as words: Mandiri is "independent". */
const VERBATIM = /Rp|pay_|INV-|\d{5}|\d{4} \d{4}|BCA|Mandiri|Permata|Toko Mawar/;

const listTranslated = (page: Page): Promise<readonly string[]> =>
  page.locator('body > * font > font').allInnerTexts();

/** The sentences of the page are translated, and nothing of it that must stay as it is. */
async function checkTexts(t: Test, page: Page, name: string): Promise<void> {
  await page.locator('font').first().waitFor({ timeout: SHOWN_MS });
  const translated = await listTranslated(page);
  t.strictSame(
    translated.filter((text) => VERBATIM.test(text)),
    [],
    name,
  );
}

const browser = await openBrowser(t);
if (browser !== null) {
  t.test(
    'filters, pages and dialogs of the dashboard work in a browser that translates',
    async (t) => {
      const { api, publicUrl, merchant } = await useService();
      const amounts = Array.from({ length: PAYMENTS }, (_, index) => `${150_000 + index}`);
      const ids = [];
      for (const amount of amounts) {
        ids.push(String((await api.create({ amount, payment_method: 'QRIS' })).body['id']));
      }
      await api.simulate(ids[0] ?? '', 'paid');
      const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
      // Texts keep their words, by which the story finds them.
      await page.addInitScript(buildTranslator(''));
      await signIn(page, publicUrl, merchant.owner, '/payments');
      const rows = page.locator('tbody tr');
      await rows.first().waitFor({ timeout: SHOWN_MS });
      await press(page, 'Next');
      await page.waitForURL('**cursor=**');
      await waitUntilShown(page);
      t.same(complaints, [], 'the next page');
      await press(page, 'Previous');
      await page.goto(`${publicUrl}/dashboard/payments?status=failed`);
      await press(page, 'Clear filters');
      await rows.first().waitFor({ timeout: SHOWN_MS });
      await page.goto(`${publicUrl}/dashboard/payments/${ids[0]}`);
      await press(page, 'Refund');
      await dialog(page).getByLabel('Amount').fill('1000');
      await dialog(page).getByRole('button', { name: 'Cancel' }).click();
      await dialog(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
      t.ok(await page.locator('[data-status=paid]').first().isVisible(), 'the view is there');
      t.same(await listTranslated(page), [], 'nothing is translated');
      t.same(complaints, []);
    },
  );

  t.test(
    'pages for customers keep amounts, numbers and names when they are translated',
    async (t) => {
      const stage = await startCollecting(t);
      const { api, merchantId } = await openSeller(stage);
      await stage.sql`update merchants set business_name = 'Toko Mawar' where id = ${merchantId}`;
      const here = (url: unknown): string =>
        String(url).replace(/^https?:\/\/[^/]+/, stage.baseUrl);
      const open = async (): Promise<Watched> => {
        const watched = await openPage(t, browser, { viewport: WIDE, locale: 'en-GB' });
        await watched.page.addInitScript(buildTranslator(MARK));
        return watched;
      };
      const { page, complaints } = await open();
      const link = await makeLink(api, { amount: null, min_amount: '10000', max_amount: '500000' });
      const fixed = await makeLink(api);
      const invoice = await openInvoice(api, { customer_name: 'Toko Mawar Dua' });
      for (const [name, { body }] of Object.entries({ link, fixed, invoice })) {
        await page.goto(here(body['url']));
        await checkTexts(t, page, name);
      }
      await page.goto(here(fixed.body['url']));
      await page.locator('button[type=submit]').click();
      await page.waitForURL('**/checkout/pay_*');
      await checkTexts(t, page, 'the choice of a method');
      await page.locator('input[value=VA_MANDIRI]').check();
      await page.locator('button[type=submit]').click();
      await page.locator('.number').first().waitFor({ timeout: SHOWN_MS });
      await checkTexts(t, page, 'a virtual account');
      const id = await page.locator('main').getAttribute('data-id');
      await api.simulate(String(id), 'paid');
      await page.locator('main[data-stage=paid]').waitFor({ timeout: SHOWN_MS });
      await checkTexts(t, page, 'a paid payment');
      t.same(complaints, []);
    },
  );

  t.test('the documentation keeps its programs when it is translated', async (t) => {
    const { publicUrl } = await useService();
    const { page } = await openPage(t, browser, { viewport: WIDE });
    await page.addInitScript(buildTranslator(MARK));
    await page.goto(`${publicUrl}/docs`);
    await page.locator('font').first().waitFor({ timeout: SHOWN_MS });
    const examples = await page.locator('pre').allInnerTexts();
    t.ok(examples.length > 0);
    t.notMatch(examples.join(), MARK);
    await page.goto(`${publicUrl}/docs/reference`);
    await page.locator('.opblock').first().waitFor({ timeout: SHOWN_MS });
    t.equal(await page.locator('#swagger font').count(), 0, 'the reference is a program of React');
  });
}
