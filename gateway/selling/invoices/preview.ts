// The preview of an invoice: its page as the customer will see it, and the mails of it. Nothing is stored or sent, and the
// page of a draft stays closed.
import { findInvoiceToPay } from '#store/postgres/links-and-invoices/invoice-payments.js';
import type { InvoiceMailKind } from '#store/postgres/links-and-invoices/invoices.js';
import { findStorefront } from '#store/postgres/merchants/settings.js';
import { buildPageLayout, isBlocked } from '../checkout/payable-page.js';
import { NO_STOREFRONT } from '../checkout/storefronts.js';
import { type Answer, reply } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import { type InvoiceDeps, type InvoiceParams, MISSING } from './invoice-answers.js';
import { composeInvoiceMail, numberMail } from './invoice-mails.js';
import { findShownStatus, STYLE } from './page-handlers.js';
import { renderInvoice } from './page.js';

/** The number of a draft is known when it is finalized. */
const NO_NUMBER = 'INV-######';
/** The page is in the language of the invoice; that of a customer follows the browser. */
const NO_PREFERENCES = { accept: '', acceptEncoding: '', ifNoneMatch: '' } as const;

/** 200 with the page and the mails. */
export async function previewInvoice(
  deps: InvoiceDeps,
  { session, params }: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  const [stored] = await findInvoiceToPay(deps.accounts, params.invoice_id);
  if (stored?.merchantId !== session.merchantId) return MISSING;
  const now = new Date(deps.nowMs());
  const number = stored.number ?? NO_NUMBER;
  const invoice = { ...stored, number, finalizedAt: stored.finalizedAt ?? now };
  const storefront = (await findStorefront(deps.accounts, stored.merchantId)) ?? NO_STOREFRONT;
  const preferences = { ...NO_PREFERENCES, acceptLanguage: stored.language };
  const layout = buildPageLayout(deps, preferences, STYLE, storefront);
  const status = findShownStatus(stored);
  const fault = (await isBlocked(deps, stored)) ? 'notLive' : null;
  const view = {
    invoice,
    status,
    storefront,
    fault,
    nowMs: now.getTime(),
    isPreview: true,
  } as const;
  const compose = async (kind: InvoiceMailKind): Promise<object | null> => {
    const mail = await composeInvoiceMail(deps, stored, kind);
    if (mail === null) return null;
    const { recipient, subject, body } = numberMail(mail, number);
    return { recipient, subject, body };
  };
  const isDraft = stored.status === 'draft';
  const isOpen = stored.status === 'open' && status === 'open';
  const answer = {
    object: 'invoice_preview',
    html: renderInvoice(layout, view).markup,
    mail: isDraft || isOpen ? await compose('invoice') : null,
    reminder: isOpen ? await compose('reminder') : null,
  };
  return reply(200, JSON.stringify(answer));
}
