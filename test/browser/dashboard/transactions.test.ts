// An administrator's transactions in a real browser: the file of all merchants needs a time range, and a refund that was refused is
// corrected.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, PHONE } from '#test/support/browser.js';
import {
  checkView,
  confirm,
  dialog,
  openDashboard,
  press,
  saveFile,
  showView,
  signIn,
  startDashboard,
  waitForView,
} from './stage.js';

const PATH = '/admin/transactions';
const DAY_MS = 86_400_000;
/** More than the 31 days that a file may cover. */
const TOO_MANY_DAYS = 40;
const findDay = (daysAgo: number): string =>
  new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const { email } = await makePerson(sql, 'admin', null);

  t.test('a file of all merchants needs a time range, and the button says so', async (t) => {
    const { id } = (await stage.api.create({ amount: '15000' })).body;
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, stage.baseUrl, { email, password: PASSWORD }, PATH);
    const button = page.getByRole('button', { name: 'Export CSV' });
    for (const query of [
      '',
      `?created_to=${findDay(0)}`,
      `?created_from=${findDay(TOO_MANY_DAYS)}`,
    ]) {
      await showView(page, PATH + query);
      await page.getByText('choose a merchant, or “From” and “Until” of at most 31 days').waitFor();
      t.equal(await button.isDisabled(), true, query);
    }
    await checkView(t, page, 'admin-transactions-file-wide');
    for (const query of [
      `created_from=${findDay(1)}`,
      `merchant_id=${stage.merchant.merchantId}`,
    ]) {
      await showView(page, `${PATH}?${query}`);
      t.match((await saveFile(page, 'Export CSV')).text, `"${String(id)}","transaction",`, query);
    }
    await page.evaluate(`localStorage.setItem('dashboard.language', 'id')`);
    await page.setViewportSize(PHONE);
    await page.goto(`${stage.baseUrl}/dashboard${PATH}`);
    await page.getByText('pilih merchant, atau “Dari” dan “Sampai” paling lama 31 hari').waitFor();
    await checkView(t, page, 'admin-transactions-file-phone');
    t.same(complaints, []);
  });

  t.test('a refund that was refused is sent with another amount', async (t) => {
    const id = String((await stage.api.create({ amount: '10090' })).body['id']);
    await stage.api.simulate(id, 'paid');
    const failing = [`/v1/admin/payments/${id}/refunds`];
    const { page, complaints } = await openDashboard(t, browser, {}, failing);
    await signIn(page, stage.baseUrl, { email, password: PASSWORD }, `${PATH}/${id}`);
    await press(page, 'Refund');
    await dialog(page).getByLabel('Amount').fill('10091');
    await dialog(page).getByLabel('Reason').fill('Biaya dua kali');
    await confirm(page, 'Refund');
    await dialog(page).getByRole('alert').waitFor();
    await dialog(page).getByLabel('Amount').fill('10090');
    await confirm(page, 'Refund');
    await waitForView(page, '**/admin/refunds/ref_*');
    const { body } = await stage.api.call(`/v1/refunds?payment_id=${id}`);
    t.match(body['data'], [{ amount: '10090', reason: 'Biaya dua kali' }]);
    t.same(complaints, []);
  });
}
