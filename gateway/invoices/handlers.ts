// Invoices of a merchant. What they come to is computed here, in whole units; numbers are given by the database.
import { makeId, type InvoiceId } from '#actors/core/ids.js';
import { canTakePayments } from '#store/postgres/links-and-invoices/link-uses.js';
import { findInvoiceToPay } from '#store/postgres/links-and-invoices/invoice-payments.js';
import {
  changeInvoice as storeChange,
  createInvoice,
  finalizeInvoice as storeFinal,
  findInvoice,
  type Invoice,
  type InvoiceKey,
  type InvoiceMail,
  listInvoices,
  voidInvoice as storeVoid,
} from '#store/postgres/links-and-invoices/invoices.js';
import { findBusinessName } from '#store/postgres/merchants/find-merchant.js';
import { readPage, writePage } from '../lists/page.js';
import type { ApiDeps } from '../payments/api-deps.js';
import { sendCommand } from '../payments/handlers.js';
import { generateIdBytes } from '../commands/random-id-bytes.js';
import { type Answer, buildApiError, reply } from '../routing/response.js';
import type { NoParams } from '../routing/request.js';
import { formatDeadline, formatRupiah } from '../checkout/format.js';
import { TEXTS } from '../checkout/texts.js';
import type { MerchantRequest } from '../routing/session-route.js';
import { UNVERIFIED } from '../accounts/users.js';
import { buildActor } from '../auth/actor.js';
import { checkLiveGate } from '../auth/live-gate.js';
import { type AccountDeps, queryAccounts } from '../accounts/account-deps.js';
import type { ChangeInvoiceRequest, CreateInvoiceRequest, InvoicesQuery } from './schema.js';
import { readChange, readTerms } from './invoice-terms.js';

export interface InvoiceDeps
  extends AccountDeps, Pick<ApiDeps, 'dispatcher' | 'partitions' | 'baseUrl'> {
  /** Of a merchant; 0: no bound. */
  readonly invoiceMailsPerHour: number;
}

export type InvoiceParams = { readonly invoice_id: InvoiceId };

const MISSING = buildApiError('invoice_not_found');
/** Of a draft that somebody else changes all the time. */
const TRIES = 3;
/** Of all merchants together: who registers another one gets no further. */
const MAILS_TO_ADDRESS_PER_DAY = 10;
const BUSY = buildApiError('state_conflict', { message: 'The draft is being changed. Try again.' });

/** 200 with a page, newest first. */
export async function showInvoices(
  parts: InvoiceDeps,
  { session, query }: MerchantRequest<NoParams, undefined, InvoicesQuery>,
): Promise<Answer> {
  const { merchantId } = session;
  const { environment = 'all' } = query;
  const scope = { list: 'invoices', merchantId, environment } as const;
  const page = readPage(scope, query);
  if ('code' in page) return page;
  const filter = {
    merchantId,
    environment: query.environment ?? null,
    status: query.status ?? null,
    number: query.number ?? null,
  };
  const found = await queryAccounts(parts, (sql) => listInvoices(sql, filter, page));
  const write = (invoice: Invoice): string => JSON.stringify(viewInvoice(parts, invoice));
  return reply(200, writePage(scope, page.limit, found, write));
}

/** 200; 404 for one of another merchant. */
export async function showInvoice(
  parts: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  return answerWith(parts, buildKey(request));
}

/** 201 with the draft. One of LIVE is made by merchants that take LIVE payments. */
export async function makeInvoice(
  parts: InvoiceDeps,
  request: MerchantRequest<NoParams, CreateInvoiceRequest>,
): Promise<Answer> {
  const { session, body } = request;
  const actor = buildActor(request);
  const terms = readTerms(body);
  if ('code' in terms) return terms;
  const { merchantId } = session;
  const { environment } = body;
  const isLiveEnabled = await canTakePayments(parts.accounts, merchantId, environment);
  const gated = checkLiveGate({ environment, isLiveEnabled });
  if (gated !== undefined) return gated;
  const invoice = { ...terms, id: makeId('inv', generateIdBytes()), merchantId, environment };
  const [made] = await queryAccounts(parts, (sql) => createInvoice(sql, actor, invoice));
  if (made === undefined) throw new Error(`the invoice ${invoice.id} was not made`);
  return reply(201, JSON.stringify(viewInvoice(parts, made)));
}

