// Lists of a merchant in a real browser: payments are filtered, counted and summed, webhooks are found by their payment, and a
// link shows its payments.
import type { Page } from 'playwright-core';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import { answerWith, receiverVariables, startReceiver } from '#test/support/webhooks/receiver.js';
import {
  checkView,
  openDashboard,
  showView,
  signIn,
  startDashboard,
  waitUntilShown,
} from '../stage.js';

/** By how many pixels the table is wider than its frame. */
const HIDDEN_COLUMNS = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
  document.querySelector('table').parentElement)`;

const browser = await openBrowser(t);
if (browser !== null) {
  const receiver = await startReceiver(t);
  receiver.behave(answerWith(410));
  const stage = await startDashboard(t, {
    variables: { WEBHOOK_RETRY_SCHEDULE: '1', ...(await receiverVariables(t)) },
  });
  await startProcess(t, 'webhooks', stage.variables);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const owner = await makePerson(sql, 'owner', merchant.merchantId);
  const session = openApi(baseUrl, await beginSession(sql, owner));
  const post = async (path: string, body: object): Promise<Readonly<Record<string, unknown>>> =>
    (await session.call(`/v1/merchants/me/${path}`, { method: 'POST', body })).body;
  const pay = async (fields: object): Promise<string> => {
    const id = String((await api.create(fields)).body['id']);
    await api.simulate(id, 'paid');
    return id;
  };
  await post('webhooks', { environment: 'TEST', url: receiver.url });
  const first = await pay({ amount: '150000', payment_method: 'QRIS', reference_id: 'order-1' });
  await pay({ amount: '2500000', payment_method: 'VA_BCA', reference_id: 'order-2' });
  await api.create({ amount: '75000', payment_method: 'VA_BCA' });
  await waitUntil('both webhooks are dead letters', async () => {
    const { body } = await session.call('/v1/merchants/me/webhooks/dlq');
    return (body['data'] as unknown[]).length === 2;
  });

  const countRows = async (page: Page, count: number): Promise<void> => {
    await page.locator('tbody tr').nth(count).waitFor({ state: 'detached', timeout: SHOWN_MS });
    await page
      .locator('tbody tr')
      .nth(count - 1)
      .waitFor({ timeout: SHOWN_MS });
    await waitUntilShown(page);
  };
  const readSum = (page: Page): Promise<string> => page.locator('[data-sum]').innerText();
  const waitForSum = (page: Page, text: RegExp): Promise<void> =>
    page.locator('[data-sum]').filter({ hasText: text }).waitFor({ timeout: SHOWN_MS });

  t.test('payments are counted by status, filtered by method and amount, and summed', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    await countRows(page, 3);
    await waitForSum(page, /^3 payments, together Rp.2[.,]725[.,]000$/);
    for (const name of ['All 3', 'Pending 1', 'Paid 2', 'Failed 0', 'Refunded 0']) {
      await page.getByRole('button', { name, exact: true }).waitFor({ timeout: SHOWN_MS });
    }
    t.match(await page.locator('tbody').innerText(), /BCA virtual account/);
    t.notMatch(await page.locator('tbody').innerText(), /VA_BCA/);
    const readAlignment = `getComputedStyle(document.querySelector('td[data-name=Amount]')).textAlign`;
    t.equal(await page.evaluate(readAlignment), 'right');
    await checkView(t, page, 'payments-summary-wide');
    await page.getByRole('button', { name: 'Paid 2' }).click();
    await countRows(page, 2);
    await waitForSum(page, /^2 payments, together Rp.2[.,]650[.,]000$/);
    t.match(page.url(), /status=paid/);
    await page.getByRole('textbox', { name: 'Smallest amount' }).fill('Rp 1.000.000');
    await page.keyboard.press('Enter');
    await countRows(page, 1);
    await waitForSum(page, /^1 payment, together Rp.2[.,]500[.,]000$/);
    t.match(page.url(), /amount_from=1000000/);
    await page.getByRole('combobox', { name: 'Method' }).click();
    await page.getByRole('option', { name: 'QRIS' }).click();
    await page.getByText('Nothing matches these filters').waitFor({ timeout: SHOWN_MS });
    t.match(await readSum(page), /^0 payments/);
    t.same(complaints, []);
  });

  t.test('no list is wider than a narrow phone', async (t) => {
    const viewport = { width: 320, height: 700 };
    const { page } = await openDashboard(t, browser, { viewport, locale: 'id-ID' });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    for (const path of [
      '/payments',
      '/webhooks',
      '/webhooks/deliveries',
      '/webhooks/dead-letters',
    ]) {
      await showView(page, path);
      await page.locator('tbody tr').first().waitFor({ timeout: SHOWN_MS });
      t.equal(await page.evaluate(HIDDEN_COLUMNS), 0, path);
    }
  });

  t.test('rows of the same minute show seconds, on a phone in Indonesian too', async (t) => {
    await sql`
      update payments as p
         set created_at = t.at,
             snapshot = regexp_replace(p.snapshot, '"created_at":"[^"]*"',
               '"created_at":"' || to_char(t.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"')
        from (select id, date_trunc('minute', now()) - interval '3 hours' +
                     case reference_id when 'order-1' then interval '7 s' when 'order-2' then interval '42 s'
                          else interval '1 hour' end as at from payments) as t
       where t.id = p.id`;
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: PHONE,
      locale: 'id-ID',
    });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    await countRows(page, 3);
    await waitForSum(page, /^3 pembayaran, totalnya Rp.2\.725\.000$/);
    const times = await page.locator('tbody time').allInnerTexts();
    t.match(times[1], /[.:]42/, 'newest of the minute');
    t.match(times[2], /[.:]07/);
    t.notMatch(times[0], /\d\d[.:]\d\d[.:]\d\d/, 'alone in its minute');
    // Two lines of a phone have no room for it.
    await page.getByText('Virtual account BCA').first().waitFor({ state: 'attached' });
    await checkView(t, page, 'payments-summary-phone');
    t.same(complaints, []);
  });

  t.test('webhooks show their payment, and are found by it', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, '/webhooks/deliveries');
    for (const view of ['/webhooks/deliveries', '/webhooks/dead-letters']) {
      await showView(page, view);
      await countRows(page, 2);
      const row = page.locator('tbody tr').filter({ hasText: 'order-1' });
      t.match(await row.innerText(), new RegExp(`order-1[^]*${first}[^]*Rp.150[.,]000`));
      await checkView(t, page, `${view.split('/').at(-1) ?? ''}-payment-wide`);
      const hidden = await page.evaluate(HIDDEN_COLUMNS);
      t.equal(hidden, 0, `${view} shows its last column without scrolling`);
      await page.getByLabel('Amount').fill('2.500.000');
      await page.keyboard.press('Enter');
      await countRows(page, 1);
      t.match(await page.locator('tbody').innerText(), /order-2/);
      for (const query of [`payment_id=${first}`, 'reference_id=order-1&reason=http_410']) {
        await showView(page, `${view}?${query}`);
        await countRows(page, 1);
        t.match(await page.locator('tbody').innerText(), /order-1/, query);
      }
      await showView(page, `${view}?reason=dns`);
      await page.getByText('Nothing matches these filters').waitFor({ timeout: SHOWN_MS });
    }
    await showView(page, '/webhooks/dead-letters?reference_id=order-1');
    await page.getByText('Replay all knows no payment').waitFor({ timeout: SHOWN_MS });
    t.equal(await page.getByRole('button', { name: 'Replay all' }).isDisabled(), true);
    await page.setViewportSize(PHONE);
    await checkView(t, page, 'dead-letters-payment-phone');
    t.same(complaints, []);
  });

  t.test('a link shows its payments', async (t) => {
    const link = await post('payment-links', {
      ...{ environment: 'TEST', title: 'Kelas kopi', amount: '135000' },
    });
    const other = await pay({ amount: '135000', payment_method: 'QRIS' });
    const paid = await pay({
      ...{ amount: '135000', payment_method: 'QRIS', customer_name: 'Siti Aminah' },
      metadata: { payment_link: link['id'] },
    });
    await waitUntil('the payment is searchable', async () => {
      const { body } = await api.call(`/v1/payments?q=${String(link['id'])}`);
      return (body['data'] as unknown[]).length === 1;
    });
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner, `/payment-links/${String(link['id'])}`);
    const table = page.getByRole('table', { name: 'Payments of this link' });
    await table.getByText('Siti Aminah').waitFor({ timeout: SHOWN_MS });
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('table[aria-label="Payments of this link"] a')].map((a) => a.href)`,
    );
    t.match(links, [new RegExp(paid)]);
    t.equal(links.length, 1, `not ${other}`);
    await checkView(t, page, 'link-payments-wide');
    await page.getByRole('link', { name: 'All payments of this link' }).click();
    await waitForSum(page, /^1 payment, together/);
    t.same(complaints, []);
  });
}
