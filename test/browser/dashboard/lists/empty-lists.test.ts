// Lists of a new merchant in a real browser: each says what will appear in it, and leads to the view where that begins.
import t from 'tap';
import { openPostgres } from '#store/postgres/client.js';
import { makePerson, PASSWORD } from '#test/support/accounts.js';
import { openBrowser, PHONE, SHOWN_MS } from '#test/support/browser.js';
import { checkView, openDashboard, showView, signIn, startDashboard } from '../stage.js';

/** The path of a list, and of the view where its first entry begins. */
const STEPS = [
  ['/payments', '/first-steps'],
  ['/refunds', '/payments'],
  ['/payouts', '/payouts/new'],
  ['/balance', '/payments'],
  ['/api-logs', '/api-keys'],
  ['/webhooks/deliveries', '/webhooks'],
  ['/webhooks/dead-letters', '/webhooks/deliveries'],
] as const;

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl, merchant, databaseUrl } = await startDashboard(t);
  const sql = openPostgres(databaseUrl, 'test', 1);
  t.teardown(() => sql.end({ timeout: 1 }));

  for (const [locale, opens] of [
    ['en-GB', /^(?:Open .+|New payout)$/],
    ['id-ID', /^(?:Buka .+|Pencairan baru)$/],
  ] as const) {
    t.test(`an empty list leads to the next step, in ${locale}`, async (t) => {
      const { page, complaints } = await openDashboard(t, browser, { viewport: PHONE, locale });
      await signIn(page, baseUrl, merchant.owner);
      for (const environment of ['TEST', 'LIVE']) {
        for (const [path, next] of STEPS) {
          await showView(page, `${path}?environment=${environment}`);
          const step = page.locator('main').getByRole('link', { name: opens }).last();
          await step.waitFor({ timeout: SHOWN_MS });
          t.match(
            await step.getAttribute('href'),
            `/dashboard${next}`,
            `${path} in ${environment}`,
          );
          await checkView(t, page, `empty${path.replaceAll('/', '-')}-${locale}`);
        }
      }
      t.same(complaints, []);
    });
  }

  t.test('a role that may not open the next view is not led to it', async (t) => {
    const { email } = await makePerson(sql, 'finance', merchant.merchantId);
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, { email, password: PASSWORD }, '/payments');
    await page.getByText('Payments appear here').waitFor({ timeout: SHOWN_MS });
    t.equal(
      await page
        .locator('main')
        .getByRole('link', { name: /^Open / })
        .count(),
      0,
    );
    t.same(complaints, []);
  });
}
