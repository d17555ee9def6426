// The checkout of an Indonesian shop in a real browser: methods by name, the way through each bank, an amount to copy, a code
// and a receipt that say what is paid to whom, and links that chats can preview. SHOTS=<folder> keeps pictures.
import jsQRModule from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import t, { type Test } from 'tap';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import { drawTexts } from '#gateway/selling/checkout/letters.js';
import { encodePng } from '#gateway/selling/checkout/png.js';
import { openApi } from '../support/api.js';
import {
  listViolations,
  measureOverflow,
  openBrowser,
  openPage,
  PHONE,
  SCHEMES,
  shoot,
  SHOWN_MS,
  WIDE,
} from '../support/browser.js';
import { openInvoice } from '../support/collecting/invoices.js';
import { makeLink } from '../support/collecting/links.js';
import { openSeller, startCollecting } from '../support/collecting/stage.js';

const jsQR = jsQRModule as unknown as typeof jsQRModule.default;
const NARROW = { width: 320, height: 700 };
const LANGUAGES = ['id-ID', 'en-GB'] as const;
const CHANNELS = ['Mobile banking', 'ATM', 'Internet banking'];
/** A name on the screen of each app of a bank. */
const BANKS = {
  VA_BCA: { name: 'BCA', app: 'BCA mobile', menu: 'm-Transfer › BCA Virtual Account' },
  VA_BNI: { name: 'BNI', app: 'BNI', menu: 'Transfer › Virtual Account Billing' },
  VA_BRI: { name: 'BRI', app: 'BRImo', menu: 'BRIVA' },
  VA_MANDIRI: { name: 'Mandiri', app: 'Livin’ by Mandiri', menu: 'Bayar/VA' },
  VA_PERMATA: { name: 'Permata', app: 'PermataMobile X', menu: 'Virtual Account' },
} as const;
const CUSTOMER = {
  description: 'Obat untuk Budi',
  customer_name: 'Budi Santoso',
  customer_email: 'budi@example.com',
  customer_phone: '+62 812 3456 7890',
};
const OF_CUSTOMER = /Obat|Budi|budi@|812/;

const READ_LOOKS = `[...document.querySelectorAll('.offer .badge')].map((badge) => {
  const { color, backgroundColor, borderColor, width } = getComputedStyle(badge);
  return [color, backgroundColor, borderColor, width].join();
})`;

/** Payment numbers that go on in another line: a person copies them. */
const READ_BROKEN = `[...document.querySelectorAll('dd')].filter((value) => {
  const range = document.createRange();
  range.selectNodeContents(value);
  const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
  return value.innerText.startsWith('pay_') && lines.size > 1;
}).map(({ innerText }) => innerText)`;

/** The page is right in both schemes and on a narrow phone. */
async function checkPage(t: Test, page: Page, name: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await shoot(page, `${name}-${colorScheme}`);
    t.strictSame(await listViolations(page), [], `${name}, ${colorScheme}`);
  }
  const before = page.viewportSize() ?? PHONE;
  await page.setViewportSize(NARROW);
  await shoot(page, `${name}-narrow`);
  t.equal(await measureOverflow(page), 0, `${name} fits a narrow phone`);
  t.same(await page.evaluate(READ_BROKEN), [], `${name} shows the payment number on one line`);
  await page.setViewportSize(before);
}

/** The tags that a chat reads. */
const readPreview = (page: Page): Promise<Readonly<Record<string, string>>> =>
  page.evaluate(
    `Object.fromEntries([...document.querySelectorAll('meta[property^="og:"]')].map((meta) =>
       [meta.getAttribute('property').slice(3), meta.content]))`,
  );

