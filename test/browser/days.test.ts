// Days in a real browser: a day that does not exist is refused at its field, a filter that is shown is applied, and the days of
// invoices, links, statements and filters are days in Jakarta, also for a person in Makassar.
import type { Page } from 'playwright-core';
import t from 'tap';
import { DAY_MS, findDay } from '#actors/core/days.js';
import { beginSession, makePerson } from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  checkView,
  confirm,
  openDashboard,
  press,
  saveFile,
  showView,
  signIn,
  startDashboard,
  waitForView,
  waitUntilShown,
} from './dashboard/stage.js';

const ME = '/v1/merchants/me';
const MANY_DIGITS = '20266-12-31';
const REFUSED = 'Enter a day with a year of four digits';
/** 4 December in Jakarta, 5 December in Makassar. */
const END_OF_DAY = '2027-12-04T16:59:59.999Z';
const MAKASSAR = { locale: 'en-GB', timezoneId: 'Asia/Makassar', viewport: WIDE };

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  const sql = openPostgres(stage.databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));
  const owner = await makePerson(sql, 'owner', merchant.merchantId);
  const session = openApi(baseUrl, await beginSession(sql, owner));
  const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
    page.getByText(text).first().waitFor({ timeout: SHOWN_MS });
  const draftInvoice = async (dueAt: string): Promise<string> => {
    const body = {
      ...{ environment: 'TEST', customer_name: 'PT Sumber Makmur', due_at: dueAt },
      items: [{ description: 'Kelas memasak', quantity: 1, unit_amount: '150000' }],
    };
    const answer = await session.call(`${ME}/invoices`, { method: 'POST', body });
    return String(answer.body['id']);
  };
  const readInvoice = async (id: string): Promise<unknown> =>
    (await session.call(`${ME}/invoices/${id}`)).body['due_at'];

  t.test('a last day with a year of five digits is refused at the field of a link', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/payment-links');
    await press(page, 'Make a link');
    await page.getByLabel('Title').fill('Coffee class');
    await page.getByRole('textbox', { name: 'Price' }).fill('150000');
    await page.getByLabel('Last day').fill(MANY_DIGITS);
    await confirm(page, 'Make a link');
    await waitForText(page, REFUSED);
    t.equal(await page.getByText('No connection').count(), 0);
    await page.getByLabel('Last day').fill('2027-12-31');
    await confirm(page, 'Make a link');
    await waitForView(page, '**/payment-links/plink_*');
    const id = page.url().split('/').at(-1)?.split('?')[0] ?? '';
    const { body } = await session.call(`${ME}/payment-links/${id}`);
    t.equal(body['expires_at'], '2027-12-31T16:59:59.999Z', 'the end of the day in Jakarta');
    t.same(complaints, []);
  });

  t.test(
    'such a day is refused at the field of an invoice, when saved and previewed',
    async (t) => {
      const { page, complaints } = await openDashboard(t, browser);
      const id = await draftInvoice(END_OF_DAY);
      await signIn(page, baseUrl, merchant.owner, `/invoices/${id}/edit`);
      for (const button of ['Save the draft', 'Save and preview']) {
        await page.getByLabel('Due').fill(MANY_DIGITS);
        await press(page, button);
        await waitForText(page, REFUSED);
        t.equal(await page.getByText('No connection').count(), 0);
        await page.getByLabel('Due').fill('2027-12-04');
      }
      t.equal(await readInvoice(id), END_OF_DAY, 'nothing was sent');
      t.same(complaints, []);
    },
  );

  t.test('half a day is not taken for an empty field when a draft is previewed', async (t) => {
    const { page } = await openDashboard(t, browser);
    const id = await draftInvoice(END_OF_DAY);
    await signIn(page, baseUrl, merchant.owner, `/invoices/${id}/edit`);
    const due = page.getByLabel('Due');
    await due.press('End');
    await due.press('Backspace');
    t.equal(await due.inputValue(), '4 Dec 202', 'a part of the year is gone');
    await press(page, 'Save and preview');
    await press(page, 'Save the draft');
    await waitForText(page, REFUSED);
    t.match(page.url(), /\/edit/);
    t.equal(await readInvoice(id), END_OF_DAY);
  });

  t.test('a draft that is saved untouched keeps its due time, also in Makassar', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, MAKASSAR);
    await signIn(page, baseUrl, merchant.owner);
    for (const dueAt of [END_OF_DAY, '2027-12-04T03:00:00.000Z']) {
      const id = await draftInvoice(dueAt);
      await showView(page, `/invoices/${id}/edit`);
      t.equal(await page.getByLabel('Due').inputValue(), '4 Dec 2027');
      await press(page, 'Save the draft');
      await waitForView(page, `**/invoices/${id}`);
      t.equal(await readInvoice(id), dueAt);
      await waitForText(
        page,
        dueAt === END_OF_DAY ? '4 Dec 2027, 23:59 WIB' : '4 Dec 2027, 10:00 WIB',
      );
    }
    t.same(complaints, []);
  });

  t.test(
    'a filter that is shown is applied: an unknown day is an error of list and file',
    async (t) => {
      const failing = /\/v1\/.*(?:20266-12-31|2026-02-31)/;
      const { page } = await openDashboard(t, browser, { viewport: WIDE }, [failing]);
      await api.create({ amount: '15000', payment_method: 'QRIS' });
      await signIn(page, baseUrl, merchant.owner, '/payments');
      await page.locator('tbody tr').first().waitFor({ timeout: SHOWN_MS });
      for (const [view, field] of [
        ['/payments', 'created_to'],
        ['/payouts', 'created_from'],
        ['/balance', 'from'],
        ['/api-logs', 'to'],
        ['/webhooks/dead-letters', 'from'],
      ]) {
        for (const day of [MANY_DIGITS, '2026-02-31']) {
          await showView(page, `${view}?${field}=${day}`);
          await page.locator('main [role=alert]', { hasText: `${field} must be a time` }).waitFor({
            timeout: SHOWN_MS,
          });
          await waitForText(page, REFUSED);
        }
      }
      await showView(page, '/payments');
      await page.locator('tbody tr').first().waitFor({ timeout: SHOWN_MS });
      await page.getByLabel('Until').fill(MANY_DIGITS);
      await page.getByLabel('Until').blur();
      await waitForText(page, REFUSED);
      await page.locator('tbody').waitFor({ state: 'detached', timeout: SHOWN_MS });
      await press(page, 'Export CSV');
      await page.getByRole('alert').filter({ hasText: 'must be a time' }).nth(1).waitFor({
        timeout: SHOWN_MS,
      });
      await checkView(t, page, 'payments-unknown-day');
      await press(page, 'Clear filters');
      await page.locator('tbody tr').first().waitFor({ timeout: SHOWN_MS });
    },
  );

  t.test('half a day in a filter is an error of its field', async (t) => {
    const failing = [/created_from=1.+Nov.+202$|created_from=1.+Nov.+202&/];
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE }, failing);
    await signIn(page, baseUrl, merchant.owner, '/payments?created_from=2026-11-01');
    const from = page.getByLabel('From');
    t.equal(await from.inputValue(), '1 Nov 2026');
    await from.press('End');
    await from.press('Backspace');
    await page.getByLabel('Until').focus();
    await waitForText(page, REFUSED);
    t.same(complaints, []);
  });

  t.test('a day is shown and taken in the language of the page, not of the browser', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, {
      ...{ locale: 'en-US', viewport: WIDE },
    });
    await page.addInitScript(`localStorage.setItem('dashboard.language', 'id')`);
    await signIn(page, baseUrl, merchant.owner, '/payments?created_from=2026-12-04');
    const from = page.getByLabel('Dari');
    t.equal(await from.inputValue(), '4 Des 2026');
    for (const [written, day] of [
      ['5/12/2026', '2026-12-05'],
      ['6-8-2026', '2026-08-06'],
      ['17 agustus 2026', '2026-08-17'],
      ['2 Dec 2026', '2026-12-02'],
      ['2026-03-01', '2026-03-01'],
    ]) {
      await from.fill(String(written));
      await page.waitForURL(`**created_from=${String(day)}**`);
    }
    await from.blur();
    t.equal(await from.inputValue(), '1 Mar 2026');
    await page.getByRole('button', { name: 'Buka kalender' }).first().click();
    const calendar = page.getByRole('dialog');
    await calendar.getByText('Maret 2026').waitFor({ timeout: SHOWN_MS });
    await checkView(t, page, 'payments-calendar');
    await calendar.getByRole('button', { name: '17 Maret 2026' }).click();
    await page.waitForURL('**created_from=2026-03-17**');
    t.equal(await from.inputValue(), '17 Mar 2026');
    await page.getByRole('combobox', { name: 'Periode' }).click();
    await page.getByRole('option', { name: 'Kemarin' }).click();
    const yesterday = findDay(Date.now() - DAY_MS);
    await page.waitForURL(`**created_from=${yesterday}&created_to=${yesterday}**`);
    await page.getByRole('combobox', { name: 'Periode' }).click();
    await page.getByRole('option', { name: 'Bulan lalu' }).click();
    await page.waitForURL(/created_from=(\d{4}-\d\d)-01&created_to=\1-(28|29|30|31)/);
    await page.setViewportSize(PHONE);
    await checkView(t, page, 'payments-days-phone');
    t.same(complaints, []);
  });

  t.test('days of filters and statements are days in Jakarta, also in Makassar', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, MAKASSAR);
    const { body } = await api.create({ amount: '25000', payment_method: 'QRIS' });
    await api.simulate(body['id'], 'paid');
    await signIn(page, baseUrl, merchant.owner);
    const asked = page.waitForRequest(/\/v1\/merchants\/me\/payments\?.*created_from/);
    await showView(page, '/payments?created_from=2026-11-01&created_to=2026-11-01');
    const query = new URL((await asked).url()).searchParams;
    t.equal(query.get('created_from'), '2026-10-31T17:00:00.000Z');
    t.equal(query.get('created_to'), '2026-11-01T17:00:00.000Z');
    await showView(page, '/balance');
    await waitUntilShown(page);
    const { name, text } = await saveFile(page, 'Export CSV');
    const month = findDay(Date.now()).slice(0, 7);
    t.equal(name, `statement-${month}-01.csv`);
    const opening = new Date(`${month}-01T00:00:00+07:00`).toISOString();
    t.match(text.replaceAll('"', ''), `\r\n${opening},available,,0,IDR,opening_balance,`);
    t.same(complaints, []);
  });

  t.test(
    'relative times are rounded before their unit, and count days of the calendar',
    async (t) => {
      const [minute, hour] = [60_000, 3_600_000];
      // In Jakarta: noon, an hour before midnight, ten minutes after midnight.
      const cases = [
        ['2026-11-24T05:00:00Z', 59 * minute + 20_000, '59 minutes ago', '59 menit yang lalu'],
        ['2026-11-24T05:00:00Z', 59 * minute + 40_000, '1 hour ago', '1 jam yang lalu'],
        ['2026-11-24T05:00:00Z', 23 * hour + 20 * minute, '23 hours ago', '23 jam yang lalu'],
        ['2026-11-24T05:00:00Z', 23 * hour + 40 * minute, 'yesterday', 'kemarin'],
        ['2026-11-24T05:00:00Z', 35 * hour, 'yesterday', 'kemarin'],
        ['2026-11-24T16:00:00Z', 26 * hour, '2 days ago', /^(2 hari yang lalu|kemarin dulu)$/],
        ['2026-11-23T17:10:00Z', 23 * hour + 40 * minute, '23 hours ago', '23 jam yang lalu'],
      ] as const;
      // A key that nobody uses: uses of the others are recorded a moment later.
      const unused = 'key_00000000000000000000000000';
      await sql`
        insert into api_keys (id, merchant_id, environment, prefix, last_four, digest, scopes)
        select ${unused}, merchant_id, 'TEST', 'sk_test_0000', '0000', sha256('unused'), scopes
          from api_keys where merchant_id = ${merchant.merchantId} limit 1`;
      for (const [place, locale] of ['en-GB', 'id-ID'].entries()) {
        const { page, complaints } = await openDashboard(t, browser, { ...MAKASSAR, locale });
        await signIn(page, baseUrl, merchant.owner);
        for (const [at, laterMs, ...expected] of cases) {
          await sql`update api_keys set last_used_at = ${at} where id = ${unused}`;
          await page.clock.setFixedTime(Date.parse(at) + laterMs);
          await page.goto(`${baseUrl}/dashboard/api-keys`);
          await waitUntilShown(page);
          const shown = await page
            .locator(`time[datetime^='${at.slice(0, 16)}']`)
            .first()
            .innerText();
          t.match(shown, expected[place], `${at}, ${laterMs} ms later`);
        }
        t.same(complaints, []);
      }
    },
  );
}
