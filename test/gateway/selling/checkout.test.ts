// The hosted page: what it shows at each stage, in both languages, and that nothing a client sent is markup.
import jsQRModule from 'jsqr';
import { PNG } from 'pngjs';
import t from 'tap';
import { makeMinor } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import type { PaymentState } from '#actors/core/payment/state.js';
import { hasValidCrc } from '#actors/core/rails/emv-qr.js';
import { formatRupiah, formatTimeLeft, groupDigits } from '#gateway/pages/format.js';
import { type Layout, createLayout } from '#gateway/selling/checkout/layout.js';
import { showCheckout, showChoice, showNotFound } from '#gateway/selling/checkout/pages.js';
import { findQrPicture, renderQrSvg } from '#gateway/selling/checkout/qr-picture.js';
import { NO_STOREFRONT } from '#gateway/selling/checkout/storefronts.js';
import { chooseLanguage } from '#gateway/routing/visitor-language.js';
import {
  type Checkout,
  type CheckoutContext,
  viewCheckout,
  viewCheckoutStatus,
} from '#gateway/selling/checkout/view.js';
import { renderHtml } from '#gateway/pages/html.js';
import {
  cancel,
  choose,
  create as createAs,
  EXPIRE_COMMAND,
  simulate,
} from '#test/core/payment/samples.js';
import { paymentAfter, START_MS, type Step, tell } from '#test/support/given-when-then.js';

const jsQR = jsQRModule as unknown as typeof jsQRModule.default;
const HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'&amp;';
const HOSTILE_STOREFRONT = {
  ...NO_STOREFRONT,
  name: HOSTILE,
  supportEmail: '"><script>@example.com?subject=a&cc=b@example.com',
  supportPhone: HOSTILE,
  supportUrl: 'https://shop.example/?a="><script>',
};
const layout = (language: 'id' | 'en' = 'id'): Layout =>
  createLayout(
    language,
    { brand: HOSTILE, baseUrl: 'https://pay.example' },
    (name) => `/assets/${name}`,
  );
const bodyOf = (checkout: Checkout, language: 'id' | 'en' = 'id'): string =>
  String(showCheckout(layout(language), checkout).body);

const create = (changes: Partial<PaymentRequest>): Step => createAs('TEST', changes);
const around = (name: string, nowMs: number): CheckoutContext => ({
  storefront: { ...NO_STOREFRONT, name },
  nowMs,
  isOfferedLive: () => false,
});
const stateAfter = (...steps: readonly Step[]): PaymentState => paymentAfter(tell(...steps));
const view = (...steps: readonly Step[]): Checkout =>
  viewCheckout(stateAfter(...steps), around('Toko Contoh', START_MS + 5_000));
const expire: Step = { afterMs: 86_400_000, command: EXPIRE_COMMAND };

