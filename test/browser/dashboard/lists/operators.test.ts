// Administrators read names in a real browser: of merchants in lists and filters, of actions in the audit log, and who stopped
// what, since when and why. A form finds them by name as well.
import type { Page } from 'playwright-core';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makeMerchant, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import {
  checkView,
  confirm,
  dialog,
  openDashboard,
  press,
  showView,
  signIn,
  startDashboard,
  waitForView,
  waitUntilShown,
} from '../stage.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  await sql`update merchants set business_name = 'Kopi <b>Senja</b>' where id = ${merchant.merchantId}`;
  const other = await makeMerchant(sql, 'Toko Fajar');
  const admin = await makePerson(sql, 'admin', null);
  const office = openApi(baseUrl, await beginSession(sql, admin));
  const turn = (name: string, enabled: boolean, reason: string): Promise<unknown> =>
    office.call('/v1/admin/switches', { method: 'PUT', body: { name, enabled, reason } });
  const refundable = String((await api.create({ amount: '10094' })).body['id']);
  await api.simulate(refundable, 'paid');
  await api.call('/v1/refunds', { method: 'POST', body: { payment_id: refundable } });
  await turn(`merchant:${other}`, false, 'Sedang diperiksa');

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

  t.test('a switch names its merchant, and says who turned it and why', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await open(page, '/admin/switches');
    await waitForText(page, 'New LIVE payments of the merchant Toko Fajar.');
    const card = page.locator(`[data-switch="merchant:${other}"]`);
    t.match(await card.innerText(), new RegExp(`by ${admin.email}[^]*Sedang diperiksa`));
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'A merchant' }).click();
    await page.getByRole('combobox', { name: 'Name' }).fill('senja');
    await page.getByRole('option', { name: 'Kopi <b>Senja</b>' }).click();
    await press(page, 'Continue');
    await dialog(page).getByText('New LIVE payments of the merchant Kopi <b>Senja</b>.').waitFor();
    await page.keyboard.press('Escape');
    await checkView(t, page, 'admin-switches-reasons-wide');
    await showView(page, '/admin');
    await waitForText(page, 'New LIVE payments of the merchant Toko Fajar.');
    t.notMatch(await page.locator('main').innerText(), /mer_/);
    await showView(page, '/admin/switches');
    await waitForText(page, 'New LIVE payments of the merchant Toko Fajar.');
    await page.setViewportSize(PHONE);
    await checkView(t, page, 'admin-switches-reasons-phone');
    t.same(complaints, []);
  });

  t.test('the audit log speaks in words, with the raw entry behind a press', async (t) => {
    await office.call(`/v1/admin/merchants/${other}`);
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: WIDE,
      locale: 'id-ID',
    });
    await open(page, '/admin/audit-log');
    await waitForText(page, 'Melihat merchant');
    await waitForText(page, 'Sakelar darurat: alasan dicatat');
    await waitForText(page, 'Toko Fajar');
    const actions = await page.locator('td[data-name=Tindakan]').allInnerTexts();
    t.notMatch(actions.join(' '), /\/v1\/admin|switches\.insert/);
    await page
      .locator('tbody tr')
      .filter({ hasText: 'Melihat merchant' })
      .locator('summary')
      .click();
    await waitForText(page, `"action": "GET /v1/admin/merchants/{merchant_id}"`);
    await checkView(t, page, 'admin-audit-words-wide');
    await page.getByRole('combobox', { name: 'Tindakan' }).fill('Sakelar darurat: alasan');
    await page.getByRole('option').first().click();
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached', timeout: SHOWN_MS });
    await waitForText(page, 'Sedang diperiksa');
    await page.getByRole('combobox', { name: 'Pengguna' }).click();
    await page.getByRole('option', { name: admin.email }).click();
    await page.waitForURL(`**actor=${admin.userId}**`);
    await waitForText(page, 'Sedang diperiksa');
    await showView(page, '/admin/audit-log?to=2026-01-01');
    await waitForText(page, 'Tidak ada yang cocok dengan filter ini');
    await page.setViewportSize(PHONE);
    await showView(page, '/admin/audit-log');
    await waitForText(page, 'Melihat merchant');
    await checkView(t, page, 'admin-audit-words-phone');
    t.same(complaints, []);
  });

  t.test('a task is read in words, with the raw entry behind a press', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await open(page, '/admin/tasks?env=TEST');
    await page.locator('tbody a').first().click();
    await waitForText(page, 'Kopi <b>Senja</b>');
    await page.locator('summary').click();
    await waitForText(page, `"merchant_id": "${merchant.merchantId}"`);
    await checkView(t, page, 'admin-task-raw-wide');
    t.same(complaints, []);
  });

  t.test('a correction finds its merchant by name or id, and is withdrawn', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await open(page, '/admin/approvals');
    await page.getByRole('link', { name: 'Propose a correction' }).click();
    const chosen = page.getByRole('combobox', { name: 'Merchant' });
    await chosen.fill(`mer_${'0'.repeat(26)}`);
    await page.getByText('No merchant has this name or id').waitFor();
    await chosen.fill('senja');
    await page.getByRole('option', { name: 'Kopi <b>Senja</b>' }).click();
    await waitForText(page, merchant.merchantId);
    await chosen.fill(other);
    await page.getByRole('option', { name: 'Toko Fajar' }).click();
    await waitForText(page, other);
    await page.getByLabel('Amount').fill('15000');
    await page.getByLabel('Reference').fill('K'.repeat(300));
    await page.getByLabel('Reason').fill('Biaya dua kali');
    await press(page, 'Propose');
    await waitForText(page, /^Must /);
    await page.getByLabel('Reference').fill('KOREKSI-1');
    await checkView(t, page, 'admin-correction-wide');
    await press(page, 'Propose');
    await waitForView(page, '**/admin/approvals/appr_*');
    const path = new URL(page.url()).pathname.replace('/dashboard/', '/v1/');
    const { body } = await office.call(path);
    t.match(body, { status: 'proposed', amount: '15000', merchant_id: other });
    await press(page, 'Withdraw');
    await dialog(page).getByLabel('Reason').fill('Salah merchant');
    await confirm(page, 'Withdraw');
    await page.getByText('Rejected', { exact: true }).waitFor();
    t.match((await office.call(path)).body, { status: 'rejected' });
    // The refused proposal is reported by the browser as a failed request.
    t.same(
      complaints.filter((line) => !line.includes('400')),
      [],
    );
  });
}
