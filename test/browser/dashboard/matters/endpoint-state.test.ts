// The state of an endpoint in a real browser: one that refuses is paused and says why, a test event reaches it meanwhile, it is
// switched off with what waits kept, and another one replaces it.
import type { Page } from 'playwright-core';
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makeMerchant, makePerson, PASSWORD } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import { answerWith, receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
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
} from '../stage.js';

const PAYMENTS = 8;
/** The pauses of an endpoint grow to half a minute. */
const PAUSED_MS = 60_000;

/** By how many pixels the rows of the list are wider than their frame. */
const HIDDEN_WIDTH = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
  document.querySelector('table').parentElement)`;

const browser = await openBrowser(t);
if (browser !== null) {
  const receiver = await startReceiver(t);
  receiver.behave(answerWith(503));
  const schedule = Array.from({ length: 40 }, () => 1).join(',');
  const stage = await startDashboard(t, {
    variables: { WEBHOOK_RETRY_SCHEDULE: schedule, ...(await receiverVariables(t)) },
  });
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
  const session = openApi(baseUrl, await beginSession(sql, owner));
  const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
    (await session.call(`/v1/merchants/me/${path}`, { method: 'POST', body })).body;
  const { secret } = await post('api-keys', { environment: 'TEST' });
  const { id } = await post('webhooks', { environment: 'TEST', url: receiver.url });
  const api = openApi(baseUrl, String(secret));
  const login = { email: owner.email, password: PASSWORD };
  const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: PAUSED_MS });

  t.test('a refusing endpoint is paused, says why, and gets a test event meanwhile', async (t) => {
    for (let made = 0; made < PAYMENTS; made += 1) {
      const { body } = await api.create({ amount: '15000', payment_method: 'QRIS' });
      await api.simulate(body['id'], 'paid');
    }
    const { page, complaints } = await openDashboard(t, browser, { viewport: PHONE });
    await signIn(page, baseUrl, login);
    await waitForText(page, '1 webhook endpoint does not accept what is sent to it.');
    await showView(page, `/webhooks/${String(id)}`);
    await waitForText(page, /^Paused after \d+ failures until \d\d[:.]\d\d$/);
    await waitForText(page, /^100% \(\d+ of \d+ attempts\)$/);
    await waitForText(page, 'Last reason');
    t.equal(await page.getByText(/ago$/).count(), 0, 'no attempt is next in the past');
    await checkView(t, page, 'endpoint-paused-phone');
    await page.setViewportSize({ width: 320, height: 700 });
    t.equal(await page.evaluate(HIDDEN_WIDTH), 0, 'its deliveries fit the narrowest phone');
    await showView(page, '/webhooks');
    await waitForText(page, /^Paused after/);
    t.equal(await page.evaluate(HIDDEN_WIDTH), 0, 'the list of endpoints does');
    await checkView(t, page, 'endpoints-paused-narrow');
    await showView(page, `/webhooks/${String(id)}`);
    await press(page, 'Send a test event');
    await confirm(page, 'Send');
    await waitForView(page, '**/webhooks/deliveries/del_*');
    await waitForText(page, 'HTTP 503');
    t.same(complaints, []);
  });

  t.test('it is switched off with what waits kept, in Indonesian, and resumed', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { locale: 'id-ID' });
    await signIn(page, baseUrl, login, `/webhooks/${String(id)}`);
    await waitForText(page, /^Dijeda setelah \d+ kegagalan sampai \d\d\.\d\d$/);
    await press(page, 'Tindakan');
    await page.getByRole('menuitem', { name: 'Nonaktifkan' }).click();
    await dialog(page)
      .getByText(/^\d+ event menunggunya\.$/)
      .waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'endpoint-switch-off');
    await confirm(page, 'Nonaktifkan');
    await waitForText(page, 'Disimpan sampai');
    await checkView(t, page, 'endpoint-held');
    t.equal(await page.locator('[data-status=dead]').count(), 0);
    receiver.behave(answerWith(200));
    await press(page, 'Tindakan');
    await page.getByRole('menuitem', { name: 'Aktifkan' }).click();
    await confirm(page, 'Aktifkan');
    await page.locator('span[data-status=active]').waitFor({ timeout: SHOWN_MS });
    await page.reload();
    await waitForText(page, 'Terakhir berhasil');
    t.same(complaints, []);
  });

  t.test('another endpoint replaces it, or both are kept', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, login, '/webhooks');
    await page.locator('tbody [data-status=active]').waitFor({ timeout: SHOWN_MS });
    await press(page, 'Add an endpoint');
    await page.getByLabel('Address').fill(`${receiver.url}/new`);
    await dialog(page).getByText(`Another endpoint is active: ${receiver.url}`).waitFor();
    await checkView(t, page, 'endpoint-replace');
    await confirm(page, 'Add an endpoint');
    await takeSecret(page);
    await showView(page, '/webhooks');
    await page.locator('tbody [data-status=off]').waitFor({ timeout: SHOWN_MS });
    t.equal(await page.locator('tbody [data-status=active]').count(), 1, 'the new one');
    await showView(page, `/webhooks/${String(id)}`);
    await press(page, 'Actions');
    await page.getByRole('menuitem', { name: 'Switch on' }).click();
    await dialog(page).getByLabel('Keep both').check();
    await confirm(page, 'Switch on');
    await page.locator('span[data-status=active]').waitFor({ timeout: SHOWN_MS });
    await showView(page, '/webhooks');
    await page.locator('tbody [data-status=active]').nth(1).waitFor({ timeout: SHOWN_MS });
    await press(page, 'Add an endpoint');
    await dialog(page).getByText('Other endpoints are active: ').waitFor({ timeout: SHOWN_MS });
    await dialog(page).getByLabel('Keep all').check();
    t.same(complaints, []);
  });
}
