// The verification of a merchant in a real browser: documents are uploaded one after the other, the form is submitted, an
// administrator rejects it, the merchant reads why at each field, corrects it and submits again, and the administrator
// approves it. Then its settings.
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson, PASSWORD, PNG } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import {
  checkView,
  confirm,
  dialog,
  openDashboard,
  press,
  showView,
  signIn,
  startDashboard,
} from './stage.js';

const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300_000)]);
const OVERALL = 'Mohon perbaiki data';
const REASON = 'NPWP <b>berbeda</b> dari dokumen';
const DOCUMENT_REASON = 'Foto KTP <i>buram</i>';
const CUSTOMER = 'budi@pelanggan.example';
const STEPS = [
  {
    'Legal name': 'PT Toko Contoh',
    NPWP: '01.234.567.8-901.234',
    Street: 'Jl. Merdeka 1',
    'City or regency': 'Bandung',
    Province: 'Jawa Barat',
    'Postal code': '40 111',
  },
  { 'Account number': '123\u2011456\u00a07890', 'Account holder': 'PT Toko Contoh' },
  { 'Full name': 'Siti Aminah', NIK: '3273\u20110150 0190 0001', Position: 'Direktur' },
];

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, databaseUrl, merchant, api } = stage;
  await startProcess(t, 'webhooks', stage.variables);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const admin = await makePerson(sql, 'admin', null);
  const colleague = await makePerson(sql, 'owner', merchant.merchantId);
  const owner = openApi(baseUrl, await beginSession(sql, colleague));
  const { page, complaints, strangers } = await openDashboard(t, browser, { viewport: WIDE });
  const office = await openDashboard(t, browser, { viewport: WIDE });
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

  t.test('an administrator rejects it with reasons, also for the documents', async (t) => {
    const login = { email: admin.email, password: PASSWORD };
    await signIn(office.page, baseUrl, login, `/admin/merchants/${merchant.merchantId}`);
    await press(office.page, 'Reject');
    const form = dialog(office.page);
    await form.getByLabel(/^Reason/).fill(OVERALL);
    await form.getByLabel('What is wrong with: NPWP (tax id)').fill(REASON);
    await form.getByLabel('What is wrong with: Documents').fill(DOCUMENT_REASON);
    await checkView(t, office.page, 'admin-reject');
    await confirm(office.page, 'Reject');
    await form.waitFor({ state: 'detached', timeout: SHOWN_MS });
    await office.page.locator('main [data-status=REJECTED]').first().waitFor();
    const { body } = await owner.call('/v1/merchants/kyc');
    t.match(body, {
      verificationStatus: 'REJECTED',
      submission: {
        reason: OVERALL,
        field_reasons: { tax_id: REASON, document_ids: DOCUMENT_REASON },
      },
    });
  });

  t.test('the rejected merchant sees each reason at its field, and submits again', async (t) => {
    await page.reload();
    const alert = page.locator('main').getByRole('alert').filter({ hasText: OVERALL });
    await alert.waitFor({ timeout: SHOWN_MS });
    t.match(await alert.innerText(), `NPWP: ${REASON}`);
    t.match(await alert.innerText(), `Documents: ${DOCUMENT_REASON}`);
    await checkView(t, page, 'kyc-rejected');
    await press(page, 'Correct and submit again');
    // The alert has each reason behind the name of its field, so the exact text is that at the field.
    const reason = page.getByText(REASON, { exact: true });
    await reason.waitFor();
    const taxId = page.getByLabel('NPWP');
    t.equal(await taxId.getAttribute('aria-invalid'), 'true');
    const described = (await taxId.getAttribute('aria-describedby'))?.split(' ');
    t.ok(
      described?.includes((await reason.getAttribute('id')) ?? '-'),
      'it is read with the field',
    );
    await checkView(t, page, 'kyc-correct');
    await taxId.fill('0123456789012345');
    for (const step of ['Bank account', 'Responsible person', 'Documents']) {
      await goOn();
      await page.getByRole('heading', { name: step }).waitFor();
    }
    await page.getByText(DOCUMENT_REASON, { exact: true }).waitFor();
    await checkView(t, page, 'kyc-correct-documents');
    await goOn();
    await press(page, 'Submit');
    await page.getByText('Being checked').first().waitFor({ timeout: SHOWN_MS });
    const rows =
      await sql`select verification_status from merchants where id = ${merchant.merchantId}`;
    t.equal(rows[0]?.['verification_status'], 'PENDING');
  });

  t.test('the administrator approves it, and the merchant reads so', async (t) => {
    await office.page.reload();
    await press(office.page, 'Approve');
    await confirm(office.page, 'Approve');
    await dialog(office.page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    await office.page.locator('main [data-status=APPROVED]').first().waitFor();
    await page.reload();
    const approved = page.locator('main [data-status=APPROVED]');
    await approved.waitFor({ timeout: SHOWN_MS });
    t.equal(await page.getByText(REASON).count(), 0, 'the reasons are gone');
    await checkView(t, page, 'kyc-approved');
    t.same([office.complaints, office.strangers], [[], []]);
  });

  t.test('the checklist and the settings show what was done', async (t) => {
    await showView(page, '/going-live');
    t.equal(await page.locator('[data-item=email]').getAttribute('data-done'), 'true');
    t.equal(await page.locator('[data-item=verification]').getAttribute('data-done'), 'true');
    t.equal(await page.locator('[data-item=live]').getAttribute('data-done'), 'false');
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
  });

  t.test('the choice of mails is saved', async (t) => {
    const readNotices = async (): Promise<string> => {
      const [row] = await sql`select notices from merchants where id = ${merchant.merchantId}`;
      return String(row?.['notices']);
    };
    t.notMatch(await readNotices(), 'payment_received');
    await showView(page, '/settings/notifications');
    await checkView(t, page, 'settings-notifications');
    await page.getByRole('switch', { name: 'A payment was paid' }).check();
    await press(page, 'Save');
    await page.getByText('Saved.', { exact: true }).waitFor({ timeout: SHOWN_MS });
    t.match(await readNotices(), 'payment_received');
    await page.reload();
    const saved = page.getByRole('switch', { name: 'A payment was paid', checked: true });
    await saved.waitFor({ state: 'attached', timeout: SHOWN_MS });
  });

  t.test('a customer is erased after the address was entered twice', async (t) => {
    const { body: made } = await api.create({ amount: '15000', customer_email: CUSTOMER });
    await api.simulate(made['id'], 'paid');
    await showView(page, '/settings/erasures');
    await checkView(t, page, 'settings-erasures');
    await press(page, 'Erase a customer');
    await dialog(page).getByLabel('Value').fill(CUSTOMER);
    await dialog(page).getByLabel('Enter it once more to confirm').fill('another@example.com');
    await confirm(page, 'Erase for ever');
    await dialog(page).getByText('This is not the same.').waitFor();
    t.match((await api.get(made['id'])).body, { customer_email: CUSTOMER });
    await checkView(t, page, 'erase-customer');
    await dialog(page).getByLabel('Enter it once more to confirm').fill(CUSTOMER);
    await confirm(page, 'Erase for ever');
    await waitUntil('the erasure is completed', async () => {
      const { text } = await owner.call('/v1/merchants/me/erasures');
      return text.includes('"completed"');
    });
    await page.reload();
    await page.locator('tbody [data-status=completed]').waitFor({ timeout: SHOWN_MS });
    t.match(await page.locator('tbody tr').innerText(), '1 of 1 erased');
    t.match((await api.get(made['id'])).body, { customer_email: null, amount: '15000' });
    await checkView(t, page, 'erased');
    t.same({ complaints, strangers }, { complaints: [], strangers: [] });
  });
}
