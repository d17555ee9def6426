// The way to real money in a real browser: a merchant has submitted its verification, an administrator approves it and
// switches LIVE on, the owner makes a LIVE key and a LIVE endpoint, and a LIVE payment that is made with it is paid at the simulator of the rail
// and shows as paid. The administrator refunds a part for the merchant, and transfers a payout by hand. kyc.test.ts walks the
// form of the verification.
import type { Page } from 'playwright-core';
import t from 'tap';
import { buildCallbackPath } from '#actors/core/rails/live-rails.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { DEMO_KYC } from '#ops/dev/verification.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginSession,
  enrolSecondFactor,
  makeMerchant,
  makePerson,
  PASSWORD,
  submitKyc,
} from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { startProcess, TEST_KEYS } from '#test/support/processes.js';
import { SIMULATED, simulateRails } from '#test/support/rails/simulator.js';
import {
  checkView,
  confirm,
  dialog,
  openDashboard,
  press,
  showView,
  signIn,
  startDashboard,
  takeSecret,
  waitForView,
} from './stage.js';

const NAME = 'Toko <b>Asli</b>';

const browser = await openBrowser(t);
if (browser !== null) {
  const rails = await simulateRails(t);
  const stage = await startDashboard(t, {
    variables: {
      RAIL_MIDTRANS_URL: rails.simulator.midtransUrl,
      RAIL_MIDTRANS_SERVER_KEY: SIMULATED.midtransServerKey,
      // No inquiry but the one that a callback asks for, so that a lost callback fails the story.
      RAIL_SYNC_SCHEDULE: '3600',
    },
  });
  const { baseUrl } = stage;
  await startProcess(t, 'rails', stage.variables);
  const idKey = Buffer.from(TEST_KEYS.ID_KEY, 'base64');
  await rails.control('PUT', 'targets', {
    midtrans: baseUrl + buildCallbackPath(idKey, 'midtrans'),
    xendit: null,
  });
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const merchantId = await makeMerchant(sql, NAME);
  const owner = await makePerson(sql, 'owner', merchantId);
  const session = openApi(baseUrl, await beginSession(sql, owner));
  const makeCode = await enrolSecondFactor(sql, session, owner.userId);
  const admin = await makePerson(sql, 'admin', null);
  let liveKey = '';
  let paymentId = '';

  const waitForText = (page: Page, text: string): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: SHOWN_MS });
  t.test('an administrator approves the verification and switches LIVE on', async (t) => {
    await submitKyc(session);
    const { page, complaints } = await openDashboard(t, browser);
    const login = { email: admin.email, password: PASSWORD };
    await signIn(page, baseUrl, login, `/admin/merchants/${merchantId}`);
    await waitForText(page, DEMO_KYC.legal_name);
    for (const [action, next] of [
      ['Approve', 'Suspend'],
      ['Switch LIVE on', 'Switch LIVE off'],
    ] as const) {
      await press(page, action);
      await confirm(page, action);
      await dialog(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
      await page.getByRole('button', { name: next, exact: true }).waitFor({ timeout: SHOWN_MS });
    }
    const { body } = await session.call('/v1/merchants/me');
    t.match(body, { verificationStatus: 'APPROVED', liveEnabled: true });
    t.same(complaints, []);
  });

  const opened = await openDashboard(t, browser, {}, [
    ...['/v1/auth/login', '/v1/merchants/me/api-keys', '/v1/merchants/me/webhooks'],
    /\/v1\/merchants\/me\/webhooks\/we_\w+$/,
    '/v1/merchants/me/payouts?environment=LIVE',
    // The page asks in TEST first, and these objects are in LIVE.
    /\/(?:payments|refunds|payouts)\/\w+\?environment=TEST$/,
  ]);
  const { page, complaints, strangers } = opened;

  t.test('the owner changes to LIVE and makes a key with the second factor', async (t) => {
    const login = { email: owner.email, password: PASSWORD, makeCode };
    await signIn(page, baseUrl, login, '/going-live');
    t.equal(await page.locator('[data-item=verification]').getAttribute('data-done'), 'true');
    await page.getByText('LIVE', { exact: true }).first().click();
    await waitForView(page, '**/dashboard/?environment=LIVE');
    await page.locator('[data-environment=LIVE]').waitFor({ timeout: SHOWN_MS });
    await showView(page, '/api-keys?environment=LIVE');
    await press(page, 'Make a key');
    await confirm(page, 'Make a key');
    await page.getByLabel('Code', { exact: true }).fill(await makeCode());
    await confirm(page, 'Confirm');
    const secret = page.locator('[data-secret]');
    await secret.waitFor({ timeout: SHOWN_MS });
    liveKey = await secret.innerText();
    t.match(liveKey, /^sk_live_/);
    await confirm(page, 'I have stored it');
    await secret.waitFor({ state: 'detached', timeout: SHOWN_MS });
    await checkView(t, page, 'live-keys');
  });

  t.test('a LIVE endpoint is added and deleted with the second factor', async (t) => {
    const prove = async (): Promise<void> => {
      await page.getByLabel('Code', { exact: true }).fill(await makeCode());
      await confirm(page, 'Confirm');
    };
    await showView(page, '/webhooks?environment=LIVE');
    await press(page, 'Add an endpoint');
    await waitForText(page, 'You will be asked for your passkey or a code.');
    await checkView(t, page, 'live-endpoint-editor');
    await page.getByLabel('Address').fill('https://93.184.215.14/webhooks');
    await confirm(page, 'Add an endpoint');
    await prove();
    t.match(await takeSecret(page), /^whsec_/);
    await waitForView(page, '**/webhooks/we_*');
    await press(page, 'Actions');
    await page.getByRole('menuitem', { name: 'Delete the endpoint' }).click();
    await confirm(page, 'Delete the endpoint');
    await prove();
    await waitForText(page, 'No LIVE endpoints yet');
    const mails = await sql<{ subject: string }[]>`
      select subject from mails where recipient = ${owner.email} and subject like '%endpoint%'`;
    t.equal(mails.length, 2, 'the owner gets a mail about each');
  });

  t.test('a payment made with the key is paid at the rail and shows as paid', async (t) => {
    const live = openApi(baseUrl, liveKey);
    await waitUntil('methods are offered', async () => {
      const { body } = await live.call('/v1/payment-methods');
      return (body['data'] as object[]).length > 0;
    });
    const order = { amount: '150000', payment_method: 'VA_BNI', reference_id: 'order-live-1' };
    const made = await live.create(order, 'live-1');
    t.match(made.body, { environment: 'LIVE', status: 'pending' }, made.text);
    paymentId = String(made.body['id']);
    await showView(page, '/payments?environment=LIVE');
    await page.locator('tbody [data-status=pending]').waitFor({ timeout: SHOWN_MS });
    await page.locator('tbody a').first().click();
    await waitForView(page, '**/payments/pay_*');
    await waitForText(page, 'order-live-1');
    await checkView(t, page, 'live-payment-pending');

    await rails.control('POST', 'pay', { order_id: made.body['order_id'] });
    await page.locator('main [data-status=paid]').first().waitFor({ timeout: SHOWN_MS });
    const callbacks = await sql`select 1 from rail_callbacks`;
    t.not(callbacks.length, 0, 'the rail called back');
    t.match((await live.get(made.body['id'])).body, { status: 'paid', amount: '150000' });
    await checkView(t, page, 'live-payment-paid');
    await page.setViewportSize(PHONE);
    await showView(page, '/payments?environment=LIVE');
    await page.locator('tbody [data-status=paid]').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'live-payments-phone');
    await page.getByText('TEST', { exact: true }).first().click();
    await showView(page, '/payments');
    await waitForText(page, 'No payments yet');
    await page.setViewportSize(WIDE);
  });

  t.test('an administrator refunds a part of it for the merchant', async (t) => {
    const office = await openDashboard(t, browser);
    const login = { email: admin.email, password: PASSWORD };
    await signIn(office.page, baseUrl, login, `/admin/transactions/${paymentId}`);
    await press(office.page, 'Refund');
    await dialog(office.page).getByLabel('Amount').fill('40000');
    await dialog(office.page).getByLabel('Reason').fill('Barang <b>rusak</b>');
    await checkView(t, office.page, 'admin-refund-for-merchant');
    await confirm(office.page, 'Refund');
    await waitForView(office.page, '**/admin/refunds/ref_*');
    await waitForText(office.page, '40.000');
    const { body } = await session.call(`/v1/merchants/me/refunds?environment=LIVE`);
    t.match(body['data'], [
      { payment_id: paymentId, amount: '40000', reason: 'Barang <b>rusak</b>' },
    ]);
    t.same(office.complaints, []);
  });

  t.test(
    'LIVE objects that are opened by their ids show LIVE to a person who chose TEST',
    async (t) => {
      const { body } = await session.call('/v1/merchants/me/refunds?environment=LIVE');
      const [refund] = body['data'] as { readonly id: string }[];
      for (const path of [`/payments/${paymentId}`, `/refunds/${String(refund?.id)}`]) {
        for (const asked of ['', '?environment=TEST']) {
          await page.goto(`${baseUrl}/dashboard${path}${asked}`);
          await page.locator('[data-environment=LIVE]').waitFor({ timeout: SHOWN_MS });
          await waitForText(page, path.split('/').at(-1) ?? '');
          t.match(page.url(), /\?environment=LIVE$/, path + asked);
        }
      }
      await checkView(t, page, 'live-object');
    },
  );

  t.test('a payout that no rail makes is transferred by hand, and completes', async (t) => {
    await showView(page, '/payouts/new?environment=LIVE');
    await page.getByLabel('Amount').fill('50000');
    await page.getByLabel('Bank').first().fill('Central');
    await page.getByRole('option').first().click();
    await page.getByLabel('Account number').fill('1234567890');
    await page.getByLabel('Account holder').fill('Toko Asli');
    await press(page, 'Review');
    await confirm(page, /^Send Rp/);
    await page.getByLabel('Code', { exact: true }).fill(await makeCode());
    await confirm(page, 'Confirm');
    await waitForView(page, '**/payouts/po_*');
    await waitForText(page, 'Being paid by hand');
    await checkView(t, page, 'live-payout-by-hand');

    const office = await openDashboard(t, browser);
    const login = { email: admin.email, password: PASSWORD };
    const payoutId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await signIn(office.page, baseUrl, login, `/admin/payouts/${payoutId}`);
    await press(office.page, 'Complete');
    await dialog(office.page).getByLabel('Reference of the transfer').fill('TRF-2026-7');
    await confirm(office.page, 'Complete');
    await dialog(office.page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    await waitForText(office.page, 'TRF-2026-7');
    await checkView(t, office.page, 'admin-payout-completed');
    await page.locator('main [data-status=COMPLETED]').first().waitFor({ timeout: SHOWN_MS });
    const { body } = await session.call(`/v1/merchants/me/payouts/${payoutId}?environment=LIVE`);
    t.match(body, { status: 'COMPLETED', amount: '50000' });
    t.same([complaints, strangers, office.complaints], [[], [], []]);
  });
}
