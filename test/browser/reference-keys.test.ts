// Programs and the TEST key on the page of the reference: a reader makes a key or pastes one, calls and programs use it, and it
// is in the memory of the page only. A LIVE key is refused. SHOTS=<folder> keeps pictures.
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { MERCHANTS } from '#gateway/developers/openapi/documents.js';
import { makeSessionToken } from '#gateway/auth/tokens.js';
import { openPostgres } from '#store/postgres/client.js';
import { beginSession, makePerson } from '../support/accounts.js';
import { openApi } from '../support/api.js';
import {
  listViolations,
  measureOverflow,
  openBrowser,
  openPage,
  SCHEMES,
  SCREENS,
  shoot,
  SHOWN_MS,
  WIDE,
} from '../support/browser.js';
import { buildExampleCall, type Call, LANGUAGES } from '../gateway/docs/reference-snippets.js';
import { startDashboard } from './dashboard/stage.js';

const TITLES = { curl: 'curl', node: 'Node', php: 'PHP', python: 'Python' };
const SMALL = { width: 320, height: 640 };
const CREATE = '/docs/reference#/Payments/createPayment';
const USED = /use the TEST key that ends with (\w{4})/;
const panelOf = (page: Page) => page.getByRole('region', { name: 'Your TEST key' });
const programOf = (page: Page) => page.locator('.opblock.is-open .snippets pre');

async function paste(page: Page, key: string): Promise<void> {
  await panelOf(page).getByLabel('TEST key').fill(key);
  await panelOf(page).getByRole('button', { name: 'Use this key' }).click();
}

