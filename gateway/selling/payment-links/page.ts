// The page of a payment link: title and price, and a form that leads to the hosted page of a payment.
import { PAYMENT_METHODS } from '#actors/core/payment-methods.js';
import type { LinkClosed } from '#store/postgres/links-and-invoices/link-uses.js';
import type { Storefront } from '#store/postgres/merchants/settings.js';
import type { PaymentLink } from '#store/postgres/links-and-invoices/payment-links.js';
import { formatDeadline, formatRupiah } from '#gateway/pages/format.js';
import { renderLogo, renderSupport } from '../checkout/storefronts.js';
import { TEXTS } from '../checkout/texts.js';
import type { Language } from '#gateway/routing/visitor-language.js';
import type { PageLayout } from '../checkout/payable-page.js';
import { renderDocument } from '#gateway/pages/document.js';
import { renderAround, renderHtml, renderVerbatim, type Html } from '#gateway/pages/html.js';
import { type LinkFault, LINK_TEXTS, type LinkTexts } from './page-texts.js';

export interface LinkView {
  readonly link: PaymentLink;
  readonly storefront: Storefront;
}

/** The values of the form. `token` makes the submission idempotent. */
export interface FormState {
  readonly token: string;
  readonly amount: string;
  readonly name: string;
  readonly email: string;
  /** The error of the previous submission. */
  readonly fault: LinkFault | null;
}

export function renderLink(layout: PageLayout, view: LinkView, form: FormState): Html {
  const texts = LINK_TEXTS[layout.language];
  const { amount } = view.link;
  return renderCard(
    layout,
    view,
    renderHtml`<section class="entry">
      <form method="post" action="/pay/${view.link.slug}">
        ${
          form.fault === null
            ? null
            : renderHtml`<p class="fault" role="alert">${texts.faults[form.fault]}</p>`
        }
        <input type="hidden" name="token" value="${form.token}" />
        ${amount === null ? renderAmount(texts, view.link, form) : null}
        ${renderCustomer(texts, form)}
        <button type="submit">
          ${texts.button} ${amount === null ? null : renderVerbatim(formatRupiah(amount))}
        </button>
        <p class="hint">${texts.next}</p>
      </form>
    </section>`,
  );
}

/** The page of a link that takes no payment now. */
export function renderClosed(
  layout: PageLayout,
  view: LinkView,
  reason: Exclude<LinkClosed, 'missing'>,
): Html {
  const { title, text } = LINK_TEXTS[layout.language].closed[reason];
  return renderCard(
    layout,
    view,
    renderHtml`<section class="outcome" role="status">
      <h2>${title}</h2>
      <p>${text}</p>
    </section>`,
  );
}

function renderCard(layout: PageLayout, { link, storefront }: LinkView, content: Html): Html {
  const shared = TEXTS[layout.language];
  const test = renderHtml`<p class="test"><strong>${shared.testBadge}</strong> ${shared.testHint}</p>`;
  const support = renderSupport(shared, storefront);
  const main = renderHtml`<main>
    ${link.environment === 'TEST' ? test : null}
    <section class="bill">
      ${renderLogo(storefront)}
      <p class="merchant">${renderAround(shared.paying, storefront.name)}</p>
      <h1>${link.title}</h1>
      ${link.description === null ? null : renderHtml`<p class="about">${link.description}</p>`}
      ${link.amount === null ? null : renderHtml`<p class="amount" translate="no">${formatRupiah(link.amount)}</p>`}
      ${renderBounds(layout.language, link)}
    </section>
    ${content} ${support === null ? null : renderHtml`<section class="details">${support}</section>`}
  </main>`;
  const price = link.amount === null ? [] : [formatRupiah(link.amount)];
  const title = [link.title, ...price, storefront.name].join(' · ');
  const offer = link.description?.replace(/\s+/g, ' ') ?? `${shared.paying(storefront.name)}.`;
  const about = link.environment === 'TEST' ? `${shared.testHint} ${offer}` : offer;
  return renderDocument(layout, { title, about, main, script: null, isRefreshing: false });
}

/** The expiry and the remaining uses, if the link has such limits. */
function renderBounds(language: Language, link: PaymentLink): Html | null {
  const { expiresAt, maxUses, uses } = link;
  const texts = LINK_TEXTS[language];
  const end =
    expiresAt === null ? null : formatDeadline(expiresAt.getTime(), TEXTS[language].locale);
  const left = maxUses === null ? 0 : maxUses - uses;
  if (end === null && left <= 0) return null;
  return renderHtml`<p class="hint">
    ${end === null ? null : `${texts.until} ${end}. `}${left > 0 ? texts.left(String(left)) : null}
  </p>`;
}

function renderAmount(
  texts: LinkTexts,
  { minAmount, maxAmount }: PaymentLink,
  form: FormState,
): Html {
  const least = formatRupiah(minAmount ?? '1');
  // The largest amount that any method takes is the default, not a bound that the merchant chose.
  const isUnbounded = maxAmount === null || BigInt(maxAmount) >= PAYMENT_METHODS.VA.maxAmountMinor;
  const hint = isUnbounded
    ? renderAround(texts.atLeast, least)
    : renderAround(texts.between, least, formatRupiah(maxAmount));
  const isWrong = form.fault === 'amount' || form.fault === 'bounds';
  return renderHtml`<label class="field">
    <span>${texts.amount}</span>
    <span class="money">
      <span aria-hidden="true" translate="no">Rp</span>
      <input
        name="amount"
        inputmode="numeric"
        autocomplete="off"
        maxlength="40"
        required
        value="${form.amount}"
        aria-describedby="amount-hint"
        ${isWrong ? renderHtml`aria-invalid="true"` : null}
      />
    </span>
    <small id="amount-hint">${hint}</small>
  </label>`;
}

function renderCustomer(texts: LinkTexts, { name, email, fault }: FormState): Html {
  return renderHtml`<label class="field">
      <span>${texts.name} <small>(${texts.optional})</small></span>
      <input name="customer_name" autocomplete="name" maxlength="128" value="${name}" />
    </label>
    <label class="field">
      <span>${texts.email} <small>(${texts.optional})</small></span>
      <input
        type="email"
        name="customer_email"
        autocomplete="email"
        maxlength="254"
        value="${email}"
        ${fault === 'email' ? renderHtml`aria-invalid="true"` : null}
      />
    </label>`;
}
