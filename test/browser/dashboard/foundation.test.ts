// The frame of the dashboard in a real browser: sign-in on a phone, the switches of the shell, filters. test/flows/ has the
// sign-in on a wide screen.
import t from 'tap';
import { openBrowser, SCREENS, SHOWN_MS, WIDE } from '#test/support/browser.js';
import { useService } from '#test/support/standing/service.js';
import { payHostilePayment, tellSignInStory } from './sign-in-story.js';
import { checkView, openDashboard, signIn, waitForView } from './stage.js';

const browser = await openBrowser(t);
if (browser !== null) {
  const service = await useService();
  const { publicUrl: baseUrl, merchant } = service;
  const paymentId = await payHostilePayment(service);

  t.test('sign-in, the payments and one of them on a phone screen', (t) =>
    tellSignInStory(t, browser, service, { ...SCREENS[0], paymentId }),
  );

  t.test('an open menu of the header is in a landmark, and the name fits on a phone', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, {
      viewport: { width: 360, height: 780 },
    });
    await signIn(page, baseUrl, merchant.owner, '/payments');
    for (const menu of ['Language', 'Colours', 'Account']) {
      await page.getByRole('button', { name: menu, exact: true }).click();
      await page.getByRole('menu').waitFor({ timeout: SHOWN_MS });
      await checkView(t, page, `menu-${menu}`);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached', timeout: SHOWN_MS });
    }
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.locator('nav').getByText('Toko Contoh').waitFor({ timeout: SHOWN_MS });
    const cut = await page.evaluate<number>(
      `{ const walker = document.createTreeWalker(document.querySelector('nav'), NodeFilter.SHOW_TEXT);
         while (walker.nextNode().data !== 'Toko Contoh');
         const { scrollWidth, clientWidth } = walker.currentNode.parentElement;
         scrollWidth - clientWidth; }`,
    );
    t.ok(cut <= 0, `the name is cut by ${cut} pixels`);
    const fact = 'getComputedStyle(document.querySelector("main")).paddingTop';
    t.ok(parseFloat(await page.evaluate<string>(fact)) >= 88, 'the view begins below the header');
    t.same(complaints, []);
  });

  t.test(
    'a reload keeps the session, which no script can read, and signing out ends it',
    async (t) => {
      const { page, complaints } = await openDashboard(t, browser);
      await signIn(page, baseUrl, merchant.owner, '/payments');
      const readable = await page.evaluate<string>(
        `document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })`,
      );
      t.notMatch(readable, /cs_/);
      await page.reload();
      await page.locator('tbody tr').first().waitFor();
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.locator('input[type=email]').waitFor();
      await page.goto(`${baseUrl}/dashboard/payments`);
      await page.locator('input[type=email]').waitFor();
      t.same(complaints, []);
    },
  );

  t.test(
    'at another address than BASE_URL nobody can sign in, and the page says where',
    async (t) => {
      const { page, complaints } = await openDashboard(t, browser, { viewport: WIDE });
      const other = new URL(baseUrl);
      other.hostname = other.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
      await page.goto(`${other.origin}/dashboard/payments?status=paid`);
      await page.getByRole('heading', { name: 'Open the dashboard at its own address' }).waitFor();
      t.match(await page.locator('main').innerText(), other.origin);
      t.equal(await page.locator('input').count(), 0, 'no sign-in is offered');
      await checkView(t, page, 'other-address');
      await page.getByRole('link', { name: `${baseUrl}/dashboard/payments?status=paid` }).click();
      await page.locator('input[type=email]').waitFor();
      t.same(complaints, []);
    },
  );

  t.test('signing out that fails says so, and works again', async (t) => {
    const { page } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner);
    const openMenu = () => page.getByRole('button', { name: 'Account' }).click();
    const signOut = () => page.getByRole('menuitem', { name: 'Sign out' }).click();
    const isLoaded = page.waitForResponse(/toast-list/);
    await openMenu();
    await (await isLoaded).finished();
    await page.context().setOffline(true);
    await signOut();
    await page.getByText('You are still signed in').waitFor();
    await page.context().setOffline(false);
    await page.context().clearCookies();
    await openMenu();
    await signOut();
    await page.locator('input[type=email]').waitFor();
  });

  t.test('a wrong password is explained, with the request id', async (t) => {
    const { page } = await openDashboard(t, browser);
    await page.goto(`${baseUrl}/dashboard/sign-in`);
    await page.locator('input[type=email]').fill(merchant.owner.email);
    await page.locator('input[type=password]').fill('not-the-password');
    await page.locator('button[type=submit]').click();
    t.match(await page.locator('main').getByRole('alert').innerText(), /req_[0-9a-f]/);
  });

  t.test('filters and the environment are kept in the address', async (t) => {
    const { page, complaints } = await openDashboard(t, browser, { locale: 'id-ID' });
    await signIn(page, baseUrl, merchant.owner, '/payments?status=failed');
    await page.getByText('Tidak ada yang cocok dengan filter ini').waitFor();
    await page.getByRole('button', { name: 'Hapus filter' }).click();
    await page.locator('tbody tr').first().waitFor();
    t.match(page.url(), /\/payments$/);
    const bar = page.locator('[data-environment]');
    t.match(await bar.innerText(), /TEST/);
    await page.getByText('LIVE', { exact: true }).click();
    await page.getByText('Belum ada pembayaran LIVE', { exact: true }).waitFor();
    t.match(page.url(), /environment=LIVE/);
    t.match(await bar.innerText(), /LIVE/);
    t.same(complaints, []);
  });

  t.test('the last choice of the environment is remembered, and an address wins', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await signIn(page, baseUrl, merchant.owner, '/payments');
    const open = async (path: string, environment: string): Promise<void> => {
      await page.goto(`${baseUrl}/dashboard${path}`);
      await page.locator(`[data-environment=${environment}]`).waitFor({ timeout: SHOWN_MS });
    };
    await page.getByText('LIVE', { exact: true }).click();
    await waitForView(page, '**/dashboard/?environment=LIVE');
    await open('/payments?status=failed', 'LIVE');
    t.match(page.url(), /\/payments\?(?=.*status=failed)(?=.*environment=LIVE)/, 'a link shows it');
    await open('/payments?environment=TEST', 'TEST');
    await open('/', 'LIVE');
    const signInAs = async (person: typeof merchant.owner, environment: string): Promise<void> => {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.locator('input[type=email]').waitFor({ timeout: SHOWN_MS });
      await signIn(page, baseUrl, person);
      await page.locator(`[data-environment=${environment}]`).waitFor({ timeout: SHOWN_MS });
    };
    await signInAs((await useService()).merchant.owner, 'TEST');
    await signInAs(merchant.owner, 'LIVE');
    await page.getByText('TEST', { exact: true }).click();
    await waitForView(page, '**/dashboard/?environment=TEST');
    await open('/', 'TEST');
    t.same(complaints, []);
  });

  t.test('a style that the page did not allow is reported by the test', async (t) => {
    const { page, complaints } = await openDashboard(t, browser);
    await page.goto(`${baseUrl}/dashboard/sign-in`);
    await page.locator('input[type=email]').waitFor();
    t.same(complaints, []);
    const style = `Object.assign(document.createElement('style'), { textContent: 'p{}' })`;
    await page.evaluate(`document.body.append(${style})`);
    t.match(complaints.join(), /Content Security Policy/i);
  });
}