const browser = await openBrowser(t);
if (browser !== null) {
  const { baseUrl, merchant, databaseUrl } = await startDashboard(t);
  const sql = openPostgres(databaseUrl, 'test', 2);
  t.teardown(() => sql.end({ timeout: 1 }));
  const host = new URL(baseUrl).hostname;
  const document: unknown = await (await fetch(baseUrl + MERCHANTS.path)).json();

  /** A page of a person with a session, as a browser keeps it. */
  async function openAs(test: Test, role: 'owner' | 'developer' | 'finance' | 'viewer') {
    const person = await makePerson(sql, role, merchant.merchantId);
    const token = await beginSession(sql, person);
    const watched = await openPage(test, browser as NonNullable<typeof browser>, {
      viewport: WIDE,
    });
    const cookie = { name: 'service_session', value: token, domain: host, path: '/' };
    await watched.page.context().addCookies([cookie]);
    return { ...watched, session: openApi(baseUrl, token) };
  }

  /** Everything that a page could keep beyond its memory. */
  const readKept = (page: Page): Promise<string> =>
    page.evaluate<string>(`JSON.stringify([{ ...localStorage }, { ...sessionStorage },
      document.cookie, location.href, history.state])`);

  for (const role of ['owner', 'developer'] as const) {
    t.test(`a ${role} makes a TEST key on the page, and calls with it`, async (t) => {
      const { page, session, complaints, strangers } = await openAs(t, role);
      await page.goto(baseUrl + CREATE);
      const make = page.getByRole('button', { name: 'Make a TEST key' });
      await make.waitFor({ timeout: SHOWN_MS });
      await make.scrollIntoViewIfNeeded();
      t.same(await listViolations(page), [], 'axe finds nothing on the button');
      await shoot(page, `docs-key-of-${role}`, 'screen');
      await make.click();
      await panelOf(page).getByText(USED).waitFor();
      const [, lastFour = ''] = USED.exec(await panelOf(page).innerText()) ?? [];
      const listed = (await session.call('/v1/merchants/me/api-keys')).body['data'];
      t.match(listed, [{ name: 'API reference', environment: 'TEST', last_four: lastFour }]);
      const [key = ''] = /sk_test_\w{38}/.exec(await programOf(page).innerText()) ?? [];
      t.equal(key.slice(-4), lastFour, 'programs have the key');

      const open = page.locator('.opblock.is-open');
      await open.getByRole('button', { name: 'Try it out' }).click();
      await open.getByRole('button', { name: 'Execute' }).click();
      await open.locator('.live-responses-table').waitFor({ timeout: SHOWN_MS });
      t.match(await open.locator('.live-responses-table').innerText(), /^[^]*20[01][^]*checkout_/);
      t.match(await programOf(page).innerText(), key, 'the request that was sent has it too');

      t.notMatch(await readKept(page), key, 'nothing keeps it');
      await page.reload();
      await panelOf(page).getByLabel('TEST key').waitFor({ timeout: SHOWN_MS });
      t.notMatch(await page.content(), key, 'a reload forgets it');
      t.same({ complaints, strangers }, { complaints: [], strangers: [] });
    });
  }

  for (const role of ['finance', 'viewer'] as const) {
    t.test(`a ${role} sees only the field to paste a key`, async (t) => {
      const { page, complaints } = await openAs(t, role);
      const [answer] = await Promise.all([
        page.waitForResponse((each) => each.url().endsWith('/v1/auth/me')),
        page.goto(`${baseUrl}/docs/reference`),
      ]);
      t.equal(answer.status(), 200);
      await paste(page, merchant.testKey);
      await panelOf(page).getByText(USED).waitFor();
      await page.getByRole('button', { name: 'Forget the key' }).click();
      await panelOf(page).getByLabel('TEST key').waitFor();
      t.equal(await page.getByRole('button', { name: 'Make a TEST key' }).count(), 0);
      t.equal(await panelOf(page).getByRole('link').count(), 0);
      t.same(complaints, []);
    });
  }

  t.test('a session that has ended shows the field, and no button', async (t) => {
    const { page } = await openPage(t, browser, { viewport: WIDE });
    const { text: value } = makeSessionToken();
    await page.context().addCookies([{ name: 'service_session', value, domain: host, path: '/' }]);
    const [answer] = await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/v1/auth/me')),
      page.goto(`${baseUrl}/docs/reference`),
    ]);
    t.equal(answer.status(), 401);
    await panelOf(page).getByLabel('TEST key').waitFor({ timeout: SHOWN_MS });
    t.equal(await page.getByRole('button', { name: 'Make a TEST key' }).count(), 0);
  });

  t.test('a reader without a session pastes a key; a LIVE key is refused', async (t) => {
    const { page, complaints } = await openPage(t, browser, { viewport: WIDE });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(baseUrl + CREATE);
    await panelOf(page).waitFor({ timeout: SHOWN_MS });
    t.equal(await panelOf(page).getByRole('link').getAttribute('href'), '/dashboard');
    t.match(await programOf(page).innerText(), 'Bearer sk_test_…');

    for (const live of [merchant.liveKey, ` ${merchant.liveKey}\n`, 'SK_LIVE_x']) {
      await paste(page, live);
      const alert = panelOf(page).getByRole('alert').first();
      await alert
        .getByText(/takes no LIVE key, because its calls would move real money.*Paste a TEST key/)
        .waitFor();
      t.equal(await panelOf(page).getByLabel('TEST key').inputValue(), '', 'it leaves the screen');
      t.match(await programOf(page).innerText(), 'Bearer sk_test_…');
    }
    await paste(page, 'sk_test_short');
    await panelOf(page)
      .getByText(/sk_test_ and 38 letters and digits/)
      .waitFor();

    await paste(page, ` ${merchant.testKey} `);
    await panelOf(page).getByText(USED).waitFor();
    t.match(await programOf(page).innerText(), `Bearer ${merchant.testKey}`);
    t.equal(
      await page.evaluate('document.activeElement.className'),
      'key-panel',
      'the pressed button is gone, and the focus is in its place',
    );
    t.notMatch(await readKept(page), merchant.testKey);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await panelOf(page).getByLabel('TEST key').waitFor();
    t.match(await programOf(page).innerText(), 'Bearer sk_test_…');
    t.notOk(asked.includes('/v1/auth/me'), 'the page asks for no session that it has not');
    t.same(complaints, []);
  });

  t.test('an operation shows its example in four languages, to copy', async (t) => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const { page, complaints } = await openPage(t, browser, { viewport: WIDE, permissions });
    await page.goto(baseUrl + CREATE);
    const open = page.locator('.opblock.is-open');
    await open.locator('.snippets').waitFor({ timeout: SHOWN_MS });
    const place = { path: '/v1/payments', method: 'post' };
    const call = buildExampleCall(document, place, { origin: baseUrl }) as Call;
    for (const [name, title] of Object.entries(TITLES)) {
      const button = open.locator('.languages').getByRole('button', { name: title, exact: true });
      await button.press('Enter');
      t.equal(await button.getAttribute('aria-pressed'), 'true');
      const shown = LANGUAGES[name]?.write(call);
      t.equal(await programOf(page).textContent(), shown, title);
      await open.getByRole('button', { name: 'Copy', exact: true }).click();
      await open.getByRole('button', { name: 'Copied' }).waitFor();
      t.equal(await page.evaluate('navigator.clipboard.readText()'), shown);
      await open.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    }
    await page.locator('#operations-Refunds-createRefund button').first().click();
    const other = page.locator('#operations-Refunds-createRefund .snippets pre');
    t.match(await other.innerText(), /import urllib/, 'the language that was chosen last');
    const webhook = page.locator('.opblock').last();
    await webhook.locator('button').first().click();
    await webhook.locator('.responses-wrapper').waitFor();
    t.equal(await webhook.locator('.snippets').count(), 0, 'nobody calls a webhook');
    t.same(complaints, []);
  });

  for (const { name: screen, viewport } of SCREENS) {
    for (const colorScheme of SCHEMES) {
      t.test(`the panel and the programs, ${colorScheme} on a ${screen} screen`, async (t) => {
        const { page, complaints } = await openPage(t, browser, { viewport, colorScheme });
        await page.goto(baseUrl + CREATE);
        await panelOf(page).waitFor({ timeout: SHOWN_MS });
        await paste(page, merchant.liveKey);
        await panelOf(page).getByRole('alert').first().waitFor();
        const shot = (name: string) =>
          shoot(page, `docs-${colorScheme}-${screen}-${name}`, 'screen');
        await panelOf(page).scrollIntoViewIfNeeded();
        await shot('live-key');
        t.same(await listViolations(page), [], 'axe finds nothing on the refusal');
        t.equal(await measureOverflow(page), 0);
        if (screen === 'phone') {
          await page.setViewportSize(SMALL);
          t.equal(await measureOverflow(page), 0, 'the panel fits the smallest phone');
          await shot('smallest');
          await page.setViewportSize(viewport);
        }
        await paste(page, merchant.testKey);
        await panelOf(page).getByText(USED).waitFor();
        await shot('test-key');
        for (const title of Object.values(TITLES)) {
          await page.getByRole('button', { name: title, exact: true }).first().click();
          await programOf(page).scrollIntoViewIfNeeded();
          t.equal(await measureOverflow(page), 0, title);
          await shot(`program-${title}`);
        }
        t.same(await listViolations(page), [], 'axe finds nothing on programs');
        t.same(complaints, []);
      });
    }
  }
}
