// Takes pictures of every view of the dashboard and of the page of a payment, to look at: light and dark, wide and phone, both
// languages. It needs a running `npm start`, and shows each view of views.ts as the demo owner or the demo administrator, with
// the first object that a list links to.
//   npm run pictures -- /tmp/pictures
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '#ops/dev/setup/chromium-binary.mjs';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { openApi } from '#test/support/api.js';
import { SCHEMES, SCREENS } from '#test/support/browser.js';
import { signIn, waitUntilShown } from '../stage.js';
import { ADMIN_VIEWS, MERCHANT_VIEWS, OPEN_VIEWS, walkViews } from './views.js';

const LANGUAGES = [
  { language: 'en', locale: 'en-GB' },
  { language: 'id', locale: 'id-ID' },
] as const;

const LOOKS = SCREENS.flatMap(({ name, viewport }) =>
  LANGUAGES.map(({ language, locale }) => ({ look: `${name}-${language}`, viewport, locale })),
);

const ROLES = [
  { role: 'open', views: OPEN_VIEWS },
  { role: 'merchant', views: MERCHANT_VIEWS },
  { role: 'admin', views: ADMIN_VIEWS },
] as const;

const ORDER = {
  ...{ amount: '2275000', reference_id: 'INV-000042', description: '2 kursi rotan' },
  customer_name: 'Siti Aminah',
} as const;

interface Demo {
  readonly base_url: string;
  readonly keys: { readonly test: string };
  readonly merchant: { readonly email: string; readonly password: string };
  readonly admin: { readonly email: string; readonly password: string };
}

function readDemo(): Demo {
  const folder = process.env['DATA_DIR'] ?? join(findPackageRoot(), '.data');
  return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo;
}

async function openAs(page: Page, demo: Demo, role: (typeof ROLES)[number]['role']): Promise<void> {
  if (role !== 'open') return signIn(page, demo.base_url, demo[role], '/account');
  await page.goto(`${demo.base_url}/dashboard/register`);
  await waitUntilShown(page);
}

async function shootView(page: Page, file: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: `${file}-${colorScheme}.png`, fullPage: true });
  }
}

async function shootAll(browser: Browser, folder: string, demo: Demo): Promise<void> {
  for (const { role, views } of ROLES) {
    for (const { look, ...options } of LOOKS) {
      const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
      const page = await context.newPage();
      await openAs(page, demo, role);
      const leftOut = await walkViews(page, {
        views,
        visit: (_view, name) => shootView(page, join(folder, `${role}-${name}-${look}`)),
      });
      for (const missing of leftOut) console.warn(`${look}: there is no ${missing}`);
      await context.close();
    }
  }
}

/** The page of a new payment. */
async function shootCheckout(browser: Browser, folder: string, demo: Demo): Promise<void> {
  const api = openApi(demo.base_url, demo.keys.test);
  const { body } = await api.create({ ...ORDER, payment_method: 'QRIS' });
  for (const { look, ...options } of LOOKS) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(String(body['checkout_url']));
    await shootView(page, join(folder, `checkout-${look}`));
    await context.close();
  }
}

const [folder] = process.argv.slice(2);
const executablePath = findChromium();
if (folder === undefined || executablePath === null) {
  console.error('usage: npm run pictures -- FOLDER (it needs Chromium and a running `npm start`)');
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const demo = readDemo();
await shootAll(browser, folder, demo);
await shootCheckout(browser, folder, demo);
await browser.close();
