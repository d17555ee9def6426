// Each role in a real browser: the links of its navigation, and the forbidden state of each view that it may not open, with
// nothing of the data that the owner sees there. The expectations are written out here, not read from the product.
import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openPostgres } from '#store/postgres/client.js';
import {
  beginSession,
  makePerson,
  PASSWORD,
  type Person,
  submitKyc,
} from '#test/support/accounts.js';
import { openApi } from '#test/support/api.js';
import { openBrowser, PHONE, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { startProcess } from '#test/support/processes.js';
import { checkView, openDashboard, showView, signIn, startDashboard } from './stage.js';

const FIRST_ERROR = 400;
const FORBIDDEN = 'Your role may not see this';
const ENDPOINT = `we_${randomBytes(13).toString('hex')}`;
const LINKS = {
  owner: [
    ...['Home', 'Payments', 'Refunds', 'Balance', 'Payouts', 'Payment links', 'Invoices'],
    ...['First steps', 'API keys', 'Webhooks', 'API logs'],
    ...['Going live', 'Verification', 'Team', 'Settings'],
  ],
  developer: [
    ...['Home', 'Payments', 'Refunds', 'Balance', 'Payment links', 'Invoices'],
    ...['First steps', 'API keys', 'Webhooks', 'API logs', 'Going live', 'Team', 'Settings'],
  ],
  finance: [
    ...['Home', 'Payments', 'Refunds', 'Balance', 'Payouts', 'Payment links', 'Invoices'],
    ...['Going live', 'Verification', 'Team', 'Settings'],
  ],
  viewer: [
    ...['Home', 'Payments', 'Refunds', 'Balance', 'Payment links', 'Invoices'],
    ...['Going live', 'Team', 'Settings'],
  ],
  administrator: [
    ...['Home', 'Merchants', 'Operator tasks', 'Approvals', 'Transactions', 'Refunds', 'Payouts'],
    ...['Suspense', 'Reconciliation', 'Rails', 'Kill switches', 'Audit log', 'Administrators'],
  ],
} as const;
type MerchantRole = Exclude<keyof typeof LINKS, 'administrator'>;
type AdministratorRole = 'admin' | 'compliance' | 'treasury' | 'support';

interface View {
  readonly path: string;
  /** A text that the owner sees there, and nobody who may not open it. */
  readonly shows: string;
  readonly forbidden: readonly MerchantRole[];
}

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startDashboard(t);
  const { baseUrl, merchant, api } = stage;
  await startProcess(t, 'webhooks', stage.variables);
  const sql = openPostgres(stage.databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const { payoutId, paymentId } = await makeData();

  /** Something to hide in each view. */
  async function makeData(): Promise<{ readonly payoutId: string; readonly paymentId: string }> {
    const owner = await makePerson(sql, 'owner', merchant.merchantId);
    const session = openApi(baseUrl, await beginSession(sql, owner));
    await submitKyc(session, { legal_name: 'PT Rahasia Usaha' });
    const key = { environment: 'TEST', name: 'Kunci rahasia', scopes: ['read'] };
    await session.call('/v1/merchants/me/api-keys', { method: 'POST', body: key });
    await sql`
      insert into webhook_endpoints (id, merchant_id, environment, url, secret)
      values (${ENDPOINT}, ${merchant.merchantId}, 'TEST', 'https://rahasia.example/hook', '')`;
    const { body: paid } = await api.create({ amount: '150000' });
    await api.simulate(paid['id'], 'paid');
    const body = {
      ...{ amount: '5000', bank_code: 'BCA', account_number: '1234567890' },
      account_holder: 'Budi Rahasia',
    };
    const path = '/v1/merchants/me/payouts?environment=TEST';
    const headers = { 'idempotency-key': 'payout' };
    const { body: payout } = await session.call(path, { method: 'POST', body, headers });
    await waitUntil('the logs are written', async () => {
      return (await sql`select 1 from api_logs where method = 'POST'`).length > 0;
    });
    return { payoutId: String(payout['id']), paymentId: String(paid['id']) };
  }

  const VIEWS: readonly View[] = [
    { path: '/payouts', shows: 'Budi Rahasia', forbidden: ['developer', 'viewer'] },
    { path: `/payouts/${payoutId}`, shows: 'Budi Rahasia', forbidden: ['developer', 'viewer'] },
    { path: '/payouts/new', shows: 'Account holder', forbidden: ['developer', 'viewer'] },
    { path: '/invoices/new', shows: 'Name of the customer', forbidden: ['developer', 'viewer'] },
    { path: '/first-steps', shows: 'Make a TEST key', forbidden: ['finance', 'viewer'] },
    { path: '/api-keys', shows: 'Kunci rahasia', forbidden: ['finance', 'viewer'] },
    { path: '/webhooks', shows: 'rahasia.example', forbidden: ['finance', 'viewer'] },
    { path: `/webhooks/${ENDPOINT}`, shows: 'rahasia.example', forbidden: ['finance', 'viewer'] },
    { path: '/webhooks/dead-letters', shows: 'No dead letters', forbidden: ['finance', 'viewer'] },
    { path: '/api-logs', shows: 'POST /v1/payments', forbidden: ['finance', 'viewer'] },
    { path: '/verification', shows: 'PT Rahasia Usaha', forbidden: ['developer', 'viewer'] },
    {
      path: '/settings/erasures',
      shows: 'Erase a customer',
      forbidden: ['developer', 'finance', 'viewer'],
    },
  ];
  /** Views of merchants that an administrator, who has none, may not open. */
  const OF_MERCHANTS = [
    ...['/payments', '/refunds', '/balance', '/payment-links', '/invoices', '/team', '/settings'],
    ...['/going-live', '/settings/notifications'],
    ...VIEWS.map(({ path }) => path),
  ];
  /** Buttons and links that change something, with the roles that see them. */
  const CONTROLS: readonly (readonly [string, RegExp, readonly AdministratorRole[]])[] = [
    [`/admin/merchants/${merchant.merchantId}`, /^Approve/, ['admin', 'compliance']],
    [`/admin/transactions/${paymentId}`, /^Refund/, ['admin', 'treasury']],
    ['/admin/approvals', /^Propose a correction/, ['admin', 'treasury']],
    ['/admin/corrections', /^Propose/, ['admin', 'treasury']],
    ['/admin/switches', /^Stop: /, ['admin']],
    ['/admin/administrators', /^Disable: /, ['admin']],
  ];
  const readLinks = (page: Page): Promise<string[]> =>
    page.locator('nav[aria-label="Main navigation"] a').allInnerTexts();
  /** Opens the dashboard for a role that the API refuses something. `statuses`: of all its answers that are errors. */
  const openRefused = async (t: Test, person: Person, path: string) => {
    const watched = await openDashboard(t, browser, { viewport: WIDE }, [/\/v1\/merchants\//]);
    const { page, complaints } = watched;
    const statuses = new Set<number>();
    await signIn(page, baseUrl, { email: person.email, password: PASSWORD }, path);
    page.on('response', (response) => {
      if (response.status() >= FIRST_ERROR) statuses.add(response.status());
    });
    return { page, complaints, statuses };
  };

  t.test('the owner sees every link, and the data of every view', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
    await signIn(page, baseUrl, merchant.owner);
    t.strictSame(await readLinks(page), LINKS.owner);
    for (const { path, shows } of VIEWS) {
      await showView(page, path);
      await page.locator('main').getByText(shows).first().waitFor({ timeout: SHOWN_MS });
      t.equal(await page.getByText(FORBIDDEN).count(), 0, path);
    }
    t.same(complaints, []);
  });

  for (const role of ['developer', 'finance', 'viewer'] as const) {
    t.test(`the role ${role} has its links, and sees nothing of the other views`, async (t) => {
      const person = await makePerson(sql, role, merchant.merchantId);
      const { page, complaints, statuses } = await openRefused(t, person, '/settings/erasures');
      t.strictSame(await readLinks(page), LINKS[role]);
      for (const { path, shows, forbidden } of VIEWS) {
        await showView(page, path);
        const main = page.locator('main');
        if (!forbidden.includes(role)) {
          await main.getByText(shows).first().waitFor({ timeout: SHOWN_MS });
          continue;
        }
        await main.getByText(FORBIDDEN).first().waitFor({ timeout: SHOWN_MS });
        t.notMatch(await main.innerText(), shows, path);
      }
      await checkView(t, page, `${role}-forbidden`);
      await showView(page, `/admin/merchants/${merchant.merchantId}`);
      t.notMatch(page.url(), /admin/);
      t.same([complaints, [...statuses]], [[], [403]]);
    });
  }

  t.test('an administrator has its own links, and no view of a merchant', async (t) => {
    const admin = await makePerson(sql, 'admin', null);
    const { page, complaints, statuses } = await openRefused(t, admin, '/payments');
    t.strictSame(await readLinks(page), LINKS.administrator);
    for (const path of OF_MERCHANTS) {
      await showView(page, path);
      await page.locator('main').getByText(FORBIDDEN).first().waitFor({ timeout: SHOWN_MS });
      t.notMatch(await page.locator('main').innerText(), /rahasia|Rp\s?\d/i, path);
    }
    await page.setViewportSize(PHONE);
    await checkView(t, page, 'admin-forbidden-phone');
    t.same([complaints, [...statuses]], [[], [403]]);
  });

  for (const role of ['admin', 'compliance', 'treasury', 'support'] as const) {
    t.test(`the administrator role ${role} sees every link, and only its controls`, async (t) => {
      const { email } = await makePerson(sql, role, null);
      const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
      await signIn(page, baseUrl, { email, password: PASSWORD }, '/admin/merchants');
      t.strictSame(await readLinks(page), LINKS.administrator);
      const seen: string[] = [];
      for (const [path, name] of CONTROLS) {
        await showView(page, path);
        const main = page.locator('main');
        const controls = main.getByRole('button', { name }).or(main.getByRole('link', { name }));
        if ((await controls.count()) > 0) seen.push(path);
        await checkView(t, page, `administrator-${role}-${path.split('/')[2] ?? ''}`);
      }
      const expected = CONTROLS.filter(([, , roles]) => roles.includes(role));
      t.strictSame(
        seen,
        expected.map(([path]) => path),
      );
      t.same(complaints, []);
    });
  }
}
