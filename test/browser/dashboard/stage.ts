// Shared by the browser tests of the dashboard: a service, people who are signed in, and the checks that every view must
// pass. SHOTS=<folder> keeps pictures.
import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { findFreePort } from '#ops/dev/servers/ports.js';
import type { DemoLogin } from '#ops/dev/launch/secrets.js';
import { type Api, openApi } from '#test/support/api.js';
import {
  listViolations,
  measureOverflow,
  openPage,
  SCHEMES,
  shoot,
  SHOWN_MS,
  type Watched,
} from '#test/support/browser.js';
import { type Service, type ServiceOptions, startService } from '#test/support/processes.js';
import type { TestScope } from '#test/support/servers.js';

export interface DashboardStage extends Service {
  /** With the TEST key of the merchant. */
  readonly api: Api;
}

/** A service with a merchant whose owner can sign in (`stage.merchant.owner`). */
export async function startDashboard(
  t: TestScope,
  options: ServiceOptions = {},
): Promise<DashboardStage> {
  // The cookie of a session is accepted from the origin of BASE_URL only.
  const port = await findFreePort();
  const address = { PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` };
  const variables = { ...address, ...options.variables };
  const service = await startService(t, { ...options, variables });
  return { ...service, api: openApi(service.baseUrl, service.merchant.testKey) };
}

interface Login extends Pick<DemoLogin, 'email' | 'password'> {
  /** Makes a code of the second factor, if there is one. */
  readonly makeCode?: () => Promise<string>;
}

/**
 * Opens a page that fails the test on errors of scripts and on violations of the content security policy. `failing`: other
 * addresses that the test makes answer an error, by their ends or, with ids in them, by a pattern.
 */
export async function openDashboard(
  t: Test,
  browser: Browser,
  options: BrowserContextOptions = {},
  failing: readonly (string | RegExp)[] = [],
): Promise<Watched> {
  // The dashboard asks who is signed in, and 401 answers: nobody.
  const expected = ['/v1/auth/me', ...failing];
  const isExpected = (address: string): boolean =>
    expected.some((one) => (typeof one === 'string' ? address.endsWith(one) : one.test(address)));
  return openPage(t, browser, { locale: 'en-GB', ...options }, isExpected);
}

/** Signs in, and waits for the view behind `path`. */
export async function signIn(
  page: Page,
  baseUrl: string,
  { email, password, makeCode }: Login,
  path = '/',
): Promise<void> {
  await page.goto(`${baseUrl}/dashboard${path}`);
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(password);
  await page.locator('button[type=submit]').click();
  if (makeCode !== undefined) {
    await page.locator('input[autocomplete=one-time-code]').fill(await makeCode());
    await page.locator('button[type=submit]').click();
  }
  await page.locator('#content h1').waitFor({ timeout: SHOWN_MS });
}

/**
 * Follows a link of the dashboard without loading the page anew. The router (the library leaves it in `__TSR_ROUTER__`) says
 * when the view is drawn, since the former one stays until then.
 */
export async function showView(page: Page, path: string): Promise<void> {
  const to = JSON.stringify(`/dashboard${path}`);
  await page.evaluate(`(() => {
    const { dataset } = document.documentElement;
    dataset.view = 'leaving';
    const stop = __TSR_ROUTER__.subscribe('onRendered', () => { stop(); dataset.view = 'shown'; });
    history.pushState(null, '', ${to});
    dispatchEvent(new PopStateEvent('popstate'));
  })()`);
  const root = page.locator('html:not([data-view=leaving])');
  await root.waitFor({ state: 'attached', timeout: SHOWN_MS });
  // A page that was loaded anew has no mark. A promise of it would never settle, and not say why.
  if ((await root.getAttribute('data-view')) !== 'shown')
    throw new Error(`${path} loaded the page anew: ${page.url()}`);
  await waitUntilShown(page);
}

/** Waits until the view behind `url` is drawn, after a click that opens it: the address changes before the view does. */
export async function waitForView(page: Page, url: string): Promise<void> {
  await page.waitForURL(url);
  await page.evaluate(`new Promise((shown) => {
    const { stores, subscribe, latestLocation } = __TSR_ROUTER__;
    if (stores.resolvedLocation.get()?.href === latestLocation.href) return shown();
    const stop = subscribe('onRendered', () => { stop(); shown(); });
  })`);
  await waitUntilShown(page);
}

/** The dialog that is open. */
export const dialog = (page: Page): Locator => page.getByRole('dialog');

/** Presses a button of the view; of several, the first. */
export const press = (page: Page, name: string): Promise<void> =>
  page.locator('main').getByRole('button', { name, exact: true }).first().click();

/** Presses a button of the dialog once it is open: the view often has a button of the same name. */
export const confirm = (page: Page, name: string | RegExp): Promise<void> =>
  dialog(page).getByRole('button', { name, exact: true }).click();

/** Reads the secret that is shown once, and closes its dialog. */
export async function takeSecret(page: Page): Promise<string> {
  const secret = await page.locator('[data-secret]').innerText();
  await confirm(page, 'I have stored it');
  await page.locator('[data-secret]').waitFor({ state: 'detached' });
  return secret;
}

/** Presses a button of the view that saves a file, and reads the file. */
export async function saveFile(
  page: Page,
  button: string,
): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press(page, button)]);
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), 'utf8'),
  };
}

/** On a phone, where the menu has the name of the merchant. */
export async function waitForMerchant(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: /^Menu$/ });
  await menu.click();
  await page.locator('nav').getByText(name).waitFor({ timeout: SHOWN_MS });
  await menu.click();
}

/** Waits until no part of the view is loading. */
export async function waitUntilShown(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ timeout: SHOWN_MS });
  const busy = page.locator('[aria-busy=true]').first();
  await busy.waitFor({ state: 'detached', timeout: SHOWN_MS });
}

/** The page follows the scheme a moment later; until then axe would mix the colours of both. */
async function waitForScheme(page: Page, scheme: (typeof SCHEMES)[number]): Promise<void> {
  const root = page.locator(`html[data-mantine-color-scheme=${scheme}]`);
  await root.waitFor({ state: 'attached', timeout: SHOWN_MS });
  await page.evaluate(
    'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
  );
}

/**
 * On paper a view of a merchant begins at the left edge, dark on white with contrast, whatever the screen shows. It says that
 * it is of TEST, and nothing can be pressed. Keeps a picture.
 */
export async function checkPrint(t: Test, page: Page, name: string): Promise<void> {
  await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'reduce' });
  await waitForScheme(page, 'light');
  const paper = await page.evaluate(`(() => {
    const main = document.querySelector('main');
    const { color, paddingLeft, paddingTop } = getComputedStyle(main);
    const { backgroundColor } = getComputedStyle(document.body);
    const { left, top } = main.getBoundingClientRect();
    const pressed = document.querySelectorAll('header, nav, button, [role=button], .mantine-Button-root');
    const shown = [...pressed].filter((part) => part.checkVisibility()).map((part) => part.outerHTML);
    return { backgroundColor, color, left, paddingLeft, top, paddingTop, shown };
  })()`);
  const edge = { left: 0, paddingLeft: '0px', top: 0, paddingTop: '0px' };
  const colours = { backgroundColor: 'rgb(255, 255, 255)', color: 'rgb(0, 0, 0)' };
  t.same(paper, { ...colours, ...edge, shown: [] }, name);
  t.match(await page.locator('main').innerText(), /^.+ · TEST — /);
  t.strictSame(await listViolations(page), [], `${name} on paper`);
  await shoot(page, `${name}-print`);
  await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
  await waitForScheme(page, 'dark');
}

/** Texts that the edge of a part of the view cuts off. Those that end in an ellipsis are meant to be cut. */
function listCutTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('body *')].filter((part) => {
    if (part.textContent.trim() === '') return false;
    const { overflowX, textOverflow } = getComputedStyle(part);
    const isCutting = overflowX === 'hidden' || overflowX === 'clip';
    return isCutting && textOverflow !== 'ellipsis' && part.clientWidth > 1 &&
      part.scrollWidth > part.clientWidth + 1 && part.checkVisibility();
  }).map((part) => part.className + ': ' + part.textContent.slice(0, 80))`);
}

/** axe finds nothing in light and in dark, nothing is wider than the screen or cut off; keeps a picture of each. */
export async function checkView(t: Test, page: Page, name: string): Promise<void> {
  // A tooltip below the mouse belongs to no landmark; it goes away slowly.
  await page.mouse.move(0, 0);
  await page.locator('[role=tooltip]').waitFor({ state: 'detached', timeout: SHOWN_MS });
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await waitForScheme(page, colorScheme);
    await shoot(page, `${name}-${colorScheme}`);
    t.strictSame(await listViolations(page), [], `${name}, ${colorScheme}`);
  }
  t.ok((await measureOverflow(page)) <= 0, `${name} is not wider than the screen`);
  t.strictSame(await listCutTexts(page), [], `${name} shows its texts`);
}
