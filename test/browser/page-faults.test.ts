// Faults of the page itself in a real browser: they are told apart from a lost connection, the operator hears of them, and a
// part whose file is lost takes nothing else with it.
import type { Page } from 'playwright-core';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openBrowser, SHOWN_MS, WIDE } from '../support/browser.js';
import { readMetrics } from '../support/processes.js';
import {
  checkView,
  dialog,
  openDashboard,
  press,
  signIn,
  startDashboard,
} from './dashboard/stage.js';

const PAYMENTS = '**/v1/merchants/me/payments?*';
const CUSTOMER = 'Siti Aminah';
/** Errors of the console that a test causes. */
const CAUSED = /404|dynamically imported module/;

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant } = stage;
  const [gateway] = stage.gateways;
  const listReports = () =>
    gateway?.logs().filter(({ msg }) => String(msg).includes('reported a fault')) ?? [];
  const waitForReport = (kind: string, message: RegExp) =>
    waitUntil(`a report of ${String(message)}`, () =>
      listReports().find((log) => log['kind'] === kind && message.test(String(log['message']))),
    );
  const readFaults = async (kind: string): Promise<number> => {
    const page = gateway === undefined ? '' : await readMetrics(gateway);
    const line = new RegExp(`^kasir_gateway_page_faults_total{kind="${kind}"} (\\d+)$`, 'm');
    return Number(line.exec(page)?.[1]);
  };
  const findOffers = (page: Page) => page.getByRole('button', { name: 'Reload the page' });

  t.test('an error of a script is told as a fault of the page, and reported', async (t) => {
    const { page } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/account');
    await page.route(PAYMENTS, (route) => route.fulfill({ json: { data: { of: CUSTOMER } } }));
    await page.goto(`${baseUrl}/dashboard/payments`);
    const alert = page.locator('main').getByRole('alert');
    await alert.waitFor({ timeout: SHOWN_MS });
    t.match(await alert.innerText(), /This page has a fault/);
    t.notMatch(await alert.innerText(), /connection/i);
    await checkView(t, page, 'fault');
    const { message, build, view } = await waitForReport('script', /TypeError/);
    t.match({ build, view }, { build: /^main-[\w-]+\.js$/, view: '/dashboard/payments' });
    t.notMatch(String(message), CUSTOMER);
    t.equal(await readFaults('script'), 1);
    await page.unroute(PAYMENTS);
    await alert.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByText('No payments yet').waitFor({ timeout: SHOWN_MS });
  });

  t.test('a lost connection is told as one, and not reported', async (t) => {
    const { page } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/account');
    const before = await readFaults('script');
    await page.route(PAYMENTS, (route) => route.abort());
    await page.goto(`${baseUrl}/dashboard/payments`);
    const alert = page.locator('main').getByRole('alert');
    await alert.waitFor({ timeout: SHOWN_MS });
    t.match(await alert.innerText(), /No connection/);
    t.equal(await findOffers(page).count(), 0);
    await press(page, 'Export CSV');
    const failed = page.locator('main').getByText('No connection').nth(1);
    await failed.waitFor({ timeout: SHOWN_MS });
    t.equal(await readFaults('script'), before);
  });

  t.test('a bar tells that the service does not answer, until it answers again', async (t) => {
    const { page } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    const bar = page.getByText('The service does not answer.');
    await page.getByText('No payments yet').waitFor({ timeout: SHOWN_MS });
    t.equal(await bar.count(), 0);
    let hasProxy = false;
    // One route for both, since a request between two of them would reach the service.
    await page.route('**/v1/**', (route) =>
      hasProxy ? route.fulfill({ status: 502, body: 'Bad Gateway' }) : route.abort(),
    );
    await bar.waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'unreachable');
    hasProxy = true;
    await page.waitForResponse((answer) => answer.status() === 502);
    t.equal(await bar.count(), 1, 'a proxy that finds no gateway is no answer of the service');
    await page.unroute('**/v1/**');
    await bar.waitFor({ state: 'detached', timeout: SHOWN_MS });
  });

  t.test('an error that no view shows is reported without what people wrote', async (t) => {
    const { page } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/invoices/new');
    await page.evaluate(`void Promise.reject(new RangeError(
      'of siti@example.com, pay_0123456789abcdefghijklmnop, 081234567890: "${CUSTOMER}"'))`);
    await findOffers(page).waitFor({ timeout: SHOWN_MS });
    const { message } = await waitForReport('script', /RangeError/);
    t.equal(message, 'RangeError: of … …, …: …');
  });

  t.test(
    'a lost palette leaves the view and what was typed, and one reload is offered',
    async (t) => {
      const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
      await signIn(page, baseUrl, merchant.owner, '/invoices/new');
      const field = page.locator('main').getByLabel('Notes');
      await field.fill('Not saved yet');
      const lost = /assets\/(palette|shortcuts-dialog)-[^/]*\.js/;
      await page.route(lost, (route) => route.fulfill({ status: 404, body: '' }));
      await page.keyboard.press('Control+K');
      await findOffers(page).waitFor({ timeout: SHOWN_MS });
      t.equal(await field.inputValue(), 'Not saved yet');
      await page.keyboard.press('Control+K');
      await page.locator('h1').click();
      await page.keyboard.press('?');
      t.equal(await findOffers(page).count(), 1);
      await checkView(t, page, 'reload-offer');
      await waitForReport('file', /palette/);
      await page.getByRole('button', { name: 'Later' }).click();
      await findOffers(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
      t.equal(await field.inputValue(), 'Not saved yet');
      await page.keyboard.press('Control+K');
      await findOffers(page).waitFor({ timeout: SHOWN_MS });
      await page.unroute(lost);
      await findOffers(page).click();
      await page.getByLabel('Notes').waitFor({ timeout: SHOWN_MS });
      await page.keyboard.press('Control+K');
      await dialog(page).waitFor({ timeout: SHOWN_MS });
      t.same(
        complaints.filter((text) => !CAUSED.test(text)),
        [],
      );
    },
  );
}
