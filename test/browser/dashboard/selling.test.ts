// The area selling in a real browser: a link and an invoice are made; the invoice is previewed, mailed, reminded of and paid on
// its page, and shows as paid.
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { beginSession, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, shoot } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import { readMessage, startSmtp } from '#test/support/peers/smtp.js';
import {
  checkPrint,
  checkView,
  confirm,
  openDashboard,
  press,
  saveFile,
  showView,
  signIn,
  startDashboard,
  waitForView,
} from './stage.js';

const TITLE = 'Kelas <b>memasak</b>';
const CUSTOMER = 'budi@pelanggan.example';
const BRAND = { display_name: 'Kopi Kawan', brand_colour: '#d7263d' };
const READ_POSTER = `(() => {
  const poster = document.querySelector('main [class*=poster]');
  const { backgroundColor, borderTopColor, color } = getComputedStyle(poster);
  return { backgroundColor, borderTopColor, color };
})()`;
/** The browser reports that this test looks into the frame of a preview, which runs no scripts. */
const LOOKED_INTO = /^Blocked script execution in 'about:srcdoc'/;

const browser = await openBrowser(t);
if (browser !== null) {
  const smtp = await startSmtp(t);
  const stage = await startDashboard(t, { variables: { SMTP_URL: smtp.url } });
  const { baseUrl, merchant } = stage;
  await Promise.all(
    (['rails', 'webhooks'] as const).map((name) => startProcess(t, name, stage.variables)),
  );
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  // Mails of TEST invoices go to people of the team only.
  const { userId } = await makePerson(sql, 'viewer', merchant.merchantId);
  await sql`update users set email = ${CUSTOMER} where id = ${userId}`;
  const owner = await makePerson(sql, 'owner', merchant.merchantId);
  const settings = openApi(baseUrl, await beginSession(sql, owner));
  await settings.call('/v1/merchants/me/settings', { method: 'PATCH', body: BRAND });
  const content = PNG.sync.write(new PNG({ width: 120, height: 60 })).toString('base64');
  await settings.call('/v1/merchants/me/logo', { method: 'PUT', body: { content } });
  const waitForText = (page: Page, text: string): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: SHOWN_MS });
  /** The subject of the mail to the customer that comes after `count` others. */
  const readSubject = (count: number): Promise<string> =>
    waitUntil('the mail arrives', () => {
      const mails = smtp.messages.map(readMessage).filter(({ to }) => to.includes(CUSTOMER));
      return mails[count]?.subject;
    });

  t.test('a payment link is made, shared, printed and changed', async (t) => {
    const { page, complaints, strangers } = await openDashboard(t, browser, {}, [
      '/v1/merchants/me/payment-links',
    ]);
    await signIn(page, baseUrl, merchant.owner, '/payment-links');
    await waitForText(page, 'No TEST links yet');
    await checkView(t, page, 'links-empty');
    await press(page, 'Make a link');
    await page.getByLabel('Title').fill(TITLE);
    await page.getByRole('textbox', { name: 'Price' }).fill('150000');
    await page.getByLabel('Largest number of payments').fill('12');
    await page.getByLabel('Page after the payment').fill('http://toko.example');
    await confirm(page, 'Make a link');
    await waitForText(page, 'Must be a');
    await checkView(t, page, 'link-editor');
    await page.getByLabel('Page after the payment').fill('https://toko.example/thanks');
    await confirm(page, 'Make a link');
    await waitForView(page, '**/payment-links/plink_*');
    await page.getByRole('img', { name: `QR code of ${TITLE}` }).waitFor({ timeout: SHOWN_MS });
    t.match(await page.locator('main').innerText(), /Rp\u00a0150\.000[^]*0 of 12/);
    await checkView(t, page, 'link');
    const shared = await page.getByRole('link', { name: 'Share by WhatsApp' }).getAttribute('href');
    const { origin, pathname, searchParams } = new URL(shared ?? '');
    t.equal(origin + pathname, 'https://wa.me/');
    t.match(searchParams.get('text'), new RegExp(`^TEST · ${TITLE}\n${baseUrl}/pay/[0-9a-z]{16}$`));

    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const poster = await page.locator('main [class*=poster]').innerText();
    t.match(poster, /^TEST: tidak ada uang/, 'it says TEST, in the language of the customers');
    t.match(poster, /Kopi Kawan[^]*Pindai untuk membayar/, 'the name that customers know');
    t.ok(await page.locator('main [class*=poster] img').isVisible(), 'and the logo');
    const code = page.getByRole('img', { name: `Kode QR ${TITLE}` }).filter({ visible: true });
    t.equal(await code.count(), 1);
    t.notOk(await page.locator('main h1').isVisible(), 'only the poster is printed');
    t.same(await page.evaluate(READ_POSTER), {
      backgroundColor: 'rgb(255, 255, 255)',
      borderTopColor: 'rgb(215, 38, 61)',
      color: 'rgb(0, 0, 0)',
    });
    await shoot(page, 'link-print');
    const sheet = await page.pdf({ format: 'A4' });
    t.equal(sheet.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length, 1, 'one sheet');
    await page.emulateMedia({ media: 'screen' });
    await press(page, 'Switch off');
    await confirm(page, 'Switch off');
    await page.locator('[data-status=off]').waitFor({ timeout: SHOWN_MS });
    await showView(page, '/payment-links?active=false');
    await waitForText(page, TITLE);
    await checkView(t, page, 'links');
    const { name, text } = await saveFile(page, 'Export CSV');
    t.equal(name, 'payment-links.csv');
    t.match(text, `,"${TITLE}",`);
    t.same({ complaints, strangers }, { complaints: [], strangers: [] });
  });

  t.test(
    'an invoice is drafted, previewed, mailed, reminded of and paid on its page',
    async (t) => {
      // The draft that lacks a name, and the mail that is sent again too soon.
      const failing = [
        '/v1/merchants/me/invoices',
        /\/v1\/merchants\/me\/invoices\/inv_\w+\/send$/,
      ];
      const { page, complaints } = await openDashboard(t, browser, {}, failing);
      await signIn(page, baseUrl, merchant.owner, '/invoices/new');
      await page.getByLabel('Name of the customer').fill('PT Sumber <i>Makmur</i>');
      await page.getByLabel('E-mail of the customer').fill(CUSTOMER);
      await page.getByLabel('Description').fill('Kelas memasak');
      await page.getByLabel('Quantity').fill('2');
      await page.getByLabel('Unit price').fill('150000');
      await press(page, 'Add an item');
      await press(page, 'Save the draft');
      await waitForText(page, 'Must be a string of 1 to 200');
      await checkView(t, page, 'invoice-editor');
      await page.getByLabel('Description').last().fill('Celemek');
      await page.getByLabel('Unit price').last().fill('12500');
      await press(page, 'Save the draft');
      await waitForView(page, '**/invoices/inv_*');
      await waitForText(page, 'Draft invoice');
      t.match(
        await page.locator('[data-total]').innerText(),
        /Rp\u00a0312\.500/,
        'as the service computes it',
      );
      await checkView(t, page, 'invoice-draft');
      await page.getByRole('link', { name: 'Change the draft' }).click();
      await page.getByLabel('Quantity').last().fill('4');
      await press(page, 'Save and preview');
      const frame = page.frameLocator('iframe');
      await frame.getByText('INV-######').waitFor({ timeout: SHOWN_MS });
      t.match(
        await frame.locator('main').innerText(),
        /PT Sumber <i>Makmur<\/i>[^]*Rp\u00a0350\.000/,
      );
      const [from, to] = await Promise.all(
        [0, 1].map((at) => frame.locator('.parties > div').nth(at).boundingBox()),
      );
      t.equal(from?.y, to?.y, 'its style sheets put both beside each other');
      await checkView(t, page, 'invoice-preview');
      await frame.locator('button').click();
      await page.getByText('Mail', { exact: true }).click();
      await waitForText(page, `[TEST] Invoice INV-###### from`);
      await checkView(t, page, 'invoice-preview-mail');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.locator('[data-total]', { hasText: '350.000' }).waitFor({ timeout: SHOWN_MS });
      t.equal(smtp.messages.length, 0, 'a preview sends nothing');
      await press(page, 'Finalize');
      await confirm(page, 'Finalize');
      await page.locator('[data-status=open]').waitFor({ timeout: SHOWN_MS });
      t.match(await readSubject(0), /^\[TEST\] Invoice INV-000001 from/);

      await press(page, 'Send again');
      await waitForText(page, `mailed to ${CUSTOMER} once more`);
      await confirm(page, 'Send again');
      await waitForText(page, 'mailed less than 10 minutes ago');
      await checkView(t, page, 'invoice-send-again');
      await sql`update invoices set sent_at = sent_at - interval '10 minutes'`;
      await confirm(page, 'Send again');
      await waitForText(page, `The invoice was sent to ${CUSTOMER}.`);
      t.match(await readSubject(1), /^\[TEST\] Invoice INV-000001 from/);
      await press(page, 'Remind');
      await waitForText(page, 'One reminder a day is allowed');
      await confirm(page, 'Remind');
      await waitForText(page, `A reminder was sent to ${CUSTOMER}.`);
      t.match(await readSubject(2), /^\[TEST\] Reminder: invoice INV-000001 from/);
      t.match(await page.locator('main').innerText(), /Last mail[^]*Last reminder/);
      await checkView(t, page, 'invoice-open');
      const shared = page.getByRole('link', { name: 'Share by WhatsApp' });
      const message = new URL((await shared.getAttribute('href')) ?? '').searchParams.get('text');
      t.match(message, new RegExp(`^TEST · INV-000001\n${baseUrl}/invoice/inv_[0-9a-z]+$`));
      await checkPrint(t, page, 'invoice');

      const opened = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'Open the page' }).click();
      const customer = await opened;
      await customer.locator('button[type=submit]').click();
      await customer.waitForURL('**/checkout/pay_*');
      await customer.getByRole('button', { name: 'Simulate paid' }).click();
      await customer.locator('[data-stage=paid]').waitFor({ timeout: SHOWN_MS });
      // The page of the merchant stayed open, and shows it by itself.
      await page.locator('[data-status=paid]').waitFor({ timeout: SHOWN_MS });
      await waitForText(page, 'pay_');
      t.match(await page.locator('main').innerText(), /INV-000001[^]*pay_/);
      await checkView(t, page, 'invoice-paid');
      await showView(page, '/invoices?status=paid');
      await waitForText(page, 'PT Sumber <i>Makmur</i>');
      await checkView(t, page, 'invoices');
      const { name, text } = await saveFile(page, 'Export CSV');
      t.equal(name, 'invoices.csv');
      t.match(text, /,"INV-000001","paid",/);
      t.same(
        complaints.filter((text) => !LOOKED_INTO.test(text)),
        [],
      );
    },
  );

  t.test('a form in Indonesian says in Indonesian what is wrong', async (t) => {
    const { page } = await openDashboard(t, browser, { locale: 'id-ID' });
    await signIn(page, baseUrl, merchant.owner, '/invoices/new');
    await press(page, 'Simpan draf');
    await waitForText(page, 'Isi 1 sampai 200 karakter.');
    await page.getByLabel('Nama barang atau jasa').fill('Kopi 4111 1111 1111 1111');
    await page.getByLabel('Harga satuan').fill('15000');
    await press(page, 'Simpan draf');
    await waitForText(page, 'Jangan mengisi nomor kartu');
    t.notMatch(await page.locator('main').innerText(), /must (?:be|not)/i);
    await checkView(t, page, 'invoice-editor-id');
  });

  t.test('a viewer sees both on a phone and can change neither', async (t) => {
    const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await signIn(page, baseUrl, { email: viewer.email, password: PASSWORD }, '/payment-links');
    await waitForText(page, TITLE);
    t.equal(await page.getByRole('button', { name: 'Buat tautan' }).count(), 0);
    await checkView(t, page, 'phone-links');
    await page.locator('tbody a').first().click();
    await page.getByRole('img', { name: `Kode QR ${TITLE}` }).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'phone-link');
    await showView(page, '/invoices');
    await page.locator('tbody a').first().click();
    await waitForView(page, '**/invoices/inv_*');
    await page.locator('[data-status=paid]').waitFor({ timeout: SHOWN_MS });
    t.equal(await page.getByRole('button', { name: /Batalkan|Ingatkan|Kirim/ }).count(), 0);
    await checkView(t, page, 'phone-invoice');
    await page.getByRole('link', { name: 'Pratinjau' }).click();
    await page.frameLocator('iframe').getByText('INV-000001').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'phone-invoice-preview');
    await page.getByRole('button', { name: 'Tutup' }).click();
    await page.getByRole('button', { name: 'Menu' }).click();
    t.equal(await page.getByRole('link', { name: 'Kunci API' }).count(), 0);
    t.same(
      complaints.filter((text) => !LOOKED_INTO.test(text)),
      [],
    );
  });
}