t.test('a template escapes what is put into it', (t) => {
  const inner = renderHtml`<b>${HOSTILE}</b>`;
  t.notMatch(inner.markup, /<script|<img|"&|'/);
  t.equal(renderHtml`${inner}${[inner, inner]}${null}${3}`.markup, `${inner.markup.repeat(3)}3`);
  t.end();
});

t.test('nothing that a merchant sent is markup', (t) => {
  const request = {
    description: HOSTILE,
    customerName: HOSTILE,
    customerEmail: HOSTILE,
    customerPhone: HOSTILE,
    successUrl: 'https://shop.example/?a="><script>',
    cancelUrl: 'https://shop.example/?a="><script>',
  };
  const checkouts = [
    view(create({ ...request, paymentMethod: 'QRIS' })),
    view(create({ ...request, paymentMethod: 'VA_MANDIRI' })),
    view(create(request)),
    view(create(request), simulate('paid')),
    view(create(request), cancel('TEST')),
  ].map((checkout) => ({ ...checkout, storefront: HOSTILE_STOREFRONT }));
  for (const checkout of checkouts) {
    const body = bodyOf(checkout);
    t.notMatch(body, /<script>|<img|onerror=alert\(2\)>'/, checkout.phase);
    t.notMatch(body, /<script(?![^>]* src=)|<style| style=|javascript:/, 'nothing is inline');
    t.match(body, /&quot;&gt;&lt;script&gt;alert/);
  }
  t.end();
});

t.test('QRIS: amount, code and customer', (t) => {
  const customer = {
    customerName: 'Budi',
    customerEmail: 'b@example.com',
    customerPhone: '+62812',
  };
  const checkout = view(create({ paymentMethod: 'QRIS', ...customer, description: 'Kopi' }));
  const body = bodyOf(checkout);
  for (const text of [
    'Rp\u00a0150.000',
    'Budi',
    'b@example.com',
    '+62812',
    'Kopi',
    'Toko Contoh',
  ]) {
    t.ok(body.includes(text), text);
  }
  t.match(body, /<svg[^>]+class="qr"/);
  t.match(body, /<strong>TEST<\/strong>/);
  t.notMatch(body, /Ganti cara/, 'the merchant chose');
  t.match(bodyOf(checkout, 'en'), /Pay with QRIS/);
  t.end();
});

/** As long as those of QRIS. */
const makePayload = (index: number): string => `${index} `.padEnd(300, 'KASIR');

t.test('a QR code reads back to its payload', (t) => {
  const { instructions } = view(create({ paymentMethod: 'QRIS' }));
  const payload = instructions?.kind === 'qr' ? instructions.payload : '';
  t.ok(hasValidCrc(payload));
  for (const text of [payload, makePayload(1)]) {
    const { data, width, height } = PNG.sync.read(findQrPicture(text).plain);
    t.equal(jsQR(new Uint8ClampedArray(data), width, height)?.data, text);
  }
  t.match(renderQrSvg(payload, 'a "label"').markup, /aria-label="a &quot;label&quot;"/);
  t.end();
});

t.test('the SVG of a QR code has the modules of its picture', (t) => {
  const text = makePayload(1);
  const { data, width } = PNG.sync.read(findQrPicture(text).plain);
  const { markup } = renderQrSvg(text, '');
  const size = Number(/viewBox="0 0 (\d+) /.exec(markup)?.[1]);
  const isDark = Array.from({ length: size * size }, () => false);
  for (const [, x, y, length] of markup.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    const start = Number(y) * size + Number(x);
    isDark.fill(true, start, start + Number(length));
  }
  const px = width / size;
  t.ok(Number.isInteger(px), 'a module has whole pixels');
  const drawn = isDark.map((_, index) => {
    const [row, column] = [Math.floor(index / size), index % size];
    return data[4 * ((row + 0.5) * px * width + (column + 0.5) * px)] === 0;
  });
  t.same(drawn, isDark);
  t.ok(isDark.includes(true));
  t.end();
});

t.test('a QR code is drawn once, and the drawings that are kept have a bound', (t) => {
  const text = makePayload(1);
  const first = findQrPicture(text);
  t.equal(findQrPicture(text), first, 'the same picture');
  t.not(findQrPicture(makePayload(2)).etag, first.etag);
  for (let index = 3; index < 503; index += 1) renderQrSvg(makePayload(index), '');
  t.not(findQrPicture(text), first, 'drawn again after many others');
  t.equal(findQrPicture(text).etag, first.etag);
  t.end();
});

t.test('a virtual account: bank, number, and the code of Mandiri', (t) => {
  const mandiri = view(create({ paymentMethod: 'VA' }), choose('VA_MANDIRI'));
  const body = bodyOf(mandiri);
  t.match(body, /virtual account <span translate="no">Mandiri<\/span>/);
  t.match(body, /data-copy="00000"/);
  t.match(body, /data-copy="000000\d{10}"/);
  t.match(body, /Ganti metode pembayaran/);
  t.notMatch(bodyOf(view(create({ paymentMethod: 'VA_BCA' }))), /Kode perusahaan/);
  t.end();
});

t.test('the choice offers what the merchant left open, within the limits of the amount', (t) => {
  const open = view(create({}));
  t.equal(open.phase, 'choose');
  t.equal(open.offeredMethods.length, 6);
  const banks = view(create({ paymentMethod: 'VA' }));
  t.notOk(banks.offeredMethods.includes('QRIS'));
  const small = view(create({ amountMinor: makeMinor(9_999n) }));
  t.notOk(small.offeredMethods.includes('VA_BCA'), 'BCA takes 10,000 and more');
  const body = bodyOf(open);
  t.match(body, /<form method="post" action="\/checkout\/pay_/);
  t.equal(body.match(/type="radio"/g)?.length, 6);
  const fault = showChoice(layout(), open, 'Tidak bisa.');
  t.equal(fault.status, 400);
  t.match(String(fault.body), /role="alert">Tidak bisa\./);
  t.end();
});

t.test('how it ended, with the way back', (t) => {
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' };
  const cases = [
    { steps: [simulate('paid')], stage: 'paid', text: 'Pembayaran berhasil', link: 'ok' },
    { steps: [simulate('failed')], stage: 'failed', text: 'Pembayaran gagal', link: 'no' },
    { steps: [cancel('TEST')], stage: 'cancelled', text: 'Pembayaran dibatalkan', link: 'no' },
    { steps: [expire], stage: 'expired', text: 'Waktu pembayaran habis', link: 'no' },
  ];
  for (const { steps, stage, text, link } of cases) {
    const checkout = view(create({ paymentMethod: 'QRIS', ...urls }), ...steps);
    t.equal(checkout.phase, stage);
    const body = bodyOf(checkout);
    t.ok(body.includes(text), text);
    t.ok(body.includes(`href="https://shop.example/${link}"`), `${stage} leads back`);
    t.notMatch(body, /<svg/, 'nothing to pay any more');
  }
  t.end();
});

t.test('the page closes on the second, before the payment is told', (t) => {
  const state = stateAfter(create({ paymentMethod: 'QRIS' }));
  const atMs = state.expiresAtMs;
  t.equal(viewCheckout(state, around('', atMs - 1)).phase, 'pay');
  t.equal(viewCheckout(state, around('', atMs)).phase, 'expired');
  const before = viewCheckoutStatus(state, atMs - 1);
  const after = viewCheckoutStatus(state, atMs);
  t.not(before.revision, after.revision, 'pages that watch are told');
  t.equal(after.status, 'pending');
  t.end();
});

t.test('the public status has nothing of the customer', (t) => {
  const state = stateAfter(
    create({ customerName: 'Budi', description: 'Kopi', referenceId: 'ord_1' }),
  );
  t.notMatch(JSON.stringify(viewCheckoutStatus(state, START_MS)), /Budi|Kopi|ord_1/);
  t.end();
});

t.test('languages', (t) => {
  const cases = [
    ['', 'id'],
    ['en', 'en'],
    ['en-US,en;q=0.9', 'en'],
    ['id-ID,id;q=0.9,en;q=0.8', 'id'],
    ['id;q=0.2, en-GB;q=0.7', 'en'],
    ['fr, en;q=0', 'id'],
    ['fr', 'id'],
    [`${'x,'.repeat(1000)}en`, 'id'],
  ] as const;
  for (const [header, language] of cases) t.equal(chooseLanguage(header), language, header);
  const reply = showNotFound(layout('en'));
  t.equal(reply.status, 404);
  t.match(String(reply.body), /<html lang="en">[^]*Payment not found/);
  t.end();
});

t.test('amounts, times and numbers', (t) => {
  t.same(['1', '999', '1000', '150000', '50000000000'].map(formatRupiah), [
    'Rp\u00a01',
    'Rp\u00a0999',
    'Rp\u00a01.000',
    'Rp\u00a0150.000',
    'Rp\u00a050.000.000.000',
  ]);
  t.same([-5, 0, 1, 60_000, 899_001, 86_400_000].map(formatTimeLeft), [
    '00:00',
    '00:00',
    '00:01',
    '01:00',
    '15:00',
    '24:00:00',
  ]);
  t.same(groupDigits('0000000012345678'), ['0000', '0000', '1234', '5678']);
  t.same(groupDigits('00000'), ['00000']);
  t.end();
});
