// A service without a mail server in a real browser: no page says that a mail was sent or will be, and each page that leads to a
// mail names the command that prints it. SHOTS=<folder> keeps pictures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import { openInvoice } from '#test/support/collecting/invoices.js';
import { runKasir } from '#test/support/kasir.js';
import { uniqueWord } from '#test/support/processes.js';
import {
  checkView,
  confirm,
  dialog,
  openDashboard,
  press,
  showView,
  signIn,
  startDashboard,
} from './dashboard/stage.js';
import { MERCHANT_VIEWS, walkViews } from './dashboard/views/views.js';

const COMMAND = 'npx kasir mail list';
const LANGUAGES = [
  {
    locale: 'en-GB',
    create: 'Create an account',
    business: 'Name of your business',
    made: 'Your account is made',
    reset: 'Ask for the link',
    goOn: 'Go to the dashboard',
    invite: 'Invite a colleague',
    send: 'Send again',
    kept: 'was written, and is not sent',
  },
  {
    locale: 'id-ID',
    create: 'Buat akun',
    business: 'Nama usaha',
    made: 'Akun Anda sudah dibuat',
    reset: 'Minta tautan',
    goOn: 'Buka dasbor',
    invite: 'Undang rekan',
    send: 'Kirim ulang',
    kept: 'sudah ditulis, dan tidak dikirim',
  },
] as const;
/** Sentences that would be untrue. */
const CLAIMS = [
  /\bwe (?:have )?(?:sent|send|mail)\b/i,
  /\bon its way\b|\bis mailed\b|\bgets? (?:a|the invoice by) mail\b|\b(?:invoice|reminder) was sent\b/i,
  /\bkami (?:kirim|mengirim)|\bsedang dikirim ke|\b(?:Undangan|Tautan|tautan)[^.]* sedang dikirim/,
  /\bmenerima e-mail|\bhasilnya lewat e-mail|\bdikirim ke \S+@/,
];

const printMails = (email: string): readonly string[] => ['mail', 'list', '--to', email];

async function checkClaims(t: Test, page: Page, name: string): Promise<void> {
  const text = await page.locator('body').innerText();
  for (const claim of CLAIMS) t.notMatch(text, claim, `${name} claims no mail`);
}

t.test('the README names the command', (t) => {
  t.match(readFileSync(join(findPackageRoot(), 'README.md'), 'utf8'), COMMAND);
  t.end();
});

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const waitForText = (page: Page, text: string): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: SHOWN_MS });

  for (const { locale, ...texts } of LANGUAGES) {
    t.test(`a new merchant learns where the mail is, in ${locale}`, async (t) => {
      const { page, complaints } = await openDashboard(t, browser, { locale, viewport: PHONE });
      const email = `${uniqueWord('tini')}@example.com`;
      const line = `${COMMAND} --to ${email}`;
      await page.goto(`${baseUrl}/dashboard/register`);
      await page.getByLabel(texts.business).fill('Warung Bu Tini');
      await page.locator('input[type=email]').fill(email);
      await page.locator('input[type=password]').fill(PASSWORD);
      await page.getByRole('button', { name: texts.create }).click();
      await page.getByRole('heading', { name: texts.made }).waitFor({ timeout: SHOWN_MS });
      await waitForText(page, line);
      const { stdout } = await runKasir({ DATABASE_URL: stage.databaseUrl }, ...printMails(email));
      t.match(stdout, /\/dashboard\/verify#/, 'which prints the link');
      await checkClaims(t, page, 'the registration');
      await checkView(t, page, `unsent-registered-${locale}`);

      await page.getByRole('button', { name: texts.goOn }).click();
      await page.locator('#content h1').waitFor({ timeout: SHOWN_MS });
      for (const path of ['/account', '/team', '/verification']) {
        await showView(page, path);
        await waitForText(page, line);
        await checkClaims(t, page, path);
      }
      await showView(page, '/account');
      await checkView(t, page, `unsent-account-${locale}`);
      await showView(page, '/going-live');
      await checkClaims(t, page, '/going-live');

      const other = await openDashboard(t, browser, { locale, viewport: PHONE });
      await other.page.goto(`${baseUrl}/dashboard/forgot-password`);
      await waitForText(other.page, COMMAND);
      await other.page.locator('input[type=email]').fill(email);
      await other.page.getByRole('button', { name: texts.reset }).click();
      await waitForText(other.page, line);
      await checkClaims(t, other.page, 'the forgotten password');
      await checkView(t, other.page, `unsent-forgotten-${locale}`);
      t.same([complaints, other.complaints], [[], []]);
    });

    t.test(`no view of a merchant claims a mail, in ${locale}`, async (t) => {
      const customer = (await makePerson(sql, 'viewer', merchant.merchantId)).email;
      const owner = await makePerson(sql, 'owner', merchant.merchantId);
      const seller = openApi(baseUrl, await beginSession(sql, owner));
      const { body } = await openInvoice(seller, { customer_email: customer });
      const { page, complaints } = await openDashboard(t, browser, { locale });
      await signIn(page, baseUrl, merchant.owner);
      const visit = (_view: unknown, name: string): Promise<void> => checkClaims(t, page, name);
      await walkViews(page, { views: MERCHANT_VIEWS, visit });

      await showView(page, '/settings/notifications');
      await waitForText(page, COMMAND);
      await showView(page, '/team');
      await press(page, texts.invite);
      await dialog(page).getByText(COMMAND).waitFor({ timeout: SHOWN_MS });

      await sql`update invoices set sent_at = sent_at - interval '10 minutes'`;
      await showView(page, `/invoices/${String(body['id'])}`);
      await press(page, texts.send);
      await dialog(page).getByText(`${COMMAND} --to ${customer}`).waitFor({ timeout: SHOWN_MS });
      await checkClaims(t, page, 'the dialog of an invoice');
      await checkView(t, page, `unsent-invoice-${locale}`);
      await confirm(page, texts.send);
      await waitForText(page, texts.kept);
      t.same(complaints, []);
    });
  }
}
