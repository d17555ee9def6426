// The home page in a real browser: a new merchant is led to its first payment, and payments that are made then appear in the
// figures, the chart and the table; what needs attention leads to its view.
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import t from 'tap';
import { makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, PHONE, WIDE } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import { openPostgres } from '#store/postgres/client.js';
import { listScripts, VIEWS } from './scripts.js';
import {
  checkView,
  openDashboard,
  signIn,
  startDashboard,
  waitForView,
  waitUntilShown,
} from './stage.js';

const COUNTED_MS = 30_000;
/** The sandbox pays it and leaves its refunds to an administrator. */
const BY_HAND = '10094';
/** A part of a column of the chart. */
const PART = '[data-part]';
const MEASURE_PARTS = `(() => {
  const parts = [...document.querySelectorAll('${PART}')];
  const heights = parts.map((part) => part.getBoundingClientRect().height);
  return parts.map((part, index) => [part.dataset.part, Math.round(heights[index] / Math.min(...heights))]);
})()`;
const FAILURE = JSON.stringify({
  error: {
    ...{ type: 'invalid_request', code: 'field_invalid', message: 'It is wrong.', param: null },
    ...{ request_id: 'req_0a1b2c', doc_url: '' },
  },
});

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const create = async (amount: string, outcome?: string): Promise<unknown> => {
    const { body } = await api.create({ amount, payment_method: 'QRIS' });
    if (outcome !== undefined) await api.simulate(body['id'], outcome);
    return body['id'];
  };
  const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: COUNTED_MS });

  t.test('a new merchant sees no figures, and is led to the first steps', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: PHONE });
    await signIn(page, baseUrl, merchant.owner);
    await waitForText(page, 'No payments yet');
    await waitForText(page, 'The verification of your business is not sent yet.');
    t.match(page.url(), /\/dashboard\/?$/, 'the first view after the sign-in');
    t.equal(await page.locator(PART).count(), 0);
    await checkView(t, page, 'home-new-phone');
    t.same(complaints, []);
    await page.getByRole('link', { name: 'First steps' }).last().click();
    await waitForView(page, '**/first-steps');
  });

  t.test('payments appear in the figures, in the chart and in the table', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner);
    await waitForText(page, 'No payments yet');
    await create('150000', 'paid');
    await create('50000', 'paid');
    await create('70000', 'failed');
    await create('20000');
    await waitForText(page, '2 of 3 were paid');
    await waitForText(page, 'Rp 200.000');
    await waitForText(page, '66.7%');
    await page.locator(PART).nth(2).waitFor({ timeout: COUNTED_MS });
    await waitUntilShown(page);
    t.same(
      await page.evaluate(MEASURE_PARTS),
      [
        ['paid', 2],
        ['pending', 1],
        ['failed', 1],
      ],
      'the parts of the chart are as high as their numbers of payments',
    );
    await page.locator(PART).first().hover();
    await page.getByText('Paid: 2', { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Payments over time' });
    const sum = (await table.locator('tfoot tr').innerText()).replaceAll('\u00a0', ' ');
    t.same(
      sum.split(/\t/).map((cell) => cell.trim()),
      ['Total', '2', 'Rp 200.000', '1', '1', '66.7%'],
    );
    t.equal(await table.locator('tbody tr').count(), 7);
    await checkView(t, page, 'home-wide');
    await page.reload();
    await page.locator(PART).first().waitFor();
    const loaded = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1))`,
    );
    t.same(
      new Set(loaded.filter((name) => name.endsWith('.js'))),
      new Set(listScripts(VIEWS.home)),
      'a browser loads the scripts whose size is limited',
    );
    await page.getByText('24 hours').click();
    await waitForView(page, '**/dashboard/?period=day');
    await page.getByText('Table', { exact: true }).click();
    t.equal(await table.locator('tbody tr').count(), 25);
    await checkView(t, page, 'home-table-wide');
    t.same(complaints, []);
  });

  t.test('a matter that needs attention leads to its view, also on a phone', async (t) => {
    const payment_id = await create(BY_HAND, 'paid');
    await api.call('/v1/refunds', { method: 'POST', body: { payment_id } });
    const endpoint = `we_${randomBytes(13).toString('hex')}`;
    await sql`
      insert into webhook_endpoints (id, merchant_id, environment, url, secret)
      values (${endpoint}, ${merchant.merchantId}, 'TEST', 'https://toko.example', '')`;
    await sql`insert into webhook_endpoint_failures (endpoint_id, flagged_at) values (${endpoint}, now())`;
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await signIn(page, baseUrl, merchant.owner);
    await waitForText(page, '1 endpoint webhook tidak menerima yang dikirim kepadanya.');
    await waitForText(page, '1 pengembalian dana sedang dibayar secara manual.');
    await page.locator(PART).first().waitFor({ timeout: COUNTED_MS });
    await checkView(t, page, 'home-phone');
    await page.getByText('Tabel', { exact: true }).click();
    await checkView(t, page, 'home-table-phone');
    await page.getByRole('link', { name: /pengembalian dana sedang dibayar/ }).click();
    await waitForView(page, '**/refunds?status=MANUAL_REQUIRED');
    await page.locator('tbody tr').first().waitFor();
    t.same(complaints, []);
  });

  t.test(
    'a viewer hears nothing of webhooks; a failure is shown with a way to try again',
    async (t) => {
      const viewer = await makePerson(sql, 'viewer', merchant.merchantId);
      const { page } = await openDashboard(t, browser, { viewport: WIDE });
      await signIn(page, baseUrl, { email: viewer.email, password: PASSWORD });
      await waitForText(page, '75%');
      await page.route('**/attention?*', (route) =>
        route.fulfill({ status: 400, contentType: 'application/json', body: FAILURE }),
      );
      // The page asks again every ten seconds, counted from here: the button is pressed long before.
      await page.reload();
      await page.getByText('req_0a1b2c').waitFor();
      await waitForText(page, '75%');
      await page.unroute('**/attention?*');
      await page.getByRole('button', { name: 'Try again' }).click();
      await waitForText(page, '1 refund is being paid by hand.');
      t.equal(await page.getByText('webhook endpoint').count(), 0);
    },
  );
}
