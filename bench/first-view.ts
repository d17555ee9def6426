// How heavy is the first view of a page for a phone? Chromium without a cache, on a connection of 1.6 Mbit/s with 150 ms, with a
// CPU that is four times as slow. There is no control: two commits are compared by a run of each.
//   node dist/bench/first-view.js [rounds]
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '#ops/dev/setup/chromium-binary.mjs';
import { openPostgres } from '#store/postgres/client.js';
import { median } from './figures/statistics.js';
import { openSellerSession } from './load/owner-session.js';
import { createPayments } from './load/seed-payments.js';
import { isStarted, onStage, type Stage } from './stage/stage.js';

const ROUNDS = 5;
const PAYMENTS = 1_000;
const PHONE = { width: 390, height: 844 };
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const CPU_SLOWED_BY = 4;
/** For what is loaded once nothing else is left to do, and what it moves. */
const SETTLES_MS = 2_000;
const SHOWN_MS = 60_000;

/** Before all scripts of the page. */
const WATCH = `
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;
const READ = `(() => {
  const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const sum = (list, size) => list.reduce((bytes, entry) => bytes + entry[size], 0);
  const scripts = files.filter(({ name }) => new URL(name).pathname.endsWith('.js'));
  const [paint] = performance.getEntriesByName('first-contentful-paint');
  return {
    requests: files.length,
    bytes: sum(files, 'transferSize'),
    scriptBytes: sum(scripts, 'transferSize'),
    compressedBytes: sum(scripts, 'encodedBodySize'),
    paintMs: paint ? paint.startTime : 0,
    shift: window.shift,
  };
})()`;

interface View {
  readonly name: string;
  readonly url: string;
  /** Shown once the view has its figures. */
  readonly shows: string;
}

interface Loaded {
  readonly requests: number;
  readonly bytes: number;
  /** As transferred: browsers count 300 bytes of headers for each file. */
  readonly scriptBytes: number;
  /** Of the same scripts: the compressed files alone. */
  readonly compressedBytes: number;
  readonly paintMs: number;
  /** Of the layout, as browsers report it: 0 if nothing moved. */
  readonly shift: number;
}

interface Reading extends Loaded {
  readonly shownMs: number;
}

async function readView(browser: Browser, view: View, token: string): Promise<Reading> {
  const context = await browser.newContext({ viewport: PHONE, locale: 'id-ID' });
  await context.addCookies([
    { name: 'service_session', value: token, domain: '127.0.0.1', path: '/' },
  ]);
  const page = await context.newPage();
  await slowDown(page);
  await page.addInitScript(WATCH);
  const startedAtMs = performance.now();
  await page.goto(view.url);
  await page.locator(view.shows).first().waitFor({ state: 'attached', timeout: SHOWN_MS });
  const shownMs = performance.now() - startedAtMs;
  await page.waitForLoadState('networkidle');
  await sleep(SETTLES_MS);
  const loaded = await page.evaluate<Loaded>(READ);
  await context.close();
  return { ...loaded, shownMs };
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWED_BY });
}

async function listViews({ service }: Stage): Promise<readonly View[]> {
  const base = `http://127.0.0.1:${service.port}`;
  const [id = ''] = await createPayments(service, PAYMENTS);
  return [
    { name: 'home', url: `${base}/dashboard/`, shows: 'main table tfoot' },
    { name: 'payments', url: `${base}/dashboard/payments`, shows: 'main tbody tr' },
    { name: 'checkout', url: `${base}/checkout/${id}`, shows: 'main svg.qr' },
  ];
}

async function benchFirstViews(stage: Stage, rounds: number): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('no Chromium was found: put chromium on the PATH');
  const sql = openPostgres(stage.service.databaseUrl, 'bench', 1);
  const views = await listViews(stage);
  const token = await openSellerSession(sql);
  await sql.end();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  console.log(
    '| view | requests | bytes | of scripts | compressed | first paint | figures shown | shift |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
  for (const view of views) {
    const readings: Reading[] = [];
    for (let round = 0; round < rounds; round += 1)
      readings.push(await readView(browser, view, token));
    print(view, readings);
  }
  await browser.close();
}

function print({ name }: View, readings: readonly Reading[]): void {
  const of = (read: (one: Reading) => number): number => median(readings.map(read));
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const cells = [
    ...[name, of(({ requests }) => requests), of(({ bytes }) => bytes)],
    ...[of(({ scriptBytes }) => scriptBytes), of(({ compressedBytes }) => compressedBytes)],
    ...[seconds(of(({ paintMs }) => paintMs)), seconds(of(({ shownMs }) => shownMs))],
    of(({ shift }) => shift).toFixed(3),
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

if (isStarted(import.meta.url)) {
  const [rounds = String(ROUNDS)] = process.argv.slice(2);
  await onStage((stage) => benchFirstViews(stage, Number(rounds)));
}
