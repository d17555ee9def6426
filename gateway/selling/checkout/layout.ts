// The layout of every checkout page: head, the card with amount and merchant, foot.
import { renderDocument } from '#gateway/pages/document.js';
import { renderAround, renderHtml, renderVerbatim, type Html } from '#gateway/pages/html.js';
import { renderCopyButton } from './copy-button.js';
import { formatDeadline, formatRupiah } from '#gateway/pages/format.js';
import type { Storefront } from '#store/postgres/merchants/settings.js';
import { listStyles, NO_STOREFRONT, renderLogo, renderSupport } from './storefronts.js';
import { TEXTS, type Texts } from './texts.js';
import type { Language } from '#gateway/routing/visitor-language.js';
import type { Checkout } from './view.js';

export interface Layout {
  readonly language: Language;
  readonly texts: Texts;
  /** The name of the service, from the configuration. */
  readonly brand: string;
  /** Paths of the style sheet, the script and the picture beside the title. */
  readonly assets: { readonly css: string; readonly js: string; readonly icon: string };
  /** The address of the picture that chats show beside a link. */
  readonly picture: string;
}

export function createLayout(
  language: Language,
  { brand, baseUrl }: { readonly brand: string; readonly baseUrl: string },
  pathOf: (name: string) => string,
): Layout {
  const assets = {
    css: pathOf('checkout.css'),
    js: pathOf('checkout.js'),
    icon: pathOf('icon.svg'),
  };
  const picture = baseUrl + pathOf('preview.png');
  return { language, texts: TEXTS[language], brand, assets, picture };
}

interface Document {
  readonly title: string;
  readonly about: string | null;
  readonly main: Html;
  readonly storefront: Storefront;
  /** The page loads the script that keeps it up to date. */
  readonly isLive: boolean;
  /** Reloads without scripts too; off while the customer fills in a form. */
  readonly isRefreshing: boolean;
}

function render(layout: Layout, { title, about, main, storefront, ...kind }: Document): Html {
  const { assets, brand, language, picture } = layout;
  const script = kind.isLive ? assets.js : null;
  const { isRefreshing } = kind;
  return renderDocument(
    {
      ...{ language, brand, picture, icon: assets.icon },
      styles: [assets.css, ...listStyles(storefront)],
    },
    { title, about, main, script, isRefreshing },
  );
}

/** The page of a payment; `content` belongs to its phase. */
export function renderCheckout(
  layout: Layout,
  checkout: Checkout,
  content: Html,
  isRefreshing: boolean,
): Html {
  const { texts } = layout;
  const { amount, storefront } = checkout;
  const title = `${formatRupiah(amount)} · ${storefront.name}`;
  const isLive = ['choose', 'pay', 'wait', 'paid'].includes(checkout.phase);
  const main = renderHtml`<main
    data-id="${checkout.id}"
    data-revision="${checkout.revision}"
    data-stage="${checkout.phase}"
  >
    ${checkout.environment === 'TEST' ? renderTestPanel(texts, checkout) : null}
    <section class="bill">
      ${renderLogo(storefront)}
      <p class="merchant">${renderAround(texts.paying, storefront.name)}</p>
      ${renderAmount(texts, checkout)}
    </section>
    ${content} ${renderDetails(texts, checkout)}
  </main>`;
  const about = describe(texts, checkout);
  return render(layout, { title, about, main, storefront, isLive, isRefreshing });
}

/** People see it in chats: it says nothing of the customer, or of what is bought. */
function describe(texts: Texts, { phase, storefront, expiresAtMs, environment }: Checkout): string {
  const state =
    phase === 'choose' || phase === 'pay'
      ? `${texts.payBefore} ${formatDeadline(expiresAtMs, texts.locale)}`
      : texts.outcomes[phase].title;
  const about = `${texts.paying(storefront.name)}. ${state}.`;
  return environment === 'TEST' ? `${texts.testHint} ${about}` : about;
}

/** Apps of banks ask for the digits alone, so that these are copied. */
function renderAmount(texts: Texts, { amount, phase }: Checkout): Html {
  return renderHtml`<p class="amount">
    <output translate="no">${formatRupiah(amount)}</output>
    ${phase === 'pay' ? renderCopyButton(texts, texts.amount, amount) : null}
  </p>`;
}

/** A page without a payment. */
export function renderMessage(layout: Layout, message: { title: string; text: string }): Html {
  const main = renderHtml`<main>
    <section class="outcome">
      <h1>${message.title}</h1>
      <p>${message.text}</p>
    </section>
  </main>`;
  const { title } = message;
  const kind = { about: null, storefront: NO_STOREFRONT, isLive: false, isRefreshing: false };
  return render(layout, { title, main, ...kind });
}

/** Its buttons decide the outcome while the payment can still be paid. */
function renderTestPanel(texts: Texts, { id, phase }: Checkout): Html {
  const isPayable = phase === 'choose' || phase === 'pay';
  const form = renderHtml`<form method="post" action="/checkout/${id}/simulate">
    <p id="simulate">${texts.simulateTitle}</p>
    <div role="group" aria-labelledby="simulate">
      <button name="outcome" value="paid">${texts.simulatePaid}</button>
      <button name="outcome" value="failed">${texts.simulateFailed}</button>
    </div>
  </form>`;
  return renderHtml`<aside class="test" aria-label="${texts.testLabel}">
    <p><strong>${texts.testBadge}</strong> ${texts.testHint}</p>
    ${isPayable ? form : null}
  </aside>`;
}

function renderDetails(texts: Texts, checkout: Checkout): Html {
  const customer = texts.customer.map((label, index) => ({
    label,
    value: checkout.customer[index] ?? null,
  }));
  const rows = [{ label: texts.description, value: checkout.description }, ...customer].filter(
    ({ value }) => value !== null && value !== '',
  );
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
      <div>
        <dt>${texts.reference}</dt>
        <dd>${renderVerbatim(checkout.id)}</dd>
      </div>
    </dl>
    ${renderSupport(texts, checkout.storefront)}
  </section>`;
}
