// The page of an invoice, and the payment that its button begins. Public: whoever knows the address may see and pay it.
//
// The payments of an invoice have ids that follow from it and the number of the attempt, and ask for what cannot change
// any more. So a click that is made twice, or whose process died, meets the same payment; the next attempt begins
// under the lock of the invoice, and only behind one that has failed.
import type { InvoiceId, PaymentId } from '#actors/core/ids.js';
import { parseAmount } from '#actors/core/money.js';
import type { PaymentRequest } from '#actors/core/payment/state.js';
import {
  beginInvoicePayment,
  findInvoiceToPay,
  type InvoiceToPay,
} from '#store/postgres/links-and-invoices/invoice-payments.js';
import { isStored, derivePaymentId, submitPayment } from '../payments/handlers.js';
import { ERRORS, type ErrorCode } from '../routing/errors.js';
import { type Answer, buildApiError } from '../routing/response.js';
import type { OpenRequest, Preferences } from '../routing/request.js';
import {
  queryLinksAndInvoices,
  type PayablePageDeps,
  isSwitchedOff,
  findMerchantName,
  buildPageFrame,
  answerError as refusePage,
} from '../checkout/payable-page.js';
import { buildPageReply, redirectTo, isPageRequested } from '../pages/respond.js';
import { type InvoiceView, renderInvoice } from './page.js';
import { INVOICE_TEXTS, type ShownStatus } from './page-texts.js';

/** null: what stands in the path is no id. */
export type InvoicePageParams = { readonly invoice_id: InvoiceId | null };
type PageRequest = OpenRequest<InvoicePageParams>;

const STYLE = 'invoice.css';
/** Others may click, or a payment may fail, at the same moment. */
const TRIES = 4;

/** The invoice as it stands. */
export async function getInvoice(parts: PayablePageDeps, request: PageRequest): Promise<Answer> {
  const invoice = await findShown(parts, request.params.invoice_id);
  if (typeof invoice === 'string') return answerInvoiceError(parts, request.preferences, invoice);
  const isClosed = isSwitchedOff(parts, invoice) || !invoice.takesPayments;
  return showInvoicePage(parts, request.preferences, invoice, {
    status: 200,
    fault: isClosed ? 'notLive' : null,
  });
}

/** 303 to the hosted page of the payment that is open, or to the invoice where nothing is to be paid. */
export async function payInvoice(parts: PayablePageDeps, request: PageRequest): Promise<Answer> {
  const { preferences } = request;
  const invoice = await findShown(parts, request.params.invoice_id);
  if (typeof invoice === 'string') return answerInvoiceError(parts, preferences, invoice);
  const outcome = await payWithRetries(parts, invoice);
  switch (outcome.kind) {
    case 'payment':
      return redirectTo(`/checkout/${outcome.paymentId}`);
    case 'nothing':
      return redirectTo(`/invoice/${invoice.id}`);
    case 'failed':
      return showFailure(parts, preferences, invoice, outcome.code);
  }
}

type InvoicePayOutcome =
  | { readonly kind: 'payment'; readonly paymentId: PaymentId }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'failed'; readonly code: ErrorCode };

async function payWithRetries(
  parts: PayablePageDeps,
  first: InvoiceToPay,
): Promise<InvoicePayOutcome> {
  let invoice: InvoiceToPay | undefined = first;
  for (let time = 0; time < TRIES && invoice !== undefined; time += 1) {
    const outcome = await payOnce(parts, invoice);
    if (outcome !== 'again') return outcome;
    const found = await queryLinksAndInvoices(parts, (sql) => findInvoiceToPay(sql, first.id));
    invoice = found?.[0];
  }
  return { kind: 'failed', code: 'dependency_unavailable' };
}

/** again: the invoice is not what it was when it was read. */
async function payOnce(
  parts: PayablePageDeps,
  invoice: InvoiceToPay,
): Promise<InvoicePayOutcome | 'again'> {
  if (findShownStatus(invoice) !== 'open') return { kind: 'nothing' };
  const { attempt, key } = findDueAttempt(invoice);
  const paymentId = derivePaymentId(parts, invoice, key);
  // A click again leads to the payment that is open, whatever operators let be taken now.
  const isClosed = isSwitchedOff(parts, invoice) && (await isStored(parts, paymentId)) !== true;
  if (isClosed) return { kind: 'failed', code: 'live_not_enabled' };
  const asked = await queryLinksAndInvoices(parts, async (sql) => ({
    beginning: await beginInvoicePayment(sql, invoice.id, attempt, paymentId),
  }));
  if (asked === undefined) return { kind: 'failed', code: 'dependency_unavailable' };
  switch (asked.beginning) {
    case 'made':
      return { kind: 'payment', paymentId };
    case 'begin': {
      const request = buildRequest(parts, invoice);
      const answer = await submitPayment(parts, { owner: invoice, request, idempotencyKey: key });
      // Begun before the address of the service was changed: it is the payment of this attempt.
      const isThere = answer.code === null || answer.code === 'idempotency_conflict';
      return isThere ? { kind: 'payment', paymentId } : { kind: 'failed', code: answer.code };
    }
    case 'again':
      return 'again';
    case 'not_live':
      return { kind: 'failed', code: 'live_not_enabled' };
    default:
      return { kind: 'nothing' };
  }
}

/** The latest, unless it has failed: then the next. A merchant's own keys are printable: none can name its payment. */
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

/** Drafts have no page. */
async function findShown(
  parts: PayablePageDeps,
  id: InvoiceId | null,
): Promise<InvoiceToPay | 'invoice_not_found' | 'dependency_unavailable'> {
  if (id === null) return 'invoice_not_found';
  const rows = await queryLinksAndInvoices(parts, (sql) => findInvoiceToPay(sql, id));
  if (rows === undefined) return 'dependency_unavailable';
  const [invoice] = rows;
  return invoice === undefined || invoice.number === null ? 'invoice_not_found' : invoice;
}

/** Paid as soon as a payment is, so that nobody who comes back from paying is asked to pay. */
function findShownStatus({ status, hasPaid }: InvoiceToPay): ShownStatus {
  if (status === 'void') return 'void';
  return status === 'paid' || hasPaid ? 'paid' : 'open';
}

async function showInvoicePage(
  parts: PayablePageDeps,
  wishes: Preferences,
  invoice: InvoiceToPay,
  { status, fault }: { readonly status: number; readonly fault: InvoiceView['fault'] },
): Promise<Answer> {
  const merchantName = await findMerchantName(parts, invoice.merchantId);
  if (merchantName === undefined)
    return answerInvoiceError(parts, wishes, 'dependency_unavailable');
  const frame = buildPageFrame(parts, wishes, STYLE);
  const nowMs = parts.nowMs();
  const view = { invoice, status: findShownStatus(invoice), merchantName, nowMs, fault };
  return buildPageReply(status, renderInvoice(frame, view), frame.language);
}

function showFailure(
  parts: PayablePageDeps,
  wishes: Preferences,
  invoice: InvoiceToPay,
  code: ErrorCode,
): Answer | Promise<Answer> {
  if (!isPageRequested(wishes.accept)) return buildApiError(code);
  const fault = code === 'live_not_enabled' ? 'notLive' : 'unavailable';
  return showInvoicePage(parts, wishes, invoice, { status: ERRORS[code].status, fault });
}

function answerInvoiceError(parts: PayablePageDeps, wishes: Preferences, code: ErrorCode): Answer {
  const { id, en } = INVOICE_TEXTS;
  return refusePage(parts, wishes, code, { id: id.notFound, en: en.notFound });
}
