// The receipt of a paid payment, on its page and as a picture, and the texts below a saved QR code. Of the customer they say
// nothing, because people send both to others.
import { buildPrivateFile, type CachedFile } from '#gateway/pages/assets.js';
import { formatDeadline, formatRupiah } from '#gateway/pages/format.js';
import { drawTexts } from './letters.js';
import { encodePng } from './png.js';
import { nameMethod, TEXTS, type Texts } from './texts.js';
import type { Language } from '#gateway/routing/visitor-language.js';
import type { Checkout } from './view.js';

const PAPER = { widthPx: 720, marginPx: 40, isCentred: false } as const;

/** Labels and values; none before the payment is paid. */
export function listReceiptRows(
  texts: Texts,
  { id, amount, receipt }: Checkout,
): readonly (readonly [label: string, value: string])[] {
  if (receipt === null) return [];
  const { method, paidAtMs } = receipt;
  return [
    [texts.amount, formatRupiah(amount)],
    ...(method === null ? [] : [[texts.method, nameMethod(method)] as const]),
    [texts.paidAt, formatDeadline(paidAtMs, texts.locale)],
    [texts.reference, id],
  ];
}

export function drawReceipt(language: Language, checkout: Checkout): CachedFile {
  const texts = TEXTS[language];
  const { environment, storefront } = checkout;
  const test = environment === 'TEST' ? [`${texts.testBadge}: ${texts.testHint}`, ''] : [];
  const rows = listReceiptRows(texts, checkout).flatMap(([label, value]) => [label, value, '']);
  const lines = ['', ...test, texts.receiptTitle, storefront.name, '', ...rows];
  return buildPrivateFile(encodePng(PAPER.widthPx, drawTexts(lines, PAPER)), '.png');
}

/** Below the QR code in its picture. */
export function listCaption({ id, amount, environment, storefront }: Checkout): readonly string[] {
  const test = environment === 'TEST' ? ['TEST'] : [];
  return [...test, storefront.name, formatRupiah(amount), id].filter((text) => text !== '');
}