/** 200 with the draft as it is then; 409 for what is a draft no more. */
export async function changeInvoice(
  parts: InvoiceDeps,
  request: MerchantRequest<InvoiceParams, ChangeInvoiceRequest>,
): Promise<Answer> {
  const key = buildKey(request);
  const actor = buildActor(request);
  const change = readChange(request.body);
  if ('code' in change) return change;
  const [changed] = await queryAccounts(parts, (sql) => storeChange(sql, actor, key, change));
  if (changed !== undefined) return reply(200, JSON.stringify(viewInvoice(parts, changed)));
  const [found] = await queryAccounts(parts, (sql) => findInvoice(sql, key));
  return found === undefined
    ? MISSING
    : buildApiError('state_conflict', { currentStatus: found.status });
}

/** 200 with the number; the customer is told by a mail that the same statement writes. */
export async function finalizeInvoice(
  parts: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const actor = buildActor(request);
  for (let time = 0; time < TRIES; time += 1) {
    const [draft] = await queryAccounts(parts, (sql) => findInvoice(sql, key));
    if (draft === undefined) return MISSING;
    if (draft.customerEmail !== null && !request.session.isVerified) return UNVERIFIED;
    const mail = await composeMail(parts, draft);
    const result = await queryAccounts(parts, (sql) => storeFinal(sql, actor, draft, mail));
    if (result === 'changed') continue;
    if (result === 'missing') return MISSING;
    if (result.startsWith('wait '))
      return buildMailLimitError(Number(result.slice('wait '.length)));
    if (result !== 'done') return buildApiError('state_conflict', { currentStatus: result });
    if (mail !== null) parts.nudgeMailer();
    return answerWith(parts, key);
  }
  return BUSY;
}

/** Nothing was done: without `customer_email` the draft can be finalized at once. */
const buildMailLimitError = (retryAfterSeconds: number): Answer =>
  buildApiError('rate_limited', {
    message:
      'Too many invoices were mailed by you, or to this address. The draft is unchanged; try again later.',
    retryAfterSeconds,
  });

/** Made from one revision of the draft, and written only if that is what is finalized. */
async function composeMail(parts: InvoiceDeps, draft: Invoice): Promise<InvoiceMail | null> {
  const { customerEmail: recipient, language, total, dueAt } = draft;
  if (recipient === null) return null;
  const businessName =
    (await queryAccounts(parts, (sql) => findBusinessName(sql, draft.merchantId))) ?? '';
  const due = dueAt === null ? null : formatDeadline(dueAt.getTime(), TEXTS[language].locale);
  const invoice = { total: formatRupiah(total), due, isTest: draft.environment === 'TEST' };
  const path = `/invoice/${draft.id}`;
  const mail = parts.compose({ kind: 'invoice', recipient, language, businessName, path, invoice });
  return { ...mail, hourly: parts.invoiceMailsPerHour, daily: MAILS_TO_ADDRESS_PER_DAY };
}

/**
 * 200, and it can be paid no more. A payment that is open is cancelled behind it, as well as that goes: if it is paid
 * all the same, the money is an operator's task.
 */
export async function voidInvoice(
  parts: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  const key = buildKey(request);
  const actor = buildActor(request);
  const result = await queryAccounts(parts, (sql) => storeVoid(sql, actor, key));
  if (result === 'missing') return MISSING;
  if (result !== 'done') return buildApiError('state_conflict', { currentStatus: result });
  await cancelOpenPayment(parts, key);
  return answerWith(parts, key);
}

async function cancelOpenPayment(parts: InvoiceDeps, { id }: InvoiceKey): Promise<void> {
  const [invoice] = await queryAccounts(parts, (sql) => findInvoiceToPay(sql, id));
  const latest = invoice?.latest;
  if (invoice === undefined || !latest) return;
  if (latest.status !== null && !['creating', 'pending'].includes(latest.status)) return;
  const { merchantId, environment } = invoice;
  const { paymentId } = latest;
  await sendCommand(parts, { type: 'cancel', paymentId, merchantId, environment }, (state) =>
    state.status === 'cancelled' ? 'cancelled' : undefined,
  );
}

function buildKey({
  session,
  params,
}: Pick<MerchantRequest<InvoiceParams>, 'session' | 'params'>): InvoiceKey {
  return { id: params.invoice_id, merchantId: session.merchantId };
}

async function answerWith(parts: InvoiceDeps, key: InvoiceKey): Promise<Answer> {
  const [invoice] = await queryAccounts(parts, (sql) => findInvoice(sql, key));
  return invoice === undefined ? MISSING : reply(200, JSON.stringify(viewInvoice(parts, invoice)));
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
  };
}
