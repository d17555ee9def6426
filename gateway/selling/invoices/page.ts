// The page of an invoice, which a customer reads, pays and prints.
import { computeItemAmount } from '#actors/core/invoice.js';
import type { InvoiceToPay } from '#store/postgres/links-and-invoices/invoice-payments.js';
import type { Storefront } from '#store/postgres/merchants/settings.js';
import type { StoredItem } from '#store/postgres/links-and-invoices/invoices.js';
import { formatDeadline, formatRupiah } from '#gateway/pages/format.js';
import { renderLogo, renderSupport } from '../checkout/storefronts.js';
import { TEXTS } from '../checkout/texts.js';
import type { PageLayout } from '../checkout/payable-page.js';
import { renderDocument } from '#gateway/pages/document.js';
import { renderHtml, renderVerbatim, type Html } from '#gateway/pages/html.js';
import { INVOICE_TEXTS, type InvoiceTexts, type ShownStatus } from './page-texts.js';

export interface InvoiceView {
  readonly invoice: InvoiceToPay;
  /** `paid` as soon as a payment is paid, also before the invoice knows it. */
  readonly status: ShownStatus;
  readonly storefront: Storefront;
  readonly nowMs: number;
  /** The reason why it cannot be paid now. */
  readonly fault: 'notLive' | 'unavailable' | null;
  /** For its merchant: the button does nothing. */
  readonly isPreview: boolean;
}

export function renderInvoice(layout: PageLayout, view: InvoiceView): Html {
  const { invoice, storefront } = view;
  const shared = TEXTS[layout.language];
  const texts = INVOICE_TEXTS[layout.language];
  const test = renderHtml`<p class="test"><strong>${shared.testBadge}</strong> ${shared.testHint}</p>`;
  const support = renderSupport(shared, storefront);
  const main = renderHtml`<main class="invoice">
    ${invoice.environment === 'TEST' ? test : null}
    <section class="head">
      <div>
        ${renderLogo(storefront)}
        <p class="merchant">${texts.title}</p>
        <h1 translate="no">${invoice.number ?? ''}</h1>
      </div>
      <p class="stamp ${view.status}">${texts.statuses[view.status]}</p>
    </section>
    ${renderParties(texts, view)} ${renderDates(layout, view)} ${renderItems(texts, invoice)}
    ${invoice.notes === null ? null : renderNotes(texts, invoice.notes)} ${renderEnd(texts, view)}
    ${support === null ? null : renderHtml`<section class="details">${support}</section>`}
  </main>`;
  const title = [invoice.number ?? '', formatRupiah(invoice.total), storefront.name].join(' · ');
  const state = `${texts.title}: ${texts.statuses[view.status]}. ${shared.paying(storefront.name)}.`;
  const about = invoice.environment === 'TEST' ? `${shared.testHint} ${state}` : state;
  return renderDocument(layout, { title, about, main, script: null, isRefreshing: false });
}

function renderParties(texts: InvoiceTexts, { invoice, storefront }: InvoiceView): Html {
  const { customerName, customerEmail } = invoice;
  const to = renderHtml`<div>
    <h2>${texts.to}</h2>
    <p translate="no">${customerName}</p>
    <p translate="no">${customerEmail}</p>
  </div>`;
  return renderHtml`<section class="parties">
    <div>
      <h2>${texts.from}</h2>
      <p translate="no">${storefront.name}</p>
    </div>
    ${customerName === null && customerEmail === null ? null : to}
  </section>`;
}

function renderDates(layout: PageLayout, { invoice, status }: InvoiceView): Html {
  const texts = INVOICE_TEXTS[layout.language];
  const { locale } = TEXTS[layout.language];
  const rows: readonly (readonly [string, Date | null])[] = [
    [texts.issued, invoice.finalizedAt],
    [texts.due, invoice.dueAt],
    [texts.paid, status === 'paid' ? invoice.paidAt : null],
  ];
  return renderHtml`<section class="dates">
    <dl>
      ${rows.flatMap(([label, at]) =>
        at === null
          ? []
          : renderHtml`<div>
              <dt>${label}</dt>
              <dd>
                <time datetime="${at.toISOString()}">${formatDeadline(at.getTime(), locale)}</time>
              </dd>
            </div>`,
      )}
    </dl>
  </section>`;
}

function renderItems(texts: InvoiceTexts, { items, total }: InvoiceToPay): Html {
  return renderHtml`<section class="items">
    <table>
      <thead>
        <tr>
          <th scope="col">${texts.item}</th>
          <th scope="col" class="figure">${texts.quantity}</th>
          <th scope="col" class="figure">${texts.unit}</th>
          <th scope="col" class="figure">${texts.amount}</th>
        </tr>
      </thead>
      <tbody>
        ${items.map((item) => renderItem(item))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colspan="3">${texts.total}</th>
          <td class="figure total" translate="no">${formatRupiah(total)}</td>
        </tr>
      </tfoot>
    </table>
  </section>`;
}

function renderItem({ description, quantity, unit_amount: unit }: StoredItem): Html {
  const amount = computeItemAmount({ quantity, unitAmountMinor: BigInt(unit) });
  return renderHtml`<tr>
    <td class="what">${description}</td>
    <td class="figure count">${quantity}</td>
    <td class="figure unit" translate="no">${formatRupiah(unit)}</td>
    <td class="figure" translate="no">${formatRupiah(String(amount))}</td>
  </tr>`;
}

function renderNotes(texts: InvoiceTexts, notes: string): Html {
  return renderHtml`<section class="notes">
    <h2>${texts.notes}</h2>
    <p>${notes}</p>
  </section>`;
}

/** The button to pay, or the text of an invoice that needs no payment. */
function renderEnd(texts: InvoiceTexts, view: InvoiceView): Html {
  const { status, fault, invoice } = view;
  if (status === 'void') return renderLast(texts.voided);
  if (status === 'paid') return renderLast(texts.thanks);
  if (fault === 'notLive') return renderLast(texts.notLive);
  const isOverdue = invoice.dueAt !== null && invoice.dueAt.getTime() < view.nowMs;
  return renderHtml`<section class="entry">
    ${fault === null ? null : renderHtml`<p class="fault" role="alert">${texts.unavailable}</p>`}
    ${isOverdue ? renderHtml`<p class="overdue">${texts.overdue}</p>` : null}
    ${renderButton(texts, view)}
  </section>`;
}

function renderButton(texts: InvoiceTexts, { invoice, isPreview }: InvoiceView): Html {
  const label = renderHtml`${texts.button} ${renderVerbatim(formatRupiah(invoice.total))}`;
  const hint = renderHtml`<p class="hint">${texts.next}</p>`;
  if (isPreview) return renderHtml`<button type="button">${label}</button> ${hint}`;
  return renderHtml`<form method="post" action="/invoice/${invoice.id}/payment">
    <button type="submit">${label}</button>
    ${hint}
  </form>`;
}

const renderLast = (text: string): Html =>
  renderHtml`<section class="last" role="status"><p>${text}</p></section>`;
