// A trial on a laptop that another device of the local network opens: over plain http by a name that is not localhost, the
// browser offers neither its clipboard nor `crypto.randomUUID`.
import type { Page } from 'playwright-core';
import t from 'tap';
import { findFreePort } from '#ops/dev/servers/ports.js';
import { openBrowser, SHOWN_MS, WIDE } from '../support/browser.js';
import {
  confirm,
  dialog,
  openDashboard,
  press,
  signIn,
  startDashboard,
  waitForView,
} from './dashboard/stage.js';

const HOST = 'kasir.test';
const NUMBER = /^0{6}\d{10}$/;

/** The text that a person pastes elsewhere. */
async function paste(page: Page): Promise<string> {
  const other = await page.context().newPage();
  await other.setContent('<textarea autofocus></textarea>');
  await other.locator('textarea').focus();
  await other.keyboard.press('Control+V');
  const text = await other.locator('textarea').inputValue();
  await other.close();
  return text;
}

const browser = await openBrowser(t, [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`]);
if (browser !== null) {
  const port = await findFreePort();
  const baseUrl = `http://${HOST}:${port}`;
  const variables = { PORT: String(port), BASE_URL: baseUrl, NODE_ENV: 'development' };
  const { api, merchant } = await startDashboard(t, { variables });
  const { body } = await api.create({ amount: '150000', payment_method: 'QRIS' });
  const id = String(body['id']);
  await api.simulate(id, 'paid');

  t.test('refunds, payouts and copies work without HTTPS', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, `/payments/${id}`);
    t.equal(await page.evaluate('isSecureContext'), false);
    await page.locator('[data-status=paid]').waitFor({ timeout: SHOWN_MS });
    await press(page, 'Copy');
    await page.getByText('Copied', { exact: true }).waitFor({ timeout: SHOWN_MS });
    t.equal(await paste(page), id);
    await press(page, 'Refund');
    await page.getByLabel('Amount').fill('40000');
    await confirm(page, /^Refund Rp/);
    await page.getByText('Rp 40.000').first().waitFor({ timeout: SHOWN_MS });
    await page.goto(`${baseUrl}/dashboard/payouts/new`);
    await page.getByLabel('Amount').fill('50000');
    await page.getByLabel('Bank').first().fill('Central');
    await page.getByRole('option').first().click();
    await page.getByLabel('Account number').fill('1234567890');
    await page.getByLabel('Account holder').fill('Budi Santoso');
    await press(page, 'Review');
    await dialog(page).waitFor({ timeout: SHOWN_MS });
    await confirm(page, /^Send Rp/);
    await waitForView(page, '**/payouts/po_*');
    t.same(complaints, []);
  });

  t.test('a browser that does not copy makes the dashboard say what to do', async (t) => {
    const { page } = await openDashboard(t, browser);
    await page.addInitScript('document.execCommand = () => false');
    await signIn(page, baseUrl, merchant.owner, `/payments/${id}`);
    await page.locator('[data-status=paid]').waitFor({ timeout: SHOWN_MS });
    await press(page, 'Copy');
    const advice = page.getByRole('tooltip', { name: 'Select the text, then copy it' });
    await advice.waitFor({ timeout: SHOWN_MS });
    t.ok(await advice.isVisible());
  });

  t.test('a customer copies an account number with the button and by hand', async (t) => {
    const virtual = await api.create({ amount: '150000', payment_method: 'VA_BCA' });
    const { page, complaints } = await openDashboard(t, browser);
    await page.goto(`${baseUrl}/checkout/${String(virtual.body['id'])}`);
    const number = page.locator('.number output');
    const shown = await number.innerText();
    t.match(shown, NUMBER);
    await number.selectText();
    await page.keyboard.press('Control+C');
    t.equal(await paste(page), shown, 'selected by hand');
    await page.evaluate('getSelection().removeAllRanges()');
    await page.locator('.number .copy').click();
    await page.locator('.number .copy', { hasText: 'Copied' }).waitFor({ timeout: SHOWN_MS });
    t.equal(await paste(page), shown, 'with the button');
    await page.locator('.amount .copy').click();
    await page.locator('.amount .copy', { hasText: 'Copied' }).waitFor({ timeout: SHOWN_MS });
    t.equal(await paste(page), '150000', 'the amount, as digits');
    await page.goto(`${baseUrl}/docs`);
    await page.locator('.example .copy').first().click();
    await page.locator('.copy', { hasText: 'Copied' }).first().waitFor({ timeout: SHOWN_MS });
    const example = await page.locator('.example pre').first().innerText();
    t.equal((await paste(page)).trim(), example.trim(), 'an example of the documentation');
    t.same(complaints, []);
  });
}
