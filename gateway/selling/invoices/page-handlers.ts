// The page of an invoice and its button, which starts a payment. It is public: a customer who knows the address may pay.
//
// Invoice id and attempt number give the payment id, and a finalized invoice never changes. So a repeated click, or a
// click after a crash, leads to the same payment. The next attempt begins under the lock of the invoice, and only after
// the one before has failed.
import type { InvoiceId, PaymentId } from '#actors/core/ids.js';
import { parseAmount } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import {
  beginInvoicePayment,
  findInvoiceToPay,
  type InvoiceToPay,
} from '#store/postgres/links-and-invoices/invoice-payments.js';
import { isStored, derivePaymentId, submitPayment } from '#gateway/money/payments/handlers.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import { type Answer, buildApiError } from '#gateway/routing/response.js';
import type { OpenRequest, Preferences } from '#gateway/routing/request.js';
import {
  answerNotFound,
  buildPageLayout,
  describeStoreFailure,
  isBlocked,
  type PayablePageDeps,
} from '../checkout/payable-page.js';
import { buildPageReply, redirectTo, isPageRequested } from '#gateway/pages/respond.js';
import { type InvoiceView, renderInvoice } from './page.js';
import { INVOICE_TEXTS, type ShownStatus } from './page-texts.js';

/** `invoice_id` is null when the path holds none. */
export type InvoicePageParams = { readonly invoice_id: InvoiceId | null };
type PageRequest = OpenRequest<InvoicePageParams>;

export const STYLE = 'invoice.css';
/** Each concurrent click or failing payment costs one more read of the invoice. */
const MAX_READS = 4;

export async function getInvoice(deps: PayablePageDeps, request: PageRequest): Promise<Answer> {
  const invoice = await findShownInvoice(deps, request.params.invoice_id);
  if (invoice === undefined) return answerInvoiceNotFound(deps, request.preferences);
  const fault = (await isBlocked(deps, invoice)) ? 'notLive' : null;
  return showInvoicePage(deps, request.preferences, invoice, { status: 200, fault });
}

/** 303 to the hosted page of the open payment, or back to an invoice that needs no payment. */
export async function payInvoice(deps: PayablePageDeps, request: PageRequest): Promise<Answer> {
  const { preferences } = request;
  const invoice = await findShownInvoice(deps, request.params.invoice_id);
  if (invoice === undefined) return answerInvoiceNotFound(deps, preferences);
  const outcome = await payWithRetries(deps, invoice).catch((error: unknown) =>
    describeStoreFailure(deps, error),
  );
  switch (outcome.kind) {
    case 'payment':
      return redirectTo(`/checkout/${outcome.paymentId}`);
    case 'nothing':
      return redirectTo(`/invoice/${invoice.id}`);
    case 'failed':
      return showFailure(deps, preferences, invoice, outcome.code);
  }
}

type InvoicePayOutcome =
  | { readonly kind: 'payment'; readonly paymentId: PaymentId }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly code: ErrorCode };

async function payWithRetries(
  deps: PayablePageDeps,
  first: InvoiceToPay,
): Promise<InvoicePayOutcome> {
  let invoice: InvoiceToPay | undefined = first;
  for (let reads = 0; reads < MAX_READS && invoice !== undefined; reads += 1) {
    const outcome = await payOnce(deps, invoice);
    if (outcome !== 'again') return outcome;
    [invoice] = await findInvoiceToPay(deps.linksAndInvoices, first.id);
  }
  return { kind: 'failed', code: 'dependency_unavailable' };
}

