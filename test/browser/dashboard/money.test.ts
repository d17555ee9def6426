// The area money in a real browser: a payment is watched until it is paid, refunded and found again; a pending one is
// cancelled; the balance is paid out; a viewer changes nothing.
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { beginSession, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  checkPrint,
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
    // The refund that is refused first.
    const failing = ['/v1/merchants/me/refunds?environment=TEST'];
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE }, failing);
    await signIn(page, baseUrl, merchant.owner, `/payments/${id}`);
    await page.locator('[data-status=pending]').waitFor();
    await waitUntilShown(page);
    await checkView(t, page, 'payment-pending-wide');
    await api.simulate(id, 'paid');
    await page.locator('[data-status=paid]').waitFor();
    await page.getByText('Paid by the customer').waitFor();
    await press(page, 'Refund');
    await page.getByLabel('Amount').fill('150001');
    await page.getByLabel('Reason').fill('One cup was cold');
    await confirm(page, /^Refund Rp/);
    await dialog(page).getByRole('alert').waitFor();
    await page.getByLabel('Amount').fill('40000');
    await confirm(page, /^Refund Rp/);
    await page.getByText('One cup was cold').waitFor();
    await page.getByText('Rp 40.000').first().waitFor();
    const refunds = await api.call(`/v1/refunds?payment_id=${id}`);
    t.match(refunds.body['data'], [{ amount: '40000', reason: 'One cup was cold' }]);
    await checkView(t, page, 'payment-refunded-wide');
    await checkPrint(t, page, 'payment');
    await page.getByRole('link', { name: 'Rp 40.000' }).click();
    await waitForView(page, '**/refunds/ref_*');
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
    await showView(page, '/balance');
    await page.getByRole('table', { name: 'Mutasi' }).waitFor();
    await checkView(t, page, 'balance-phone');
    t.same(complaints, []);
  });

  t.test('the list is saved as CSV with its filters', async (t) => {
    const { page } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/payments?status=cancelled');
    await page.locator('tbody tr').first().waitFor();
    const { name, text } = await saveFile(page, 'Export CSV');
    t.equal(name, 'payments.csv');
    t.match(text, /to-cancel/);
    t.notMatch(text, /Siti/);
  });

  t.test(
    'the balance is paid out after a review, and a refused account is explained',
    async (t) => {
      const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE }, [
        '/v1/merchants/me/payouts?environment=TEST',
      ]);
      await signIn(page, baseUrl, merchant.owner, '/balance');
      await waitUntilShown(page);
      const statement = page.getByRole('table', { name: 'Statement' });
      await statement.getByText('Payment paid').first().waitFor();
      await checkView(t, page, 'balance-wide');
      const row = statement.getByRole('link', { name: 'Payment paid' }).first();
      t.match(await row.getAttribute('href'), /\/payments\/pay_/);
      const file = await saveFile(page, 'Export CSV');
      t.match(file.name, /^statement-\d{4}-\d\d-01\.csv$/);
      t.match(file.text, /,"available",,0,"IDR","opening_balance",[^]*,"payment_paid","pay_/);
      await showView(page, '/balance?account=suspense');
      await page.getByText('Nothing matches these filters').waitFor();
      await showView(page, '/balance');
      await checkPrint(t, page, 'balance');
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
      await waitForView(page, '**/payouts/po_*');
      await page.getByText('Budi Santoso').first().waitFor();
      await checkView(t, page, 'payout-wide');
      await checkPrint(t, page, 'payout');
      const balance = await api.call('/v1/balance');
      t.match(balance.body['data'], [{ in_transit: /^(50000|0)$/ }]);
      t.same(complaints, []);
    },
  );

  t.test('refunds, payouts and the statement of the balance are saved as files', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/refunds');
    await page.locator('tbody tr').first().waitFor();
    const refunds = await saveFile(page, 'Export CSV');
    t.equal(refunds.name, 'refunds.csv');
    t.match(refunds.text, /^id,.*\r\n"ref_.*,40000,.*One cup was cold/);
    await showView(page, '/payouts');
    await page.locator('tbody tr').first().waitFor();
    const payouts = await saveFile(page, 'Export CSV');
    t.equal(payouts.name, 'payouts.csv');
    t.match(payouts.text, /^id,.*\r\n"po_.*,50000,.*Budi Santoso/);
    await showView(page, '/balance');
    t.match((await saveFile(page, 'Export CSV')).text, /,-50000,.*,"po_/, 'the payout is in it');
    t.same(complaints, []);
  });

  t.test('a part that could not be loaded says so, and is loaded again on request', async (t) => {
    const id = await create({});
    await api.simulate(id, 'paid');
    await api.call('/v1/refunds', { method: 'POST', body: { payment_id: id, amount: '1000' } });
    await waitUntil('the refund is settled', async () =>
      (await api.call(`/v1/refunds?payment_id=${id}`)).text.includes('SUCCEEDED'),
    );
    const { page } = await openDashboard(t, browser, { viewport: WIDE });
    // Nothing is loaded again by itself meanwhile.
    await page.addInitScript(`window.setInterval = () => 0;
      window.EventSource = class { addEventListener() {} close() {} };`);
    await signIn(page, baseUrl, merchant.owner, '/payments');
    const parts = [
      { path: `/payments/${id}`, part: 'section', table: 'refunds', shown: 'Requested by you' },
      {
        path: '/',
        part: 'section:has(h2:text-is("Available balance"))',
        table: 'balances',
        shown: 'Can be paid out now',
      },
      { path: '/webhooks', part: 'div', table: 'owner_events', shown: 'No TEST endpoints yet' },
    ];
    for (const { path, part, table, shown } of parts) {
      await sql`alter table ${sql(table)} rename to ${sql(`${table}_away`)}`;
      await page.goto(`${baseUrl}/dashboard${path}`);
      const failed = page.locator(`main ${part} > [role=alert]`).first();
      await failed.waitFor({ timeout: SHOWN_MS });
      await checkView(t, page, `failed-${table}`);
      await sql`alter table ${sql(`${table}_away`)} rename to ${sql(table)}`;
      await failed.getByRole('button', { name: 'Try again' }).click();
      await failed.waitFor({ state: 'detached', timeout: SHOWN_MS });
      await page.getByText(shown).first().waitFor({ timeout: SHOWN_MS });
    }
  });

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
    await showView(page, '/balance');
    const statement = page.getByRole('table', { name: 'Statement' });
    await statement.getByText('Payout requested').first().waitFor();
    t.equal(await statement.getByRole('link', { name: 'Payout requested' }).count(), 0);
    t.ok((await statement.getByRole('link', { name: 'Payment paid' }).count()) > 0);
    t.same(complaints, []);
  });
}
