// The matters that need the attention of a merchant, in a real browser and in both languages: the steps to LIVE, and
// endpoints that refuse. Each matter is made true.
import type { Page } from 'playwright-core';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { makeMerchant, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import {
  checkView,
  openDashboard,
  showView,
  signIn,
  startDashboard,
  waitForView,
} from '../stage.js';

/** The page asks again every ten seconds. */
const ASKED_MS = 60_000;

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));

  const openOwner = async () => {
    const merchantId = await makeMerchant(sql);
    const owner = await makePerson(sql, 'owner', merchantId);
    return { merchantId, owner, login: { email: owner.email, password: PASSWORD } };
  };
  const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: ASKED_MS });

  t.test('the steps to LIVE are named one after the other, in both languages', async (t) => {
    const { merchantId, owner, login } = await openOwner();
    const english = await openDashboard(t, browser, { viewport: PHONE });
    const indonesian = await openDashboard(t, browser, { locale: 'id-ID' });
    const pages = [english.page, indonesian.page] as const;
    for (const page of pages) await signIn(page, baseUrl, login, '/?environment=LIVE');
    const expectStep = async (step: string, en: string, id: string): Promise<void> => {
      for (const [index, page] of pages.entries()) {
        await page.reload();
        await page.locator(`[data-next=${step}]`).waitFor({ timeout: ASKED_MS });
        // Once in the empty state, once as a matter.
        const text = page.getByText(index === 0 ? en : id);
        await text.nth(1).waitFor({ timeout: SHOWN_MS });
      }
    };
    const setMerchant = (status: string, isLive: boolean): Promise<unknown> =>
      sql`update merchants set verification_status = ${status}, live_enabled = ${isLive}
           where id = ${merchantId}`;
    await sql`update users set verified_at = null where id = ${owner.userId}`;
    await expectStep(
      'address_unconfirmed',
      'Your e-mail address is not confirmed.',
      'Alamat e-mail Anda belum dikonfirmasi.',
    );
    await checkView(t, english.page, 'attention-new-live-phone');
    await checkView(t, indonesian.page, 'attention-new-live');
    await sql`update users set verified_at = now() where id = ${owner.userId}`;
    await expectStep(
      'verification_missing',
      'The verification of your business is not sent yet.',
      'Verifikasi usaha Anda belum dikirim.',
    );
    await setMerchant('REJECTED', false);
    await expectStep(
      'verification_rejected',
      'The verification of your business needs a correction.',
      'Verifikasi usaha Anda perlu diperbaiki.',
    );
    await setMerchant('SUSPENDED', false);
    await expectStep(
      'live_stopped',
      'An administrator has stopped LIVE payments.',
      'Administrator menghentikan pembayaran LIVE.',
    );
    await setMerchant('APPROVED', false);
    await expectStep(
      'live_off',
      'LIVE is off. An administrator switches it on.',
      'LIVE belum aktif. Administrator yang mengaktifkannya.',
    );
    await setMerchant('APPROVED', true);
    await expectStep('key_missing', 'You have no LIVE key.', 'Anda belum punya kunci LIVE.');
    await waitForText(english.page, 'You have no active LIVE webhook endpoint.');
    await waitForText(indonesian.page, 'Anda belum punya endpoint webhook LIVE yang aktif.');
    await english.page.getByRole('link', { name: 'Go to the next step' }).click();
    await waitForView(english.page, '**/api-keys?environment=LIVE');
    await sql`insert into switches (name, is_on) values (${`merchant:${merchantId}`}, false)`;
    await expectStepOn(indonesian.page, 'live_stopped');
    t.same([english.complaints, indonesian.complaints], [[], []]);
  });

  const expectStepOn = async (page: Page, step: string): Promise<void> => {
    await page.reload();
    await page.locator(`[data-next=${step}]`).waitFor({ timeout: ASKED_MS });
  };

  t.test('a LIVE endpoint is a matter from its first pause, a TEST endpoint at once', async (t) => {
    const { merchantId, login } = await openOwner();
    for (const environment of ['TEST', 'LIVE']) {
      const id = `we_${environment.toLowerCase().repeat(7).slice(0, 26)}`;
      await sql`
        insert into webhook_endpoints (id, merchant_id, environment, url, secret)
        values (${id}, ${merchantId}, ${environment}, 'https://toko.example', '')`;
      await sql`insert into webhook_endpoint_failures (endpoint_id) values (${id})`;
    }
    const { page, complaints } = await openDashboard(t, browser, { locale: 'id-ID' });
    const text = '1 endpoint webhook tidak menerima yang dikirim kepadanya.';
    await signIn(page, baseUrl, login);
    await waitForText(page, text);
    await showView(page, '/?environment=LIVE');
    await waitForText(page, 'Verifikasi usaha Anda belum dikirim.');
    t.equal(await page.getByText(text).count(), 0, 'not before its first pause');
    await sql`update webhook_endpoint_failures set paused_until = now()`;
    await waitForText(page, text);
    t.same(complaints, []);
  });
}
