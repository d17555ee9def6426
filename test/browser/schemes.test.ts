// All pages for customers in the light and in the dark scheme, on a phone and on a wide screen: axe finds nothing (contrast
// among its rules), nothing is wider than the screen, and a scanner reads the code. SHOTS=<folder> keeps pictures.
import jsQRModule from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import t from 'tap';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { openApi } from '../support/api.js';
import {
  listViolations,
  measureOverflow,
  openBrowser,
  openPage,
  PHONE,
  shoot,
  SHOWN_MS,
  WIDE,
} from '../support/browser.js';
import { openInvoice, showInvoice, voidInvoice } from '../support/collecting/invoices.js';
import { changeLink, makeLink, makeToken } from '../support/collecting/links.js';
import { openSeller, postForm, startCollecting } from '../support/collecting/stage.js';

const jsQR = jsQRModule as unknown as typeof jsQRModule.default;
const SCREENS = [
  { name: 'phone', viewport: PHONE, locale: 'id-ID' },
  { name: 'wide', viewport: WIDE, locale: 'en-GB' },
] as const;
const GROUNDS = { light: 'rgb(242, 245, 248)', dark: 'rgb(16, 22, 28)' } as const;
const BLACK = [0, 0, 0];
const WHITE = [255, 255, 255];

const BRANDS = { yellow: '#ffe600', black: '#0a0a0a', white: '#ffffff', red: '#d7263d' } as const;
const SETTINGS = {
  display_name: 'Kopi <Kawan> & "Teman"',
  support_email: 'halo@kopi-kawan.example',
  support_phone: '+62 812 3456 7890',
  support_url: 'https://kopi-kawan.example/bantuan',
};

/** A dark ring on a transparent ground, as many logos are. */
function drawLogo(): Buffer {
  const png = new PNG({ width: 240, height: 80 });
  for (let at = 0; at < 240 * 80; at += 1) {
    const [x, y] = [(at % 240) - 40, Math.floor(at / 240) - 40];
    const isRing = Math.abs(Math.hypot(x, y) - 28) < 8;
    const isBar = x > 50 && Math.abs(y) < 10;
    png.data.set([30, 30, 60, isRing || isBar ? 255 : 0], at * 4);
  }
  return PNG.sync.write(png);
}

interface Shown {
  readonly name: string;
  readonly path: string;
  /** Brings the opened page into the state to look at. */
  readonly act?: (page: Page) => Promise<void>;
}

const LINK_TOKEN = 'x'.repeat(43);

const showOutcome = (outcome: string) => (page: Page) =>
  page.evaluate<undefined>(
    `document.querySelector('form').hidden = false;
     document.querySelector('[data-outcome=${outcome}]').hidden = false; undefined`,
  );

