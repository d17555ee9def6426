// The verification of a merchant in a real browser: documents are uploaded one after the other, the form is submitted, an
// administrator rejects it, and the merchant corrects the field and submits again.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson, PNG } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { checkView, openDashboard, showView, signIn, startDashboard } from './stage.js';

const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)]);
const REASON = 'NPWP <b>berbeda</b> dari dokumen';
const STEPS = [
  {
    'Legal name': 'PT Toko Contoh',
    NPWP: '01.234.567.8-901.234',
    Street: 'Jl. Merdeka 1',
    'City or regency': 'Bandung',
    Province: 'Jawa Barat',
    'Postal code': '40111',
  },
  { 'Account number': '1234567890', 'Account holder': 'PT Toko Contoh' },
  { 'Full name': 'Siti Aminah', NIK: '3273015001900001', Position: 'Direktur' },
];

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl, databaseUrl, merchant } = await startDashboard(t);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const admin = openApi(baseUrl, await beginSession(sql, await makePerson(sql, 'admin', null)));
  const { page, complaints, strangers } = await openDashboard(t, browser, { viewport: WIDE });
  const goOn = () => page.getByRole('button', { name: 'Continue' }).click();

  t.test('a merchant uploads documents and submits', async (t) => {
    await signIn(page, baseUrl, merchant.owner, '/verification');
    await page.getByRole('button', { name: 'Begin' }).click();
    await goOn();
    await page.getByText('Enter 15 or 16 digits.').waitFor();
    await checkView(t, page, 'kyc-business');
    for (const [at, fields] of STEPS.entries()) {
      for (const [label, value] of Object.entries(fields)) {
        await page.getByLabel(label).fill(value);
      }
      if (at === 1) {
        await page.locator('[data-path="bank_account.bank_code"]').click();
        await page.getByRole('option', { name: 'Bank Central Asia (BCA)' }).click();
      }
      await goOn();
    }
    await page.locator('input[type=file]').setInputFiles([
      { name: 'ktp.png', mimeType: 'image/png', buffer: PNG },
      { name: 'akta.pdf', mimeType: 'application/pdf', buffer: PDF },
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('text') },
    ]);
    await page.getByText('This is no JPEG, PNG or PDF file.').waitFor();
    await page.getByRole('checkbox', { name: 'akta.pdf' }).waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'kyc-documents');
    await goOn();
    await checkView(t, page, 'kyc-review');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Being checked').first().waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'kyc-pending');
    const documents = await sql`select filename from kyc_documents order by created_at`;
    t.same(
      documents.map(({ filename }) => String(filename)),
      ['ktp.png', 'akta.pdf'],
    );
  });

  t.test('a rejected merchant sees the reason at the field, and submits again', async (t) => {
    const body = { status: 'REJECTED', reason: 'Data', field_reasons: { tax_id: REASON } };
    const path = `/v1/admin/merchants/${merchant.merchantId}/verification`;
    t.equal((await admin.call(path, { method: 'POST', body })).status, 200);
    await page.reload();
    await page.getByRole('button', { name: 'Correct and submit again' }).click();
    await page.getByLabel('NPWP').fill('0123456789012345');
    for (let step = 0; step < STEPS.length + 1; step += 1) await goOn();
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Being checked').first().waitFor({ timeout: SHOWN_MS });
    const rows =
      await sql`select verification_status from merchants where id = ${merchant.merchantId}`;
    t.equal(rows[0]?.['verification_status'], 'PENDING');
  });

  t.test('the checklist and the settings show what was done', async (t) => {
    await showView(page, '/going-live');
    t.equal(await page.locator('[data-item=email]').getAttribute('data-done'), 'true');
    t.equal(await page.locator('[data-item=verification]').getAttribute('data-done'), 'false');
    await checkView(t, page, 'going-live');
    await showView(page, '/settings');
    await page.getByLabel('Name', { exact: true }).fill('Toko <i>Baru</i>');
    await page.getByLabel('Colour of buttons').fill('#f5e663');
    await page.locator('[data-contrast=light]').waitFor();
    await page.locator('[data-preview]').getByText('Toko <i>Baru</i>').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Customers see it within a minute.').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'settings');
    const rows = await sql`select display_name from merchants where id = ${merchant.merchantId}`;
    t.equal(rows[0]?.['display_name'], 'Toko <i>Baru</i>');
    for (const part of ['notifications', 'erasures']) {
      await showView(page, `/settings/${part}`);
      await checkView(t, page, `settings-${part}`);
    }
    t.same({ complaints, strangers }, { complaints: [], strangers: [] });
  });
}
