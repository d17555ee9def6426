// The area money in a real browser: a payment is watched until it is paid, refunded and found again; a pending one is
// cancelled; the balance is paid out; a viewer changes nothing.
import { readFileSync } from 'node:fs';
import t from 'tap';
import { beginSession, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, WIDE } from '#test/support/browser.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  checkView,
  confirm,
  openDashboard,
  dialog,
  press,
  signIn,
  startDashboard,
  waitUntilShown,
} from './stage.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const create = async (fields: object): Promise<string> => {
    const answer = await api.create({ amount: '150000', payment_method: 'QRIS', ...fields });
    return String(answer.body['id']);
  };

  t.test('a payment is watched until it is paid, and refunded in part', async (t) => {
    const id = await create({ customer_name: 'Siti Aminah', metadata: { cart: '<i>17</i>' } });
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, `/payments/${id}`);
    await page.locator('[data-status=pending]').waitFor();
    await waitUntilShown(page);
    await checkView(t, page, 'payment-pending-wide');
    await api.simulate(id, 'paid');
    await page.locator('[data-status=paid]').waitFor();
    await page.getByText('Paid by the customer').waitFor();
    await press(page, 'Refund');
    await page.getByLabel('Amount').fill('40000');
    await page.getByLabel('Reason').fill('One cup was cold');
    await confirm(page, /^Refund Rp/);
    await page.getByText('One cup was cold').waitFor();
    await page.getByText('Rp 40,000').first().waitFor();
    const refunds = await api.call(`/v1/refunds?payment_id=${id}`);
    t.match(refunds.body['data'], [{ amount: '40000', reason: 'One cup was cold' }]);
    await checkView(t, page, 'payment-refunded-wide');
    await page.getByRole('link', { name: 'Rp 40,000' }).click();
    await page.getByText(id).waitFor();
    await checkView(t, page, 'refund-wide');
    t.same(complaints, []);
  });

  t.test('a view shows a change although it does not poll', async (t) => {
    const id = await create({});
    const { page, complaints } = await openDashboard(t, browser);
    await page.addInitScript('window.setInterval = () => 0');
    await signIn(page, baseUrl, merchant.owner, `/payments/${id}`);
    await page.locator('[data-status=pending]').waitFor();
    await api.simulate(id, 'paid');
    await page.locator('[data-status=paid]').waitFor();
    t.same(complaints, []);
  });

  t.test('a pending payment is cancelled on a phone, after a question', async (t) => {
    const id = await create({ reference_id: 'to-cancel' });
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await signIn(page, baseUrl, merchant.owner, '/payments?reference_id=to-cancel');
    await page.locator('tbody a').first().click();
    await press(page, 'Batalkan pembayaran');
    t.equal((await api.get(id)).body['status'], 'pending', 'nothing before the answer');
    await confirm(page, 'Batalkan pembayaran');
    await page.locator('[data-status=cancelled]').waitFor();
    t.equal((await api.get(id)).body['status'], 'cancelled');
    await checkView(t, page, 'payment-cancelled-phone');
    t.same(complaints, []);
  });

  t.test('the list is saved as CSV with its filters', async (t) => {
    const { page } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/payments?status=cancelled');
    await page.locator('tbody tr').first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press(page, 'Export CSV'),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    t.equal(download.suggestedFilename(), 'payments.csv');
    t.match(text, /to-cancel/);
    t.notMatch(text, /Siti/);
  });

  t.test(
    'the balance is paid out after a review, and a refused account is explained',
    async (t) => {
      const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
      await signIn(page, baseUrl, merchant.owner, '/balance');
      await waitUntilShown(page);
      await checkView(t, page, 'balance-wide');
      await page.getByRole('link', { name: 'New payout' }).click();
      await page.getByLabel('Amount').fill('99999999');
      await page.getByLabel('Bank').first().fill('Central');
      await page.getByRole('option').first().click();
      await page.getByLabel('Account number').fill('1234567890');
      await page.getByLabel('Account holder').fill('Budi Santoso');
      await press(page, 'Review');
      await checkView(t, page, 'payout-review-wide');
      await confirm(page, /^Send Rp/);
      const refused = dialog(page).getByRole('alert');
      await refused.waitFor();
      t.match(await refused.innerText(), /balance/i);
      await confirm(page, 'Cancel');
      await page.getByLabel('Amount').fill('50000');
      await press(page, 'Review');
      await confirm(page, /^Send Rp/);
      await page.waitForURL('**/payouts/po_*');
      await page.getByText('Budi Santoso').first().waitFor();
      await checkView(t, page, 'payout-wide');
      const balance = await api.call('/v1/balance');
      t.match(balance.body['data'], [{ in_transit: /^(50000|0)$/ }]);
      t.same(
        complaints.filter((text) => !text.includes('409')),
        [],
      );
    },
  );

  t.test('a viewer sees payments, and neither payouts nor a way to change anything', async (t) => {
    const id = await create({});
    const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
    const session = openApi(baseUrl, await beginSession(sql, viewer));
    const answer = await session.call(`/v1/merchants/me/payments/${id}/cancel`, { method: 'POST' });
    t.equal(answer.status, 403);
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, { email: viewer.email, password: PASSWORD }, `/payments/${id}`);
    await page.locator('[data-status=pending]').waitFor();
    t.equal(await page.getByRole('button', { name: 'Cancel payment' }).count(), 0);
    t.equal(await page.getByRole('link', { name: 'Payouts' }).count(), 0);
    t.equal(await page.getByText('Webhook deliveries').count(), 0);
    t.same(complaints, []);
  });
}
