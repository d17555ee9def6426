// Shared by the handlers of invoices: their dependencies, the key of an invoice and its answer.
import type { InvoiceId } from '#actors/core/ids.js';
import {
  findInvoice,
  type Invoice,
  type InvoiceKey,
} from '#store/postgres/links-and-invoices/invoices.js';
import type { AccountDeps } from '#gateway/auth/account-deps.js';
import type { PayablePageDeps } from '../checkout/payable-page.js';
import type { FileDeps } from '#gateway/lists/csv-download.js';
import type { ApiDeps } from '#gateway/commands/api-deps.js';
import { type Answer, buildApiError, reply } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';

export interface InvoiceDeps
  extends
    AccountDeps,
    Pick<FileDeps, 'lists' | 'downloads'>,
    Pick<ApiDeps, 'dispatcher' | 'baseUrl'>,
    Pick<PayablePageDeps, 'assets' | 'railAvailability'> {
  /** The limit of a merchant; 0: none. */
  readonly invoiceMailsPerHour: number;
}

export type InvoiceParams = { readonly invoice_id: InvoiceId };

export const MISSING = buildApiError('invoice_not_found');

/** The value of `mail_note`. */
export const NOT_MAILED =
  'This is a TEST invoice, and customer_email is not the verified address of a user of this merchant. ' +
  'TEST mails go to users of the merchant only, so the customer gets none.';

export function buildKey({
  session,
  params,
}: Pick<MerchantRequest<InvoiceParams>, 'session' | 'params'>): InvoiceKey {
  return { id: params.invoice_id, merchantId: session.merchantId };
}

export async function answerWith(deps: InvoiceDeps, key: InvoiceKey): Promise<Answer> {
  const [invoice] = await findInvoice(deps.accounts, key);
  return invoice === undefined ? MISSING : reply(200, JSON.stringify(viewInvoice(deps, invoice)));
}

export function viewInvoice({ baseUrl }: Pick<InvoiceDeps, 'baseUrl'>, invoice: Invoice): object {
  return {
    id: invoice.id,
    object: 'invoice',
    environment: invoice.environment,
    number: invoice.number,
    status: invoice.status,
    customer_name: invoice.customerName,
    customer_email: invoice.customerEmail,
    language: invoice.language,
    notes: invoice.notes,
    currency: invoice.currency,
    items: invoice.items,
    total: invoice.total,
    url: invoice.number === null ? null : `${baseUrl}/invoice/${invoice.id}`,
    due_at: invoice.dueAt?.toISOString() ?? null,
    payment_id: invoice.paymentId,
    created_at: invoice.createdAt.toISOString(),
    finalized_at: invoice.finalizedAt?.toISOString() ?? null,
    paid_at: invoice.paidAt?.toISOString() ?? null,
    voided_at: invoice.voidedAt?.toISOString() ?? null,
    sent_at: invoice.sentAt?.toISOString() ?? null,
    reminded_at: invoice.remindedAt?.toISOString() ?? null,
    mail_note: invoice.isMailable ? null : NOT_MAILED,
  };
}
