// Administrators read names of merchants in lists and filters, in a real browser.
import type { Page } from 'playwright-core';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { makeMerchant, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, SHOWN_MS, WIDE } from '#test/support/browser.js';
import {
  checkView,
  openDashboard,
  showView,
  signIn,
  startDashboard,
  waitUntilShown,
} from '../stage.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  await sql`update merchants set business_name = 'Kopi <b>Senja</b>' where id = ${merchant.merchantId}`;
  await makeMerchant(sql, 'Toko Fajar');
  const admin = await makePerson(sql, 'admin', null);
  const refundable = String((await api.create({ amount: '10094' })).body['id']);
  await api.simulate(refundable, 'paid');
  await api.call('/v1/refunds', { method: 'POST', body: { payment_id: refundable } });

  const open = (page: Page, path: string): Promise<void> =>
    signIn(page, baseUrl, { email: admin.email, password: PASSWORD }, path);
  const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
    page.locator('main').getByText(text).first().waitFor({ timeout: SHOWN_MS });

  t.test('lists name their merchants, and are filtered by a part of the name', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await open(page, '/admin/transactions');
    for (const view of ['transactions', 'refunds', 'tasks?env=TEST']) {
      await showView(page, `/admin/${view}`);
      await page
        .locator('tbody')
        .getByText('Kopi <b>Senja</b>')
        .first()
        .waitFor({ timeout: SHOWN_MS });
      t.notMatch(await page.locator('tbody').innerText(), /mer_/, view);
    }
    const filter = page.getByRole('combobox', { name: 'Merchant' });
    await filter.fill('senja');
    await page.getByRole('option', { name: 'Kopi <b>Senja</b>' }).click();
    await page.waitForURL(`**merchant_id=${merchant.merchantId}**`);
    await waitUntilShown(page);
    t.equal(await filter.inputValue(), 'Kopi <b>Senja</b>');
    await checkView(t, page, 'admin-merchant-names-wide');
    await page.reload();
    await waitUntilShown(page);
    await waitForText(page, 'Kopi <b>Senja</b>');
    await filter.fill('Toko Faj');
    await page.getByRole('option', { name: 'Toko Fajar' }).click();
    await waitForText(page, 'Nothing matches these filters');
    t.same(complaints, []);
  });
}
