// Search in a real browser: the field of the payments, and the command palette by keyboard and by touch.
import type { Page } from 'playwright-core';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import {
  checkView,
  openDashboard,
  signIn,
  startDashboard,
  waitForView,
  waitUntilShown,
} from '../stage.js';

/** With its padding; a line for each column took 190. */
const TWO_LINES_PX = 80;

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const ids: string[] = [];
  for (const [index, name] of ['Siti Aminah', 'Budi <i>Santoso</i>', 'Siti Rahma'].entries()) {
    const made = await api.create({
      ...{ amount: String(150_000 + index), customer_name: name, reference_id: `INV-${index}` },
      ...{ payment_method: 'QRIS', metadata: { kota: 'Bandung' } },
    });
    ids.push(String(made.body['id']));
  }
  await waitUntil('the payments are searchable', async () => {
    const { body } = await api.call('/v1/payments?q=bandung');
    return (body['data'] as unknown[]).length === ids.length;
  });

  const field = (page: Page) => page.getByRole('combobox', { name: /A view, an action|Halaman/ });
  const options = (page: Page) => page.getByRole('option');
  const readChosen = (page: Page): Promise<string> =>
    page.getByRole('dialog').locator('[role=option][aria-selected=true]').innerText();

  /** The role of the element that has the focus, or its text. */
  const readFocused = (page: Page): Promise<string> =>
    page.evaluate(
      `document.activeElement.getAttribute('role') ?? document.activeElement.innerText`,
    );

  t.test('payments are searched in their list, and the address keeps the words', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    await waitUntilShown(page);
    t.equal(await page.locator('tbody tr').count(), ids.length);
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.fill('siti');
    await search.press('Enter');
    await waitForView(page, '**/payments?q=siti');
    await page.getByText('Budi <i>Santoso</i>').waitFor({ state: 'detached', timeout: SHOWN_MS });
    await waitUntilShown(page);
    t.equal(await page.locator('tbody tr').count(), 2);
    await page.reload();
    await waitUntilShown(page);
    t.equal(await page.locator('tbody tr').count(), 2);
    t.equal(await search.inputValue(), 'siti');
    await checkView(t, page, 'payments-search-wide');
    await search.fill('.');
    await search.press('Enter');
    t.match(await page.locator('main').getByRole('alert').innerText(), /q must be 1 to 8 words/);
    t.same(
      complaints.filter((text) => !text.includes('400')),
      [],
    );
  });

  t.test('the palette finds a payment by keyboard, and the focus returns', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    await waitUntilShown(page);
    const button = page.getByRole('button', { name: 'Search' });
    await button.focus();
    await page.keyboard.press('Control+k');
    await field(page).waitFor({ timeout: SHOWN_MS });
    t.equal(await readFocused(page), 'combobox');
    t.match(await readChosen(page), /Home/);
    await checkView(t, page, 'palette-wide');
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    t.match(await readFocused(page), /^Search/, 'the focus is on the button again');

    await page.keyboard.press('Control+k');
    await field(page).waitFor({ timeout: SHOWN_MS });
    await page.keyboard.type('150.001');
    await options(page).first().waitFor({ timeout: SHOWN_MS });
    t.match(await readChosen(page), /Rp\u00a0150\.001[^]*Budi <i>Santoso<\/i> · INV-1/);
    const chosen = await page.locator('[role=option][aria-selected=true]').getAttribute('id');
    t.equal(await field(page).getAttribute('aria-activedescendant'), chosen);
    await checkView(t, page, 'palette-payment-wide');
    await page.keyboard.press('Enter');
    await waitForView(page, `**/payments/${ids[1] ?? ''}`);
    await field(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    t.same(complaints, []);
  });

  t.test('the palette opens views by name, from a field too, and all payments', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    await waitUntilShown(page);
    await page.getByRole('searchbox', { name: 'Search' }).focus();
    await page.keyboard.press('Control+k');
    await field(page).waitFor({ timeout: SHOWN_MS });
    await page.keyboard.type('refu');
    await page.keyboard.press('Enter');
    await waitForView(page, '**/refunds');
    const focusedAtOnce = page.evaluate(`new Promise((tell) => {
      new MutationObserver((changes, observer) => {
        const field = document.querySelector('[role=dialog] [role=combobox]');
        if (field === null) return;
        observer.disconnect();
        tell(document.activeElement === field);
      }).observe(document.body, { childList: true, subtree: true });
    })`);
    await page.keyboard.press('Control+k');
    t.equal(await focusedAtOnce, true, 'no key is lost once the palette is there');
    await page.keyboard.type('siti');
    await options(page).nth(2).waitFor({ timeout: SHOWN_MS });
    t.equal(await options(page).count(), 3);
    await page.keyboard.press('ArrowUp');
    t.match(await readChosen(page), /All payments with “siti”/);
    await page.keyboard.press('Enter');
    await waitForView(page, '**/payments?q=siti');
    t.same(complaints, []);
  });

  t.test('the palette begins an action, and opens an object by its id', async (t) => {
    await api.simulate(ids[0], 'paid');
    const refund = await api.call('/v1/refunds', { method: 'POST', body: { payment_id: ids[0] } });
    const id = String(refund.body['id']);
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    const choose = async (words: string, name: RegExp): Promise<void> => {
      await waitUntilShown(page);
      await page.keyboard.press('Control+k');
      await field(page).fill(words);
      await options(page).filter({ hasText: name }).first().waitFor({ timeout: SHOWN_MS });
      t.match(await readChosen(page), name);
      await page.keyboard.press('Enter');
    };
    await choose('new inv', /New invoice/);
    await waitForView(page, '**/invoices/new');
    await choose(id, /Refund ref_/);
    await waitForView(page, `**/refunds/${id}`);
    await choose('switch live', /Switch to LIVE/);
    await waitForView(page, '**/dashboard/?environment=LIVE');
    await choose('bahasa', /Bahasa Indonesia/);
    await page.getByRole('heading', { name: 'Beranda' }).waitFor({ timeout: SHOWN_MS });
    t.same(complaints, []);
  });

  t.test('the palette on a phone shows a viewer what the role may see', async (t) => {
    const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
    const login = { email: viewer.email, password: PASSWORD };
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await signIn(page, baseUrl, login, '/payments');
    await waitUntilShown(page);
    const box = await page.locator('tbody tr').first().boundingBox();
    t.ok((box?.height ?? Infinity) < TWO_LINES_PX, `a row is ${box?.height} px high`);
    await checkView(t, page, 'payments-search-phone');
    await page.getByRole('button', { name: 'Cari' }).click();
    await field(page).waitFor({ timeout: SHOWN_MS });
    const views = (await options(page).allInnerTexts()).join();
    t.match(views, /Pembayaran/);
    t.notMatch(views, /Pencairan/);
    await field(page).fill('siti');
    await options(page).nth(1).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'palette-phone');
    await options(page).first().click();
    await waitForView(page, `**/payments/${ids[2] ?? ''}`);
    await page.getByRole('button', { name: 'Cari' }).click();
    await field(page).fill('zzz');
    await page.getByText('Tidak ditemukan.').waitFor({ timeout: SHOWN_MS });
    t.same(complaints, []);
  });
}
