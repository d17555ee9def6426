// An amount that a person types or pastes in any usual form is that amount on the button, or the field says what is wrong.
import t from 'tap';
import { openBrowser, SHOWN_MS } from '#test/support/browser.js';
import { WRITTEN_NUMBERS } from '#test/support/written-numbers.js';
import {
  confirm,
  dialog,
  openDashboard,
  press,
  signIn,
  startDashboard,
  waitForView,
} from './stage.js';

const LANGUAGES = [
  { locale: 'en-GB', refund: 'Refund', amount: 'Amount', rule: /whole number/ },
  {
    locale: 'id-ID',
    refund: 'Kembalikan dana',
    amount: 'Jumlah',
    rule: /bilangan bulat/,
  },
] as const;

const group = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, '.');

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl, merchant, api } = await startDashboard(t);
  const createPaid = async (): Promise<string> => {
    const { id } = (await api.create({ amount: '150000', payment_method: 'QRIS' })).body;
    await api.simulate(id, 'paid');
    return String(id);
  };

  for (const { locale, refund, amount, rule } of LANGUAGES) {
    t.test(`amounts of a refund in ${locale}`, async (t) => {
      const id = await createPaid();
      const { page, complaints } = await openDashboard(t, browser, { locale });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await signIn(page, baseUrl, merchant.owner, `/payments/${id}`);
      await page.locator('[data-status=paid]').waitFor({ timeout: SHOWN_MS });
      await press(page, refund);
      const field = dialog(page).getByLabel(amount);
      const button = dialog(page).getByRole('button', { name: refund });
      const ways = {
        typed: (text: string) => field.pressSequentially(text),
        pasted: async (text: string) => {
          await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
          await field.press('ControlOrMeta+V');
        },
      };
      for (const [way, write] of Object.entries(ways)) {
        for (const [text, digits] of WRITTEN_NUMBERS) {
          await field.fill('');
          await write(text);
          await field.blur();
          const title = `${JSON.stringify(text)} ${way}`;
          if (digits === null) {
            t.ok(await button.isDisabled(), `${title}: cannot be sent`);
            t.match(await dialog(page).innerText(), rule, `${title}: the field says so`);
          } else {
            t.equal(await button.innerText(), `${refund} Rp\u00a0${group(digits)}`, title);
            t.equal(await field.inputValue(), group(digits), `${title}: the field says the same`);
          }
        }
      }
      t.same(complaints, []);
    });
  }

  t.test('a pasted amount of a refund with decimals of nought is what is refunded', async (t) => {
    const id = await createPaid();
    const { page } = await openDashboard(t, browser, { locale: 'id-ID' });
    await signIn(page, baseUrl, merchant.owner, `/payments/${id}`);
    await page.locator('[data-status=paid]').waitFor({ timeout: SHOWN_MS });
    await press(page, 'Kembalikan dana');
    await dialog(page).getByLabel('Jumlah').fill('Rp 100.000,00');
    await confirm(page, /Rp 100\.000$/);
    await dialog(page).waitFor({ state: 'detached', timeout: SHOWN_MS });
    const { body } = await api.call(`/v1/refunds?payment_id=${id}`);
    t.match(body['data'], [{ amount: '100000' }]);
  });

  t.test('the items of an invoice are read alike', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/invoices/new');
    await page.getByLabel('Name of the customer').fill('PT Sumber Makmur');
    await page.getByLabel('Description').fill('Kelas memasak');
    await page.getByLabel('Unit price').fill('150.000');
    await page.getByLabel('Quantity').fill('1e3');
    await press(page, 'Save the draft');
    await page.getByText('Enter a whole number').waitFor({ timeout: SHOWN_MS });
    await page.getByLabel('Quantity').fill('1.000');
    await press(page, 'Save the draft');
    await waitForView(page, '**/invoices/inv_*');
    t.match(await page.locator('[data-total]').innerText(), /Rp\u00a0150\.000\.000/);
    t.same(complaints, []);
  });

  t.test('the price and the limit of a link are read alike', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/payment-links');
    await press(page, 'Make a link');
    await page.getByLabel('Title').fill('Coffee class');
    await page.getByRole('textbox', { name: 'Price' }).fill('150.000');
    await page.getByLabel('Largest number of payments').fill('1,5');
    await confirm(page, 'Make a link');
    await page.getByText('Enter a whole number').waitFor({ timeout: SHOWN_MS });
    await page.getByLabel('Largest number of payments').fill('1.000');
    await confirm(page, 'Make a link');
    await waitForView(page, '**/payment-links/plink_*');
    t.match(await page.locator('main').innerText(), /Rp\u00a0150\.000[^]*0 of 1000/);
    t.same(complaints, []);
  });
}
