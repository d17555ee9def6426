// The keyboard alone in a real browser: a merchant and an administrator go from view to view, search, read the list of
// shortcuts, and switch those of one character off.
import type { Page } from 'playwright-core';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { makeMerchant, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import {
  checkView,
  dialog,
  openDashboard,
  signIn,
  startDashboard,
  waitForView,
  waitUntilShown,
} from './stage.js';

const NAME = 'Toko <b>Kunci</b>';
const TITLE = /^(?:Keyboard shortcuts|Pintasan keyboard)$/;

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));

  const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const go = async (page: Page, letter: string, path: string): Promise<void> => {
    await press(page, 'g', letter);
    await waitForView(page, `**/dashboard${path}`);
  };
  const field = (page: Page) => page.getByRole('combobox', { name: /^(?:A view|Halaman)/ });
  const help = (page: Page) => page.getByRole('dialog', { name: TITLE });
  const listLetters = (page: Page): Promise<readonly string[]> =>
    help(page).locator('dt', { hasText: /^g ./ }).allInnerTexts();
  const readFocused = (page: Page): Promise<string> =>
    page.evaluate('document.activeElement.id || document.activeElement.tagName');

  t.test('letters lead from view to view, and every one is in the list', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner);
    await waitUntilShown(page);
    await go(page, 'p', '/payments');
    t.equal(await readFocused(page), 'content', 'the keyboard goes on in the view');
    await go(page, 'w', '/webhooks');
    await press(page, 'g');
    await go(page, 'e', '/going-live');
    await press(page, '?');
    await help(page).waitFor({ timeout: SHOWN_MS });
    const letters = await listLetters(page);
    const views = await page.locator('nav a').count();
    t.equal(letters.length, views, 'as many as the navigation has');
    t.equal(new Set(letters).size, letters.length, 'each of its own');
    await checkView(t, page, 'shortcuts-wide');
    await press(page, 'g', 'p', '/');
    await press(page, 'Escape');
    await help(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    t.match(page.url(), /\/going-live$/, 'an open dialog has the keys');
    t.equal(await field(page).count(), 0);
    t.same(complaints, []);
  });

  t.test('a slash opens the search; a field and the keys of the browser stay theirs', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    await waitUntilShown(page);
    await press(page, '/');
    await field(page).waitFor({ timeout: SHOWN_MS });
    t.equal(await field(page).inputValue(), '');
    await page.keyboard.type('g p?/');
    t.equal(await field(page).inputValue(), 'g p?/');
    await press(page, 'Escape');
    await field(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.focus();
    await page.keyboard.type('gr?/');
    t.equal(await search.inputValue(), 'gr?/');
    await search.fill('');
    await search.blur();
    for (const modifier of ['Control', 'Alt', 'Meta']) {
      await press(page, 'g', `${modifier}+b`, `${modifier}+/`, `${modifier}+?`);
    }
    await go(page, 'r', '/refunds');
    t.equal(await dialog(page).count(), 0, 'no key before this one opened anything');
    t.same(complaints, []);
  });

  t.test('shortcuts are found in the menu, and can be switched off, on a phone too', async (t) => {
    const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await signIn(page, baseUrl, { email: viewer.email, password: PASSWORD }, '/payments');
    await waitUntilShown(page);
    await page.getByRole('button', { name: 'Akun' }).press('Enter');
    await page.locator('[role=menuitem]:focus').waitFor({ timeout: SHOWN_MS });
    await press(page, 'ArrowDown', 'Enter');
    await help(page).waitFor({ timeout: SHOWN_MS });
    t.notOk((await listLetters(page)).includes('g o'), 'payouts are not for this role');
    await checkView(t, page, 'shortcuts-phone');
    await help(page).getByRole('switch').press('Space');
    await press(page, 'Escape');
    await help(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    await page.reload();
    await waitUntilShown(page);
    await press(page, '?', '/', 'g', 'r', 'Control+k');
    await field(page).waitFor({ timeout: SHOWN_MS });
    t.equal(await help(page).count(), 0);
    t.match(page.url(), /\/payments$/);
    t.same(complaints, []);
  });

  t.test(
    'an administrator has letters of their own, and finds merchants and payments',
    async (t) => {
      const merchantId = await makeMerchant(sql, NAME);
      const { body } = await api.create({ amount: '175000', payment_method: 'QRIS' });
      const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
      const { email } = await makePerson(sql, 'admin', null);
      await signIn(page, baseUrl, { email, password: PASSWORD });
      await waitUntilShown(page);
      await go(page, 'm', '/admin/merchants');
      await go(page, 'k', '/admin/switches');
      await press(page, '?');
      await help(page).waitFor({ timeout: SHOWN_MS });
      const letters = await listLetters(page);
      t.equal(new Set(letters).size, await page.locator('nav a').count());
      await press(page, 'Escape');
      await help(page).waitFor({ state: 'detached', timeout: SHOWN_MS });

      const open = async (words: string, shown: RegExp | string, path: string): Promise<void> => {
        await press(page, '/');
        await field(page).waitFor({ timeout: SHOWN_MS });
        await page.keyboard.type(words);
        const found = page.getByRole('option', { selected: true });
        await found.getByText(shown).waitFor({ timeout: SHOWN_MS });
        if (words === 'kunci') await checkView(t, page, 'palette-admin-wide');
        await press(page, 'Enter');
        await waitForView(page, `**/dashboard/admin/${path}`);
        await field(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
      };
      await press(page, '/');
      await field(page).fill('kunci');
      const merchantFound = page.getByRole('option', { name: NAME });
      await merchantFound.waitFor({ timeout: SHOWN_MS });
      await field(page).fill('');
      await merchantFound.waitFor({ state: 'detached', timeout: SHOWN_MS });
      await press(page, 'Escape');
      await field(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
      await open('kill', 'Kill switches', 'switches');
      await open('kunci', NAME, `merchants/${merchantId}`);
      await open(String(body['id']), /175\.000/, `transactions/${String(body['id'])}`);
      await open(merchantId, NAME, `merchants/${merchantId}`);
      t.same(complaints, []);
    },
  );
}
