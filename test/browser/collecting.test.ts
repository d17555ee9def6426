// The pages of payment links and invoices in a real browser: filled in and paid without scripts, on a phone and on a
// wide screen, and what a printer gets. SHOTS=<folder> keeps pictures.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { measureOverflow, openBrowser, openPage, PHONE, shoot, WIDE } from '../support/browser.js';
import { openInvoice, showInvoice } from '../support/collecting/invoices.js';
import { makeLink } from '../support/collecting/links.js';
import { openSeller, startCollecting } from '../support/collecting/stage.js';

const SIZES = [
  { name: 'phone', viewport: PHONE, deviceScaleFactor: 2, locale: 'id-ID' },
  { name: 'wide', viewport: WIDE, deviceScaleFactor: 1, locale: 'en-GB' },
];
const LONG = 'Kelas memasak rendang untuk pemula, dengan bahan, celemek dan makan bersama';
const ITEMS = [
  { description: LONG, quantity: 2, unit_amount: '150000' },
  { description: 'Antar-jemput', quantity: 12, unit_amount: '12500' },
  { description: 'Resep', quantity: 1, unit_amount: '0' },
];

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startCollecting(t);
  const { api, merchantId } = await openSeller(stage);
  await stage.sql`update merchants set business_name = 'Toko Contoh' where id = ${merchantId}`;
  const here = (url: unknown): string => String(url).replace(/^https?:\/\/[^/]+/, stage.baseUrl);

  for (const { name, ...options } of SIZES) {
    t.test(`a payment link on a ${name} screen`, async (t) => {
      const { page, complaints, strangers } = await openPage(t, browser, options);
      const fixed = await makeLink(api, {
        title: 'Kelas memasak',
        description: 'Sabtu, 5 Desember, pukul 9 sampai 12.\nBahan dan celemek kami sediakan.',
        max_uses: 12,
        expires_at: '2099-12-31T16:59:00Z',
      });
      await page.goto(here(fixed.body['url']));
      t.match(await page.locator('.amount').innerText(), 'Rp\u00a0150.000');
      t.equal(await measureOverflow(page), 0);
      await shoot(page, `${name}-link`);
      await page.locator('input[name=customer_name]').fill('Budi Santoso');
      await page.locator('button[type=submit]').click();
      // The second click may abort the navigation of the first, which waitForURL reports as an error.
      await waitUntil('the checkout', () => page.url().includes('/checkout/pay_'));
      t.match(await page.locator('main').innerText(), /Budi Santoso/);
      t.match(await page.locator('.leave a').getAttribute('href'), /\/pay\//, 'and back');

      const chosen = await makeLink(api, { title: 'Donasi', amount: null, min_amount: '10000' });
      await page.goto(here(chosen.body['url']));
      await shoot(page, `${name}-link-amount`);
      await page.locator('input[name=amount]').fill('9.000');
      await page.locator('input[name=customer_name]').fill('Siti');
      await page.locator('button[type=submit]').click();
      await page.locator('.fault').waitFor();
      t.equal(await page.locator('input[name=customer_name]').inputValue(), 'Siti');
      t.equal(await measureOverflow(page), 0);
      await shoot(page, `${name}-link-fault`);
      await page.locator('input[name=amount]').fill('Rp 250.000');
      await page.locator('button[type=submit]').dblclick();
      // The second click may abort the navigation of the first, which waitForURL reports as an error.
      await waitUntil('the checkout', () => page.url().includes('/checkout/pay_'));
      t.match(await page.locator('.amount').innerText(), 'Rp\u00a0250.000');
      await stage.sql`update payment_links set active = false where id = ${String(chosen.body['id'])}`;
      await page.goto(here(chosen.body['url']));
      t.match(await page.locator('.outcome').innerText(), /ditutup|closed/);
      await shoot(page, `${name}-link-closed`);
      // The answer to a form that was wrong is a 400, which browsers note.
      const unexpected = complaints.filter((text) => !text.includes('400'));
      t.same({ unexpected, strangers }, { unexpected: [], strangers: [] });
    });

    t.test(`an invoice on a ${name} screen, until it is paid`, async (t) => {
      const { page, complaints, strangers } = await openPage(t, browser, options);
      const invoice = await openInvoice(api, {
        items: ITEMS,
        customer_name: 'PT Sumber Makmur Sejahtera',
        customer_email: 'keuangan@sumbermakmur.example',
        notes: 'Mohon dibayar sebelum acara.\nTerima kasih.',
        due_at: '2099-12-31T16:59:00Z',
      });
      const { id, number } = invoice.body;
      await page.goto(here(invoice.body['url']));
      const text = await page.locator('main').innerText();
      for (const shown of [
        String(number),
        'Rp\u00a0450.000',
        'Rp\u00a012.500',
        'PT Sumber',
        LONG,
      ]) {
        t.ok(text.includes(shown), shown);
      }
      t.equal(await measureOverflow(page), 0);
      await shoot(page, `${name}-invoice`);
      await page.emulateMedia({ media: 'print' });
      t.notOk(await page.locator('button').isVisible(), 'no button is printed');
      t.ok(await page.locator('.items').isVisible());
      await shoot(page, `${name}-invoice-print`);
      const sheet = await page.pdf({ preferCSSPageSize: true });
      t.equal(sheet.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, 1, 'one sheet');
      await page.emulateMedia({ media: 'screen' });
      await page.locator('button[type=submit]').click();
      // The second click may abort the navigation of the first, which waitForURL reports as an error.
      await waitUntil('the checkout', () => page.url().includes('/checkout/pay_'));
      const payment = new URL(page.url()).pathname.split('/').at(-1);
      await api.simulate(payment, 'paid');
      await page.goto(here(invoice.body['url']));
      t.match(await page.locator('.stamp').innerText(), /Lunas|Paid/);
      await waitUntil('the invoice is paid', async () => {
        return (await showInvoice(api, id)).body['payment_id'] === payment;
      });
      await page.reload();
      await shoot(page, `${name}-invoice-paid`);
      t.same({ complaints, strangers }, { complaints: [], strangers: [] });
    });
  }

  t.test('neither needs scripts', async (t) => {
    const options = { viewport: PHONE, javaScriptEnabled: false, locale: 'id-ID' };
    const { page } = await openPage(t, browser, options);
    const link = await makeLink(api);
    const invoice = await openInvoice(api);
    for (const { body } of [link, invoice]) {
      await page.goto(here(body['url']));
      await page.locator('button[type=submit]').click();
      // The second click may abort the navigation of the first, which waitForURL reports as an error.
      await waitUntil('the checkout', () => page.url().includes('/checkout/pay_'));
      t.match(await page.locator('.choice h1').innerText(), /Pilih metode pembayaran/);
    }
  });
}