const readClipboard = (page: Page): Promise<string> =>
  page.evaluate<string>('navigator.clipboard.readText()');

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startCollecting(t);
  const { baseUrl, service } = stage;
  const api = openApi(baseUrl, service.merchant.testKey);
  const anonymous = openApi(baseUrl);
  const create = async (fields: object): Promise<string> => {
    const answer = await api.create({ amount: '2275000', ...CUSTOMER, ...fields });
    return String(answer.body['id']);
  };
  const urlOf = (id: string): string => `${baseUrl}/checkout/${id}`;

  for (const locale of LANGUAGES) {
    const viewport = locale === 'id-ID' ? PHONE : WIDE;

    t.test(`methods have badges of one style with names, ${locale}`, async (t) => {
      const { page, complaints } = await openPage(t, browser, { viewport, locale });
      await page.goto(urlOf(await create({})));
      const badges = page.locator('.offer .badge');
      t.strictSame(await badges.allInnerTexts(), [
        'QRIS',
        ...Object.values(BANKS).map(({ name }) => name),
      ]);
      t.equal(new Set(await page.evaluate<string[]>(READ_LOOKS)).size, 1, 'one style');
      t.equal(await page.locator('.offer img, .offer svg').count(), 0, 'no mark of others');
      await checkPage(t, page, `checkout-choice-${locale}`);
      t.same(complaints, []);
    });

    t.test(`each bank has steps for ATM, mobile and internet banking, ${locale}`, async (t) => {
      const { page, complaints } = await openPage(t, browser, { viewport, locale });
      for (const [method, { app, menu }] of Object.entries(BANKS)) {
        await page.goto(urlOf(await create({ payment_method: method })));
        const channels = page.locator('details.channel');
        const names = await channels.locator('summary').allInnerTexts();
        t.strictSame(
          names.map((name) => CHANNELS.find((channel) => name.startsWith(channel))),
          CHANNELS,
          method,
        );
        t.ok(names[0]?.includes(app), app);
        for (const index of CHANNELS.keys()) {
          const channel = channels.nth(index);
          if (index > 0) await channel.locator('summary').click();
          t.ok((await channel.locator('li:visible').count()) >= 4, `${method} ${CHANNELS[index]}`);
        }
        t.ok((await channels.first().innerText()).includes(menu), menu);
        await checkPage(t, page, `checkout-${method}-${locale}`);
      }
      t.same(complaints, []);
    });

    t.test(`the receipt of a paid payment is printed and saved, ${locale}`, async (t) => {
      const { page, complaints } = await openPage(t, browser, { viewport, locale });
      await page.addInitScript('window.print = () => { window.hasPrinted = true; }');
      const id = await create({ payment_method: 'VA_BRI', success_url: 'https://toko.example/ok' });
      await page.goto(urlOf(id));
      await api.simulate(id, 'paid');
      await page.locator('[data-stage=paid]').waitFor({ timeout: SHOWN_MS });
      const receipt = page.locator('.receipt');
      const text = await receipt.innerText();
      t.match(text, /Rp\s2\.275\.000/);
      t.match(text, /Virtual account BRI/);
      t.match(text, /\d{4} .*\d{2}[.:]\d{2} WIB/);
      t.ok(text.includes(id), 'the reference');
      await receipt.getByRole('button').click();
      t.equal(await page.evaluate('window.hasPrinted'), true);
      t.equal(await page.locator('[data-redirecting]:visible').count(), 0, 'the page stays open');
      await checkPage(t, page, `checkout-paid-${locale}`);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        receipt.getByRole('link').click(),
      ]);
      t.equal(download.suggestedFilename(), `${id}.png`);
      await page.emulateMedia({ media: 'print' });
      await shoot(page, `checkout-paid-print-${locale}`);
      t.ok(await receipt.locator('dl').isVisible());
      t.equal(await page.locator('main a:visible, main button:visible').count(), 0, 'on paper');
      t.same(complaints, []);
    });
  }

  t.test('a paid page that is opened later prints too, and saves without scripts', async (t) => {
    const id = await create({ payment_method: 'QRIS' });
    await api.simulate(id, 'paid');
    for (const javaScriptEnabled of [true, false]) {
      const options = { viewport: PHONE, javaScriptEnabled, locale: 'id-ID' };
      const { page, complaints } = await openPage(t, browser, options);
      await page.goto(urlOf(id));
      const receipt = page.locator('.receipt');
      t.match(await receipt.innerText(), /QRIS/);
      if (javaScriptEnabled) await receipt.getByRole('button').waitFor({ timeout: SHOWN_MS });
      else t.equal(await receipt.getByRole('button').count(), 0, 'no button that does nothing');
      t.ok(await receipt.getByRole('link').isVisible());
      t.same(complaints, []);
    }
    const path = `/checkout/${id}/receipt.png`;
    const answers = await Promise.all(
      ['id', 'en'].map((language) =>
        anonymous.call(path, { headers: { 'accept-language': language } }),
      ),
    );
    const texts = answers.map(({ bytes }) => PNG.sync.read(bytes).data.toString('base64'));
    t.not(texts[0], texts[1], 'in the language of the customer');
    const unpaid = await anonymous.call(`/checkout/${await create({})}/receipt.png`);
    t.strictSame([unpaid.status, unpaid.code], [404, 'payment_not_found']);
  });

  t.test('the amount is copied as digits, also where the clipboard is refused', async (t) => {
    for (const isRefused of [false, true]) {
      const permissions = ['clipboard-read', 'clipboard-write'];
      const { page } = await openPage(t, browser, {
        viewport: PHONE,
        locale: 'id-ID',
        permissions,
      });
      const refusal = 'navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))';
      if (isRefused) await page.addInitScript(refusal);
      for (const method of ['QRIS', 'VA_BCA']) {
        await page.goto(urlOf(await create({ payment_method: method })));
        const button = page.locator('.amount').getByRole('button', { name: 'Salin Total' });
        await button.click();
        await page.getByText('Tersalin').waitFor({ timeout: SHOWN_MS });
        t.equal(await readClipboard(page), '2275000', `${method}, refused: ${isRefused}`);
      }
    }
  });

  t.test('the QR code says what is paid to whom, on the page and when it is saved', async (t) => {
    const { page } = await openPage(t, browser, { viewport: PHONE, locale: 'id-ID' });
    const id = await create({ payment_method: 'QRIS' });
    await page.goto(urlOf(id));
    const caption = await page.locator('figure.code figcaption').innerText();
    t.match(caption, /Toko Contoh[^]*Rp\s2\.275\.000[^]*pay_/);
    await checkPage(t, page, 'checkout-qris');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.save a').click(),
    ]);
    t.equal(download.suggestedFilename(), `${id}.png`);
    const { bytes } = await anonymous.call(`/checkout/${id}/qr.png`);
    const { data, width, height } = PNG.sync.read(bytes);
    t.ok(hasValidCrc(jsQR(new Uint8ClampedArray(data), width, height)?.data ?? ''), 'a scanner');
    const amount = await page.locator('.amount output').innerText();
    const texts = ['TEST', 'Toko Contoh', amount, id, ''];
    const lines = drawTexts(texts, { widthPx: width, marginPx: 32, isCentred: true });
    const below = PNG.sync.read(encodePng(width, lines)).data;
    t.ok(data.subarray(4 * width * width).equals(below), 'the texts are below the code');
  });

  t.test('links have a title with the amount, a sentence and a picture for chats', async (t) => {
    const { api: seller, merchantId } = await openSeller(stage);
    const name = 'Toko "Uji" & <Kawan>';
    await stage.sql`update merchants set business_name = ${name} where id = ${merchantId}`;
    const link = await makeLink(seller, { amount: '2275000', title: 'Kelas "<memasak>"' });
    const { customer_name: customerName, customer_email: customerEmail } = CUSTOMER;
    const invoice = await openInvoice(seller, {
      customer_name: customerName,
      customer_email: customerEmail,
    });
    const here = (url: unknown): string => baseUrl + new URL(String(url)).pathname;
    const { page } = await openPage(t, browser, { viewport: PHONE, locale: 'id-ID' });
    const cases = [
      {
        url: here(link.body['url']),
        title: /^Kelas "<memasak>" · Rp\s2\.275\.000 · Toko "Uji" & <Kawan>$/,
      },
      { url: here(invoice.body['url']), title: /^INV-000001 · Rp\s[\d.]+ · Toko "Uji" & <Kawan>$/ },
      { url: urlOf(await create({})), title: /^Rp\s2\.275\.000 · Toko Contoh$/ },
      { url: urlOf(await create({ payment_method: 'QRIS' })), title: /^Rp\s2\.275\.000 · Toko/ },
    ];
    for (const { url, title } of cases) {
      await page.goto(url);
      const preview = await readPreview(page);
      t.match(preview['title'], title);
      t.equal(await page.title(), preview['title']);
      t.match(preview['description'], /TEST|uji coba/i, 'it says that it is a test');
      t.ok((preview['description'] ?? '').length > 20);
      t.notMatch(JSON.stringify(preview), OF_CUSTOMER, 'nothing of the customer');
      const picture = new URL(preview['image'] ?? '');
      const answer = await anonymous.call(picture.pathname);
      t.strictSame([answer.status, answer.headers['content-type']], [200, 'image/png']);
      t.match(answer.headers['cache-control'], /immutable/);
      const { width, height } = PNG.sync.read(answer.bytes);
      t.strictSame([width, height], [1200, 630]);
    }
  });
}
