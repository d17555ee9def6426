// The pages behind the links of mails in a real browser, from the mail to the login. SHOTS=<folder> keeps pictures.
import type { Page } from 'playwright-core';
import t from 'tap';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import {
  beginSession,
  makeMerchant,
  makePerson,
  PASSWORD,
  readMail,
  startGateways,
} from '../support/accounts.js';
import { type ApiAnswer, openApi } from '../support/api.js';
import { openBrowser, openPage, PHONE, shoot, WIDE } from '../support/browser.js';
import { uniqueWord } from '../support/processes.js';

const SHOWN_MS = 30_000;
const OTHER_PASSWORD = 'kata-sandi-yang-lain';
/** A wrong code or password. */
const isRefused = (address: string): boolean => address.includes('/v1/auth/');
const SIZES = [
  { name: 'phone', viewport: PHONE, locale: 'id-ID' },
  { name: 'wide', viewport: WIDE, locale: 'en-GB' },
];

const browser = await openBrowser(t);
if (browser !== null) {
  const { sql, baseUrl } = await startGateways(t);
  const anonymous = openApi(baseUrl);
  const post = (path: string, body: object): Promise<ApiAnswer> =>
    anonymous.call(`/v1/auth/${path}`, { method: 'POST', body });
  const logIn = async (email: string, password: string): Promise<number> =>
    (await post('login', { email, password })).status;
  /** The address in the newest mail, at this gateway. */
  const readLink = async (email: string): Promise<string> => {
    const mail = await waitUntil('the mail was written', () => readMail(sql, email));
    const [, path = ''] = /(\/dashboard\/\S+)/.exec(mail?.body ?? '') ?? [];
    return baseUrl + path;
  };
  const choose = async (page: Page, password: string): Promise<void> => {
    await page.locator('input[type=password]').fill(password);
    await page.locator('button').click();
  };
  const waitFor = (page: Page, outcome: string): Promise<void> =>
    page.locator(`[data-outcome=${outcome}]`).waitFor({ timeout: SHOWN_MS });

  for (const { name, ...options } of SIZES) {
    t.test(`an address is confirmed on a ${name} screen, once`, async (t) => {
      const email = `${uniqueWord()}@example.com`;
      await post('register', { email, password: PASSWORD, business_name: 'Toko Baru' });
      const link = await readLink(email);
      const { page, complaints, strangers } = await openPage(t, browser, options, isRefused);
      await page.goto(link);
      await shoot(page, `${name}-verify`);
      t.notOk(await page.locator('[data-part=code]').isVisible(), 'the link has the code');
      await choose(page, OTHER_PASSWORD);
      await waitFor(page, 'refused');
      await choose(page, PASSWORD);
      await waitFor(page, 'done');
      await shoot(page, `${name}-verify-done`);
      const [user] = await sql`
        select verified_at is not null as verified from users where email = ${email}`;
      t.equal(user?.['verified'], true);
      t.same({ complaints, strangers }, { complaints: [], strangers: [] });
      await page.reload();
      await choose(page, PASSWORD);
      await waitFor(page, 'invalid');
      await shoot(page, `${name}-verify-invalid`);
    });

    t.test(`a page without the code says so and takes it on a ${name} screen`, async (t) => {
      const { email } = await makePerson(sql, 'owner', await makeMerchant(sql));
      await post('password-reset', { email });
      const link = await readLink(email);
      const [path = '', token = ''] = link.split('#');
      const { page, complaints, strangers } = await openPage(t, browser, options, isRefused);
      const seen: string[] = [];
      page.on('request', (request) => {
        seen.push(request.url(), request.headers()['referer'] ?? '');
      });
      const code = page.locator('[data-part=code]');
      for (const address of [path, `${path}#`, `${path}#${token.slice(0, 20)}`]) {
        await page.goto('about:blank');
        await page.goto(address);
        await code.waitFor();
        t.notOk(await page.locator('[data-outcome=invalid]').isVisible(), address);
      }
      await shoot(page, `${name}-code`);
      await page.locator('input[name=code]').fill('sandi saya');
      await choose(page, OTHER_PASSWORD);
      await waitFor(page, 'unreadable');
      t.ok(await code.isVisible(), 'another try');
      await page.locator('input[name=code]').fill('x'.repeat(43));
      await choose(page, OTHER_PASSWORD);
      await waitFor(page, 'invalid');
      await page.locator('input[name=code]').fill(` ${token.slice(0, 30)} ${token.slice(30)} `);
      await choose(page, OTHER_PASSWORD);
      await waitFor(page, 'done');
      t.equal(await logIn(email, OTHER_PASSWORD), 200);
      const leaked = seen.filter((text) => text.includes(token) || text.includes(OTHER_PASSWORD));
      t.same(leaked, [], 'no address and no referer has the code or the password');
      t.same({ complaints, strangers }, { complaints: [], strangers: [] });
    });

    t.test(`a link that a mail program changed works on a ${name} screen`, async (t) => {
      for (const change of ['typed', 'counted']) {
        const { email } = await makePerson(sql, 'owner', await makeMerchant(sql));
        await post('password-reset', { email });
        const link = await readLink(email);
        const { page } = await openPage(t, browser, options);
        if (change === 'counted') await page.goto(`${link}?utm_source=mail`);
        else {
          await page.goto(link.replace(/#.*$/, ''));
          await page.locator('input[name=code]').fill(link);
        }
        await choose(page, OTHER_PASSWORD);
        await waitFor(page, 'done');
        t.equal(await logIn(email, OTHER_PASSWORD), 200, change);
      }
    });

    t.test(`a password is chosen on a ${name} screen, but not the address`, async (t) => {
      const { email } = await makePerson(sql, 'owner', await makeMerchant(sql));
      await post('password-reset', { email });
      const { page } = await openPage(t, browser, options);
      await page.goto(await readLink(email));
      await shoot(page, `${name}-reset`);
      await choose(page, email);
      await waitFor(page, 'refused');
      await shoot(page, `${name}-reset-refused`);
      await choose(page, OTHER_PASSWORD);
      await waitFor(page, 'done');
      t.equal(await logIn(email, OTHER_PASSWORD), 200);
    });

    t.test(`an invitation is accepted on a ${name} screen`, async (t) => {
      const owner = await makePerson(sql, 'owner', await makeMerchant(sql));
      const email = `${uniqueWord()}@example.com`;
      const api = openApi(baseUrl, await beginSession(sql, owner));
      const body = { email, role: 'viewer' };
      t.equal((await api.call('/v1/merchants/me/users', { method: 'POST', body })).status, 201);
      const { page } = await openPage(t, browser, options);
      await page.goto(await readLink(email));
      await shoot(page, `${name}-join`);
      await choose(page, PASSWORD);
      await waitFor(page, 'done');
      t.equal(await logIn(email, PASSWORD), 200);
    });
  }
}
