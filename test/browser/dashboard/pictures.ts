// Takes pictures of the views of the dashboard, to look at: light and dark, wide and phone, both languages. It needs a
// running `npm start`, and walks the navigation of the demo owner and of the demo administrator, with the first object of
// each list.
//   npm run pictures -- /tmp/pictures
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '#ops/dev/setup/chromium-binary.mjs';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { PHONE, SCHEMES, WIDE } from '#test/support/browser.js';
import { signIn, waitUntilShown } from './stage.js';

const LOOKS = [
  { name: 'wide', viewport: WIDE, locale: 'en-GB' },
  { name: 'phone', viewport: PHONE, locale: 'id-ID' },
] as const;

interface Demo {
  readonly base_url: string;
  readonly merchant: { readonly email: string; readonly password: string };
  readonly admin: { readonly email: string; readonly password: string };
}

function readDemo(): Demo {
  const folder = process.env['DATA_DIR'] ?? join(findPackageRoot(), '.data');
  return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo;
}

async function listPaths(page: Page): Promise<readonly string[]> {
  const links = await page.locator('nav a').all();
  return Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''));
}

async function shootView(page: Page, folder: string, name: string): Promise<void> {
  await waitUntilShown(page);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`), fullPage: true });
  }
}

async function walk(
  browser: Browser,
  folder: string,
  demo: Demo,
  role: 'merchant' | 'admin',
): Promise<void> {
  for (const { name, ...options } of LOOKS) {
    const page = await (await browser.newContext(options)).newPage();
    await signIn(page, demo.base_url, demo[role]);
    for (const path of await listPaths(page)) {
      await page.goto(demo.base_url + path);
      const view = path.replace(/^\/dashboard\/?/, '').replace(/[/?=]/g, '-') || 'home';
      await shootView(page, folder, `${role}-${view}-${name}`);
      const first = page.locator('tbody a').first();
      if ((await first.count()) === 0) continue;
      await first.click();
      await shootView(page, folder, `${role}-${view}-one-${name}`);
    }
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
await walk(browser, folder, readDemo(), 'merchant');
await walk(browser, folder, readDemo(), 'admin');
await browser.close();