/** again: the invoice has changed since it was read. */
async function payOnce(
  deps: PayablePageDeps,
  invoice: InvoiceToPay,
): Promise<InvoicePayOutcome | 'again'> {
  if (findShownStatus(invoice) !== 'open') return { kind: 'nothing' };
  const { attempt, key } = findDueAttempt(invoice);
  const paymentId = derivePaymentId(deps, invoice, key);
  // A repeated click leads to the open payment, also after the LIVE gate was closed.
  const isClosed = (await isBlocked(deps, invoice)) && !(await isStored(deps, paymentId));
  if (isClosed) return { kind: 'failed', code: 'live_not_enabled' };
  const result = await beginInvoicePayment(deps.linksAndInvoices, invoice.id, attempt, paymentId);
  switch (result) {
    case 'made':
      return { kind: 'payment', paymentId };
    case 'begin': {
      const request = buildRequest(deps, invoice);
      const answer = await submitPayment(deps, { tenant: invoice, request, idempotencyKey: key });
      // A conflict means that this attempt was begun before the base URL of the service changed: its payment exists.
      const isCreated = answer.code === null || answer.code === 'idempotency_conflict';
      return isCreated ? { kind: 'payment', paymentId } : { kind: 'failed', code: answer.code };
    }
    case 'again':
      return 'again';
    case 'not_live':
      return { kind: 'failed', code: 'live_not_enabled' };
    default:
      return { kind: 'nothing' };
  }
}

/**
 * The latest attempt, or the next one after it has failed. The leading line feed keeps the keys of merchants, which are
 * printable, from naming its payment.
 */
function findDueAttempt({ id, latest }: InvoiceToPay): { attempt: number; key: string } {
  const hasFailed = latest?.status === 'failed' || latest?.status === 'cancelled';
  const attempt = (latest?.attempt ?? 1) + (hasFailed ? 1 : 0);
  return { attempt, key: `\ninvoice:${id}:${attempt}` };
}

function buildRequest({ baseUrl }: PayablePageDeps, invoice: InvoiceToPay): PaymentRequest {
  const amountMinor = parseAmount(invoice.total);
  if (typeof amountMinor === 'string') throw new Error(`the total of ${invoice.id} is no amount`);
  const url = `${baseUrl}/invoice/${invoice.id}`;
  return {
    amountMinor,
    currency: invoice.currency,
    description: invoice.number,
    referenceId: invoice.number,
    paymentMethod: null,
    customerName: invoice.customerName,
    customerEmail: invoice.customerEmail,
    customerPhone: null,
    successUrl: url,
    cancelUrl: url,
    metadata: { invoice: invoice.id },
    expiresInS: null,
  };
}

/** A draft has no page. */
async function findShownInvoice(
  { linksAndInvoices }: PayablePageDeps,
  id: InvoiceId | null,
): Promise<InvoiceToPay | undefined> {
  const [invoice] = id === null ? [] : await findInvoiceToPay(linksAndInvoices, id);
  return invoice === undefined || invoice.number === null ? undefined : invoice;
}

/** A paid payment counts before its event has reached the invoice, so that its customer is not asked to pay again. */
export function findShownStatus({ status, hasPaid }: InvoiceToPay): ShownStatus {
  if (status === 'void') return 'void';
  return status === 'paid' || hasPaid ? 'paid' : 'open';
}

async function showInvoicePage(
  deps: PayablePageDeps,
  preferences: Preferences,
  invoice: InvoiceToPay,
  { status, fault }: { readonly status: number; readonly fault: InvoiceView['fault'] },
): Promise<Answer> {
  const storefront = await deps.findStorefront(invoice.merchantId);
  const layout = buildPageLayout(deps, preferences, STYLE, storefront);
  const nowMs = deps.nowMs();
  const shown = findShownStatus(invoice);
  const view = { invoice, status: shown, storefront, nowMs, fault, isPreview: false };
  return buildPageReply(status, renderInvoice(layout, view), layout.language);
}

function showFailure(
  deps: PayablePageDeps,
  preferences: Preferences,
  invoice: InvoiceToPay,
  code: ErrorCode,
): Answer | Promise<Answer> {
  if (!isPageRequested(preferences.accept)) return buildApiError(code);
  const fault = code === 'live_not_enabled' ? 'notLive' : 'unavailable';
  return showInvoicePage(deps, preferences, invoice, { status: ERRORS[code].status, fault });
}

const answerInvoiceNotFound = (deps: PayablePageDeps, preferences: Preferences): Answer =>
  answerNotFound(deps, preferences, 'invoice_not_found', INVOICE_TEXTS);
