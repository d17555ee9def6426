// The frame of every checkout page: head, the card with amount and merchant, foot.
import { renderDocument } from '../pages/document.js';
import { renderHtml, type Html } from '../pages/html.js';
import { formatRupiah } from './format.js';
import { type Language, TEXTS, type Texts } from './texts.js';
import type { Checkout } from './view.js';

export interface Frame {
  readonly language: Language;
  readonly texts: Texts;
  /** The name of the service, from the configuration. */
  readonly brand: string;
  /** Paths of the style sheet, the script and the picture beside the title. */
  readonly assets: { readonly css: string; readonly js: string; readonly icon: string };
}

export function createFrame(
  language: Language,
  brand: string,
  pathOf: (name: string) => string,
): Frame {
  const assets = {
    css: pathOf('checkout.css'),
    js: pathOf('checkout.js'),
    icon: pathOf('icon.svg'),
  };
  return { language, texts: TEXTS[language], brand, assets };
}

interface Document {
  readonly title: string;
  readonly main: Html;
  /** The page loads the script that keeps it up to date. */
  readonly isLive: boolean;
  /** Reloads without scripts too; off while the customer fills in a form. */
  readonly isRefreshing: boolean;
}

function render(frame: Frame, { title, main, ...kind }: Document): Html {
  const { assets, brand, language } = frame;
  const script = kind.isLive ? assets.js : null;
  const { isRefreshing } = kind;
  return renderDocument(
    { language, brand, icon: assets.icon, styles: [assets.css] },
    { title, main, script, isRefreshing },
  );
}

/** The page of a payment; `content` belongs to its phase. */
export function renderCheckout(
  frame: Frame,
  checkout: Checkout,
  content: Html,
  isRefreshing: boolean,
): Html {
  const { texts } = frame;
  const { amount, merchantName } = checkout;
  const title = `${formatRupiah(amount)} · ${merchantName}`;
  const isLive = ['choose', 'pay', 'wait'].includes(checkout.phase);
  const main = renderHtml`<main
    data-id="${checkout.id}"
    data-revision="${checkout.revision}"
    data-stage="${checkout.phase}"
  >
    ${checkout.environment === 'TEST' ? renderTestBadge(texts) : null}
    <section class="bill">
      <p class="merchant">${texts.paying(merchantName)}</p>
      <p class="amount">${formatRupiah(amount)}</p>
    </section>
    ${content} ${renderDetails(texts, checkout)}
  </main>`;
  return render(frame, { title, main, isLive, isRefreshing });
}

/** A page without a payment. */
export function renderMessage(frame: Frame, message: { title: string; text: string }): Html {
  const main = renderHtml`<main>
    <section class="outcome">
      <h1>${message.title}</h1>
      <p>${message.text}</p>
    </section>
  </main>`;
  return render(frame, { title: message.title, main, isLive: false, isRefreshing: false });
}

function renderTestBadge(texts: Texts): Html {
  return renderHtml`<p class="test"><strong>${texts.testBadge}</strong> ${texts.testHint}</p>`;
}

function renderDetails(texts: Texts, checkout: Checkout): Html {
  const customer = texts.customer.map((label, index) => ({
    label,
    value: checkout.customer[index] ?? null,
  }));
  const rows = [
    { label: texts.description, value: checkout.description },
    ...customer,
    { label: texts.reference, value: checkout.id },
  ].filter(({ value }) => value !== null && value !== '');
  return renderHtml`<section class="details" aria-label="${texts.orderTitle}">
    <h2>${texts.orderTitle}</h2>
    <dl>
      ${rows.map(
        ({ label, value }) =>
          renderHtml`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}
