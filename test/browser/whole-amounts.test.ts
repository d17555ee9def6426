// Amounts in a real browser: a figure of 13 digits is whole on the home page, at the balance and on an invoice, from the narrowest
// phone to a wide screen, and amounts and times look the same in both languages. SHOTS=<folder> keeps pictures.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { listBalanceAccounts } from '#actors/core/schemas/balance.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import {
  measureAmounts,
  measureOverflow,
  openBrowser,
  openPage,
  shoot,
  SHOWN_MS,
} from '#test/support/browser.js';
import { openInvoice } from '#test/support/collecting/invoices.js';
import {
  checkView,
  dialog,
  openDashboard,
  press,
  showView,
  signIn,
  startDashboard,
} from './dashboard/stage.js';

const WIDTHS = [320, 768, 1280, 1920] as const;
const HEIGHT = 900;
const LANGUAGES = [
  { locale: 'id-ID', refund: 'Kembalikan dana', pay: 'Bayar' },
  { locale: 'en-GB', refund: 'Refund', pay: 'Pay' },
] as const;
const THIRTEEN_DIGITS = '9999999999999';
const SHOWN = 'Rp\u00a09.999.999.999.999';
const BELOW_ZERO = `−${SHOWN}`;
/** The largest payment. */
const LARGEST = '50000000000';
const STYLE = /^−?Rp\u00a0\d{1,3}(\.\d{3})*$/;

/** Each amount is whole, and in the one style; returns them. */
async function checkAmounts(t: Test, page: Page, name: string): Promise<readonly string[]> {
  const amounts = await measureAmounts(page);
  t.same(
    amounts.filter(({ text, isWhole }) => !isWhole || !STYLE.test(text)),
    [],
    `${name} shows whole amounts in one style`,
  );
  return amounts.map(({ text }) => text);
}

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const { body: pending } = await api.create({ amount: '150000', payment_method: 'QRIS' });
  const { body: paid } = await api.create({ amount: LARGEST, payment_method: 'VA_BNI' });
  await api.simulate(paid['id'], 'paid');
  // Thousands of payments would add up to as much.
  const [available = '', ...parts] = listBalanceAccounts(merchant.merchantId, 'TEST');
  const balances = [
    { account: available, amount: `-${THIRTEEN_DIGITS}` },
    ...parts.map((account) => ({ account, amount: THIRTEEN_DIGITS })),
  ];
  for (const { account, amount } of balances) {
    await sql`
      insert into balance_rows (account, currency, amount) values (${account}, 'IDR', ${amount}::text::bigint)
      on conflict (account, shard) do update set amount = excluded.amount`;
  }
  await sql`
    insert into payment_totals (merchant_id, environment, quarter, outcome, currency, events, amount)
    values (${merchant.merchantId}, 'TEST', date_trunc('hour', now()), 'paid', 'IDR', 3200, ${THIRTEEN_DIGITS}::text::bigint)`;
  await sql`
    update payments set amount = ${THIRTEEN_DIGITS}::text::bigint where id = ${String(pending['id'])}`;

  for (const { locale, refund } of LANGUAGES) {
    t.test(`the figures of home and balance fit their cards in ${locale}`, async (t) => {
      const { page, complaints } = await openDashboard(t, browser, { locale });
      await signIn(page, baseUrl, merchant.owner);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        for (const [path, figures] of [
          ['/balance', [BELOW_ZERO, SHOWN, SHOWN, SHOWN]],
          ['/', [SHOWN, SHOWN, BELOW_ZERO]],
        ] as const) {
          const name = `${path === '/' ? 'home' : 'balance'}-${width}-${locale}`;
          await showView(page, path);
          await page.getByText(BELOW_ZERO).last().waitFor({ timeout: SHOWN_MS });
          const amounts = await checkAmounts(t, page, name);
          t.same(amounts.slice(0, figures.length), figures, `${name} shows the figures`);
          await checkView(t, page, name);
        }
      }
      t.same(complaints, []);
    });

    t.test(`the dialog of a refund shows its amounts on a phone in ${locale}`, async (t) => {
      const viewport = { width: 320, height: HEIGHT };
      const { page, complaints } = await openDashboard(t, browser, { locale, viewport });
      await signIn(page, baseUrl, merchant.owner, `/payments/${String(paid['id'])}`);
      await press(page, refund);
      await dialog(page).getByRole('button', { name: refund }).waitFor({ timeout: SHOWN_MS });
      const amounts = await checkAmounts(t, page, `refund-320-${locale}`);
      t.equal(amounts.filter((text) => text === 'Rp\u00a050.000.000.000').length >= 3, true);
      t.equal(await dialog(page).locator('input').first().inputValue(), '50.000.000.000');
      await checkView(t, page, `refund-320-${locale}`);
      t.same(complaints, []);
    });

    t.test(`an exact time names the zone as all others do in ${locale}`, async (t) => {
      const { page } = await openDashboard(t, browser, { locale });
      await signIn(page, baseUrl, merchant.owner, `/payments/${String(paid['id'])}`);
      await page.locator('main time').first().hover();
      const tooltip = page.getByRole('tooltip').first();
      await tooltip.waitFor({ timeout: SHOWN_MS });
      t.match(await tooltip.innerText(), /\d{2}[:.]\d{2}[:.]\d{2}\sWIB$/);
      await showView(page, '/');
      await page.getByText(/: WIB\./).waitFor({ timeout: SHOWN_MS });
    });
  }

  t.test('an invoice of 13 digits fits every screen', async (t) => {
    const owner = await makePerson(sql, 'owner', merchant.merchantId);
    const seller = openApi(baseUrl, await beginSession(sql, owner));
    const { body } = await openInvoice(seller, { customer_name: 'PT Sumber Makmur' });
    const item = { quantity: 1, unit_amount: THIRTEEN_DIGITS };
    const items = [
      { ...item, description: 'Pembangunan gedung' },
      { ...item, description: 'Tanah' },
    ];
    await sql`
      update invoices set items = ${JSON.stringify(items)}, total = ${THIRTEEN_DIGITS}::text::bigint
       where id = ${String(body['id'])}`;
    for (const { locale, pay } of LANGUAGES) {
      const { page, complaints } = await openPage(t, browser, { locale });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        await page.goto(`${baseUrl}/invoice/${String(body['id'])}`);
        const amounts = await checkAmounts(t, page, `invoice-${width}-${locale}`);
        t.same(amounts, Array<string>(6).fill(SHOWN), 'two items, their total, the button');
        t.match(await page.locator('button').innerText(), `${pay} ${SHOWN}`);
        t.equal(await measureOverflow(page), 0);
        await shoot(page, `invoice-${width}-${locale}`);
      }
      t.same(complaints, []);
    }
  });

  t.test('the largest payment fits the narrowest phone', async (t) => {
    const viewport = { width: 320, height: HEIGHT };
    const { body } = await api.create({ amount: LARGEST, payment_method: 'VA_BNI' });
    const { page } = await openPage(t, browser, { viewport, locale: 'id-ID' });
    await page.goto(`${baseUrl}/checkout/${String(body['id'])}`);
    t.ok((await checkAmounts(t, page, 'checkout-320')).includes('Rp\u00a050.000.000.000'));
    await shoot(page, 'checkout-320');
  });
}
