// A real browser for tests of pages. It reports what a page complains about: errors of scripts, and whatever the
// content security policy kept it from loading.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { canInstallChromium, findChromium } from '#ops/dev/setup/chromium-binary.mjs';

const LEFT_OUT = 'no Chromium or Chrome was found: put chromium on the PATH to run this';

export const PHONE = { width: 390, height: 844 };
export const WIDE = { width: 1280, height: 800 };
export const SCREENS = [
  { name: 'phone', viewport: PHONE },
  { name: 'wide', viewport: WIDE },
] as const;
export const SCHEMES = ['light', 'dark'] as const;
/** A busy machine shows a page slowly. */
export const SHOWN_MS = 60_000;

/** null: there is none here. That is a failure where CI is set, and where the set-up could have installed one. */
export async function openBrowser(t: Test, args: readonly string[] = []): Promise<Browser | null> {
  const executablePath = findChromium();
  if (executablePath === null) {
    if (process.env['CI'] !== undefined || canInstallChromium()) t.fail(LEFT_OUT);
    else t.pass('', { skip: LEFT_OUT });
    return null;
  }
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
  t.teardown(() => browser.close());
  return browser;
}

export interface Watched {
  readonly page: Page;
  /** Errors of scripts and violations of the content security policy. */
  readonly complaints: string[];
  /** Requested addresses on other hosts. */
  readonly strangers: string[];
}

/** Of services that tests start. */
const OWN_HOSTS = ['127.0.0.1', 'localhost'];

/** Closes with the test. `isExpected`: errors of the console that are no complaints, by the address they are about. */
export async function openPage(
  t: Test,
  browser: Browser,
  options: BrowserContextOptions,
  isExpected: (address: string) => boolean = () => false,
): Promise<Watched> {
  const context = await browser.newContext(options);
  t.teardown(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on('console', (message) => {
    if (message.type() !== 'error' || isExpected(message.location().url)) return;
    complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (!OWN_HOSTS.includes(hostname) && protocol !== 'data:') strangers.push(request.url());
  });
  return { page, complaints, strangers };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe that a page breaks, contrast among them, with the elements that break them. */
export async function listViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  // Halfway between two colours the contrast is that of neither. A transition that another one replaces is rejected.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished))`);
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
       nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`,
  );
}

/** CSS pixels by which the page is wider than the screen. */
export async function measureOverflow(page: Page): Promise<number> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth');
  return width - (page.viewportSize()?.width ?? 0);
}

export interface ShownAmount {
  readonly text: string;
  /** On one line, inside the screen, its section, and the parts that cut off what is wider than they are. */
  readonly isWhole: boolean;
}

/**
 * The amounts that the page shows. Hidden parts, such as the figures of a chart for screen readers, are left out. Parts that
 * scroll hide nothing.
 */
export function measureAmounts(page: Page): Promise<readonly ShownAmount[]> {
  return page.evaluate<ShownAmount[]>(`(() => {
    const shown = [];
    const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
      const { currentNode: node } = nodes;
      const parts = [];
      for (let part = node.parentElement; part !== null; part = part.parentElement) parts.push(part);
      if (!parts[0].checkVisibility({ visibilityProperty: true })) continue;
      if (parts.some(({ clientWidth, localName }) => localName === 'template' || clientWidth === 1)) continue;
      for (const { 0: text, index } of node.data.matchAll(/−?\\b(?:Rp|IDR)\\s*[0-9](?:[0-9.,]*[0-9])?/g)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + text.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        const { left, right } = range.getBoundingClientRect();
        const scroller = parts.findIndex((part) => /auto|scroll/.test(getComputedStyle(part).overflowX));
        const around = scroller < 0 ? parts : parts.slice(0, scroller);
        const isInside = around.every((part) => {
          const style = getComputedStyle(part);
          if (part === document.documentElement) return left >= 0 && right <= part.clientWidth;
          if (style.overflowX === 'visible' && part.localName !== 'section') return true;
          const edge = part.getBoundingClientRect();
          const [begin, end] = [parseFloat(style.paddingLeft), parseFloat(style.paddingRight)];
          return left >= edge.left + begin - 1 && right <= edge.right - end + 1;
        });
        shown.push({ text, isWhole: lines.size === 1 && isInside });
      }
    }
    return shown;
  })()`);
}

/** Keeps a picture of the page, or of what the screen shows of it, in the folder SHOTS if that is set. */
export async function shoot(
  page: Page,
  name: string,
  part: 'page' | 'screen' = 'page',
): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: part === 'page' });
}
