// The pages in a real browser: what a customer sees on a phone and on a wide screen, a code that a scanner reads,
// and a page that changes by itself. SHOTS=<folder> keeps pictures.
import jsQRModule from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import t from 'tap';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { type Api, openApi } from '../support/api.js';
import {
  measureOverflow,
  openBrowser,
  openPage,
  PHONE,
  shoot,
  SHOWN_MS,
  WIDE,
} from '../support/browser.js';
import { startService } from '../support/processes.js';

const jsQR = jsQRModule as unknown as typeof jsQRModule.default;
const CUSTOMER = {
  description: 'Kopi susu dua, roti satu',
  customer_name: 'Budi Santoso',
  customer_email: 'budi@example.com',
  customer_phone: '+62 812 3456 7890',
  cancel_url: 'https://shop.example/cart',
};
const SIZES = [
  { name: 'phone', viewport: PHONE, deviceScaleFactor: 2, locale: 'id-ID' },
  { name: 'wide', viewport: WIDE, deviceScaleFactor: 1, locale: 'en-GB' },
];

async function create(api: Api, fields: object): Promise<string> {
  const answer = await api.create({ amount: '150000', ...CUSTOMER, ...fields });
  return String(answer.body['id']);
}

async function readCode(page: Page): Promise<string | undefined> {
  const picture = await page.locator('svg.qr').screenshot();
  const { data, width, height } = PNG.sync.read(picture);
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

const browser = await openBrowser(t);
if (browser !== null) {
  const service = await startService(t);
  const api = openApi(service.baseUrl, service.merchant.testKey);
  const urlOf = (id: string): string => `${service.baseUrl}/checkout/${id}`;

  for (const { name, ...options } of SIZES) {
    t.test(`QRIS on a ${name} screen, until it is paid`, async (t) => {
      const { page, complaints, strangers } = await openPage(t, browser, options);
      const id = await create(api, { payment_method: 'QRIS' });
      await page.goto(urlOf(id));
      const text = await page.locator('body').innerText();
      for (const shown of [
        'Rp\u00a0150.000',
        'Toko Contoh',
        'TEST',
        ...Object.values(CUSTOMER).slice(0, 4),
      ]) {
        t.ok(text.includes(shown), shown);
      }
      const payload = (await readCode(page)) ?? '';
      t.ok(hasValidCrc(payload), 'a scanner reads a valid payload');
      t.ok(payload.includes('5406150000'), 'with the amount');
      const before = await page.locator('[role=timer]').innerText();
      const hasMoved = async (): Promise<boolean> =>
        (await page.locator('[role=timer]').innerText()) !== before;
      await waitUntil('the countdown', hasMoved);
      t.equal(await measureOverflow(page), 0);
      await shoot(page, `${name}-qris`);
      await api.simulate(id, 'paid');
      await page.locator('main[data-stage=paid]').waitFor({ timeout: SHOWN_MS });
      t.match(await page.locator('h1').innerText(), /Pembayaran berhasil|Payment received/);
      await shoot(page, `${name}-paid`);
      t.same({ complaints, strangers }, { complaints: [], strangers: [] });
    });

    t.test(`a bank of the customer's choice on a ${name} screen`, async (t) => {
      const { page, complaints } = await openPage(t, browser, options);
      const id = await create(api, {});
      await page.goto(urlOf(id));
      await shoot(page, `${name}-choose`);
      t.equal(await measureOverflow(page), 0);
      await page.locator('input[value=VA_MANDIRI]').check();
      await page.locator('button[type=submit]').click();
      await page.locator('.number').first().waitFor();
      t.match(await page.locator('main').innerText(), /Mandiri[^]*000000\d{10}/);
      t.equal(await measureOverflow(page), 0);
      await shoot(page, `${name}-va`);
      await page.locator('.change a').click();
      t.ok(
        await page.locator('input[value=VA_MANDIRI]').isChecked(),
        'the choice so far is marked',
      );
      await page.goBack();
      await api.cancel(id);
      await page.locator('main[data-stage=cancelled]').waitFor({ timeout: SHOWN_MS });
      t.equal(await page.locator('a.button').getAttribute('href'), CUSTOMER.cancel_url);
      await shoot(page, `${name}-cancelled`);
      t.same(complaints, []);
    });
  }

  t.test('paying needs no scripts', async (t) => {
    const options = { viewport: PHONE, javaScriptEnabled: false, locale: 'id-ID' };
    const { page } = await openPage(t, browser, options);
    const id = await create(api, { payment_method: 'VA' });
    await page.goto(urlOf(id));
    await page.locator('input[value=VA_BCA]').check();
    await page.locator('button[type=submit]').click();
    await page.locator('.number').first().waitFor();
    t.equal(await page.locator('.copy:visible').count(), 0, 'no button that does nothing');
    t.match(await page.locator('main').innerText(), /Muat ulang halaman ini/);
    await api.simulate(id, 'paid');
    await page.reload();
    t.match(await page.locator('h1').innerText(), /Pembayaran berhasil/);
  });

  t.test('the buttons of a TEST payment need no scripts and no mouse', async (t) => {
    for (const javaScriptEnabled of [true, false]) {
      const options = { viewport: PHONE, javaScriptEnabled, locale: 'en-GB' };
      const { page, complaints } = await openPage(t, browser, options);
      await page.goto(urlOf(await create(api, { payment_method: 'QRIS' })));
      await shoot(page, `phone-test-panel-${javaScriptEnabled ? 'scripts' : 'plain'}`);
      const panel = page.getByRole('complementary', { name: 'Test mode' });
      const group = panel.getByRole('group', { name: 'Decide how this payment ends:' });
      t.equal(await group.getByRole('button').count(), 2);
      await page.keyboard.press('Tab');
      const focused = page.locator(':focus');
      t.equal(await focused.innerText(), 'Simulate paid', 'the first stop of the keyboard');
      await page.keyboard.press('Tab');
      t.equal(await focused.innerText(), 'Simulate failed');
      await page.keyboard.press('Enter');
      await page.locator('main[data-stage=failed]').waitFor({ timeout: SHOWN_MS });
      t.equal(await page.locator('h1').innerText(), 'Payment failed');
      t.equal(await panel.getByRole('button').count(), 0);
      t.same(complaints, []);
    }
  });

  t.test('an answer without a page has the icon, too', async (t) => {
    const { page } = await openPage(t, browser, {});
    const answer = await page.goto(`${service.baseUrl}/favicon.ico`);
    t.equal(answer?.status(), 200);
    t.equal(await page.evaluate('document.documentElement.localName'), 'svg', 'a picture');
    t.match(answer?.headers()['cache-control'], 'no-cache', 'a new one is seen at once');
  });

  t.test('an unknown payment', async (t) => {
    const { page } = await openPage(t, browser, { viewport: PHONE, locale: 'en-GB' });
    const answer = await page.goto(urlOf('pay_00000000000000000000000000'));
    t.equal(answer?.status(), 404);
    t.equal(await page.locator('h1').innerText(), 'Payment not found');
    await shoot(page, 'phone-unknown');
  });
}