const browser = await openBrowser(t);
if (browser !== null) {
  const stage = await startCollecting(t);
  const { baseUrl, service } = stage;
  const api = openApi(baseUrl, service.merchant.testKey);
  const { api: seller, merchantId } = await openSeller(stage);
  await stage.sql`update merchants set business_name = 'Toko Contoh' where id = ${merchantId}`;

  const create = async (fields: object): Promise<string> => {
    const body = {
      amount: '150000',
      description: 'Kopi susu dua, roti satu',
      customer_name: 'Budi Santoso',
      cancel_url: 'https://shop.example/cart',
      ...fields,
    };
    return `/checkout/${String((await api.create(body)).body['id'])}`;
  };
  const simulate = async (outcome: string): Promise<string> => {
    const path = await create({ payment_method: 'QRIS' });
    await api.simulate(path.split('/').at(-1), outcome);
    return path;
  };
  const pathOf = (url: unknown): string => new URL(String(url)).pathname;

  const cancelled = await create({});
  await api.cancel(cancelled.split('/').at(-1));
  const link = await makeLink(seller, { amount: null, min_amount: '10000', description: 'Sabtu' });
  const closed = await makeLink(seller);
  await changeLink(seller, closed.body['id'], { active: false });
  const invoiceFields = { customer_name: 'PT Sumber Makmur', notes: 'Terima kasih.' };
  const open = await openInvoice(seller, { ...invoiceFields, due_at: '2099-12-31T16:59:00Z' });
  const voided = await openInvoice(seller, invoiceFields);
  await voidInvoice(seller, voided.body['id']);

  /** The pages of another merchant, which has this colour. */
  const openBranded = async (brandColour: string): Promise<Readonly<Record<string, string>>> => {
    const brand = await openSeller(stage);
    const patch = { method: 'PATCH', body: { ...SETTINGS, brand_colour: brandColour } } as const;
    await brand.api.call('/v1/merchants/me/settings', patch);
    const body = { content: drawLogo().toString('base64') };
    await brand.api.call('/v1/merchants/me/logo', { method: 'PUT', body });
    const made = await makeLink(brand.api);
    const invoice = await openInvoice(brand.api, invoiceFields);
    const paid = await postForm(baseUrl + pathOf(made.body['url']), { token: makeToken() });
    return {
      link: pathOf(made.body['url']),
      invoice: pathOf(invoice.body['url']),
      checkout: pathOf(new URL(paid.location, baseUrl)),
    };
  };

  const pages: readonly Shown[] = [
    { name: 'choose', path: await create({}) },
    { name: 'unknown', path: '/checkout/pay_00000000000000000000000000' },
    { name: 'qris', path: await create({ payment_method: 'QRIS' }) },
    { name: 'va', path: await create({ payment_method: 'VA_MANDIRI' }) },
    { name: 'paid', path: await simulate('paid') },
    { name: 'failed', path: await simulate('failed') },
    { name: 'cancelled', path: cancelled },
    { name: 'link', path: pathOf(link.body['url']) },
    {
      name: 'link-fault',
      path: pathOf(link.body['url']),
      act: async (page) => {
        await page.locator('input[name=amount]').fill('9.000');
        await page.locator('input[name=customer_name]').fill('Siti');
        await page.locator('button[type=submit]').click();
        await page.locator('.fault').waitFor({ timeout: SHOWN_MS });
      },
    },
    { name: 'link-closed', path: pathOf(closed.body['url']) },
    { name: 'invoice', path: pathOf(open.body['url']) },
    { name: 'invoice-void', path: pathOf(voided.body['url']) },
    { name: 'verify', path: `/dashboard/verify#${LINK_TOKEN}`, act: showOutcome('done') },
    { name: 'reset', path: `/dashboard/reset#${LINK_TOKEN}`, act: showOutcome('refused') },
    { name: 'join', path: `/dashboard/join#${LINK_TOKEN}`, act: showOutcome('invalid') },
    { name: 'verify-without-code', path: '/dashboard/verify', act: showOutcome('unreadable') },
  ];

  for (const { name: screen, ...options } of SCREENS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      t.test(`all pages in the ${colorScheme} scheme on a ${screen} screen`, async (t) => {
        const { page } = await openPage(t, browser, { ...options, colorScheme });
        for (const { name, path, act } of pages) {
          // Leaves the previous page, since a change of the fragment alone loads nothing.
          await page.goto('about:blank');
          await page.goto(baseUrl + path);
          await act?.(page);
          const ground = await page.evaluate<string>(
            'getComputedStyle(document.documentElement).backgroundColor',
          );
          t.equal(ground, GROUNDS[colorScheme], `${name} has the ground of its scheme`);
          t.same(await listViolations(page), [], `axe finds nothing on ${name}`);
          t.equal(await measureOverflow(page), 0, `${name} fits the screen`);
          await shoot(page, `${colorScheme}-${screen}-${name}`);
        }
      });
    }
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    t.test(
      `pages with the colour and the logo of a merchant in the ${colorScheme} scheme`,
      async (t) => {
        for (const { name: screen, ...options } of SCREENS) {
          const { page, complaints } = await openPage(t, browser, { ...options, colorScheme });
          for (const [word, colour] of Object.entries(BRANDS)) {
            const branded = await openBranded(colour);
            for (const [name, path] of Object.entries(branded)) {
              await page.goto(baseUrl + path);
              t.same(await listViolations(page), [], `axe finds nothing on the ${word} ${name}`);
              t.equal(await measureOverflow(page), 0, `the ${word} ${name} fits the screen`);
              const isLoaded = await page.evaluate<boolean>(
                `document.querySelector('.logo img').naturalWidth > 0`,
              );
              t.ok(isLoaded, `the ${word} ${name} shows the logo`);
              await shoot(page, `${colorScheme}-${screen}-${word}-${name}`);
            }
          }
          t.same(complaints, []);
        }
      },
    );
  }

  t.test('the QR code is dark on white in the dark scheme, and a scanner reads it', async (t) => {
    const { page } = await openPage(t, browser, { viewport: PHONE, colorScheme: 'dark' });
    await page.goto(baseUrl + (await create({ payment_method: 'QRIS' })));
    const png = PNG.sync.read(await page.locator('svg.qr').screenshot());
    const { data, width, height } = png;
    const pixelAt = (x: number, y: number): number[] => [
      ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
    ];
    t.same(pixelAt(8, Math.floor(height / 2)), WHITE, 'the quiet zone is white');
    const colours = Array.from({ length: width }, (_, x) => pixelAt(x, Math.floor(height / 2)));
    t.ok(
      colours.some((colour) => colour.every((part, at) => part === BLACK[at])),
      'the modules are black',
    );
    const found = jsQR(new Uint8ClampedArray(data), width, height, {
      inversionAttempts: 'dontInvert',
    });
    t.ok(hasValidCrc(found?.data ?? ''), 'a scanner that knows no inverted codes reads it');
  });

  t.test('an invoice in the dark scheme is printed in the light colours', async (t) => {
    const { page } = await openPage(t, browser, { viewport: WIDE, colorScheme: 'dark' });
    await page.goto(baseUrl + pathOf(open.body['url']));
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const ink = await page.evaluate<string>('getComputedStyle(document.body).color');
    t.equal(ink, 'rgb(23, 32, 42)');
  });

  t.test('a paid invoice in the dark scheme', async (t) => {
    const { page } = await openPage(t, browser, { viewport: PHONE, colorScheme: 'dark' });
    const invoice = await openInvoice(seller, invoiceFields);
    await page.goto(baseUrl + pathOf(invoice.body['url']));
    await page.locator('button[type=submit]').click();
    await waitUntil('the checkout', () => page.url().includes('/checkout/pay_'));
    await seller.simulate(new URL(page.url()).pathname.split('/').at(-1), 'paid');
    await waitUntil('the invoice is paid', async () => {
      return (await showInvoice(seller, invoice.body['id'])).body['status'] === 'paid';
    });
    await page.goto(baseUrl + pathOf(invoice.body['url']));
    t.same(await listViolations(page), []);
    await shoot(page, 'dark-phone-invoice-paid');
  });
}
