// The way to real money in a real browser: a merchant has submitted its verification, an administrator approves it and
// switches LIVE on, the owner makes a LIVE key, and a LIVE payment that is made with it is paid at the simulator of the rail
// and shows as paid. kyc.test.ts walks the form of the verification.
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
  PNG,
} from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import { startProcess, TEST_KEYS } from '#test/support/processes.js';
import { SIMULATED, simulateRails } from '#test/support/rails/simulator.js';
import {
  checkView,
  confirm,
  openDashboard,
  dialog,
  press,
  showView,
  signIn,
  startDashboard,
} from './stage.js';

const NAME = 'Toko <b>Asli</b>';
const OFFERED_MS = 20_000;

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

  const waitForText = (page: Page, text: string): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: SHOWN_MS });
  const submitKyc = async (): Promise<void> => {
    const post = async (path: string, body: object) => {
      const answer = await session.call(`/v1/merchants/kyc/${path}`, { method: 'POST', body });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body;
    };
    const file = { purpose: 'IDENTITY', filename: 'ktp.png', content: PNG.toString('base64') };
    const { id } = await post('documents', file);
    await post('submit', { ...DEMO_KYC, document_ids: [id] });
  };
  t.test('an administrator approves the verification and switches LIVE on', async (t) => {
    await submitKyc();
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
    '/v1/auth/login',
    '/v1/merchants/me/api-keys',
  ]);
  const { page, complaints, strangers } = opened;

  t.test('the owner changes to LIVE and makes a key with the second factor', async (t) => {
    const login = { email: owner.email, password: PASSWORD, makeCode };
    await signIn(page, baseUrl, login, '/going-live');
    t.equal(await page.locator('[data-item=verification]').getAttribute('data-done'), 'true');
    await page.getByText('LIVE', { exact: true }).first().click();
    await page.waitForURL('**/dashboard/?environment=LIVE');
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

  t.test('a payment made with the key is paid at the rail and shows as paid', async (t) => {
    const live = openApi(baseUrl, liveKey);
    await waitUntil('methods are offered', OFFERED_MS, async () => {
      const { body } = await live.call('/v1/payment-methods');
      return (body['data'] as object[]).length > 0;
    });
    const order = { amount: '150000', payment_method: 'VA_BNI', reference_id: 'order-live-1' };
    const made = await live.create(order, 'live-1');
    t.match(made.body, { environment: 'LIVE', status: 'pending' }, made.text);
    await showView(page, '/payments?environment=LIVE');
    await page.locator('tbody [data-status=pending]').waitFor({ timeout: SHOWN_MS });
    await page.locator('tbody a').first().click();
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
    t.same({ complaints, strangers }, { complaints: [], strangers: [] });
  });
}
