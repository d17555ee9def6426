// The mails of an invoice: when it is finalized, again, and as a reminder. One that is asked for twice is sent once.
import { isMerchantBlocked } from '#actors/core/rails/live-gate.js';
import { canTakePayments } from '#store/postgres/links-and-invoices/link-uses.js';
import {
  findInvoice,
  type Invoice,
  type InvoiceMail,
  type InvoiceMailKind,
  mailInvoice,
} from '#store/postgres/links-and-invoices/invoices.js';
import { findStorefront } from '#store/postgres/merchants/settings.js';
import { UNVERIFIED, type MerchantRequest } from '#gateway/routing/session-route.js';
import { buildActor } from '#gateway/auth/actor.js';
import { formatDeadline, formatRupiah } from '#gateway/pages/format.js';
import { TEXTS } from '../checkout/texts.js';
import { chooseMailName } from '#gateway/mail/merchant-name.js';
import { type Answer, type ApiError, buildApiError } from '#gateway/routing/response.js';
import {
  answerWith,
  buildKey,
  type InvoiceDeps,
  type InvoiceParams,
  MISSING,
  NOT_MAILED,
} from './invoice-answers.js';

const MAIL_KINDS = { invoice: 'invoice', reminder: 'invoice_reminder' } as const;

const UNADDRESSED = buildApiError('state_conflict', {
  message: 'The invoice has no customer_email. Give its url to the customer instead.',
});

/** One that is asked for by itself is refused, so that nobody waits for it. */
const TEST_ONLY = buildApiError('state_conflict', { message: `${NOT_MAILED} Nothing was sent.` });

const SOON: Readonly<Record<InvoiceMailKind, string>> = {
  invoice: 'The invoice was mailed less than 10 minutes ago. Nothing was sent; try again later.',
  reminder:
    'A reminder of the invoice was mailed less than 24 hours ago. Nothing was sent: one reminder is allowed per invoice and day.',
};

const LIMITED =
  'Too many invoices were mailed by you, or to this address. A merchant that is not approved may mail 10 a day, invitations included.';

export function sendInvoice(
  deps: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  return mailAgain(deps, request, 'invoice');
}

export function remindInvoice(
  deps: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
): Promise<Answer> {
  return mailAgain(deps, request, 'reminder');
}

/** 200 with the time of the mail. An open invoice does not change, so that its mail may be composed before its row is locked. */
async function mailAgain(
  deps: InvoiceDeps,
  request: MerchantRequest<InvoiceParams>,
  kind: InvoiceMailKind,
): Promise<Answer> {
  const key = buildKey(request);
  const [invoice] = await findInvoice(deps.accounts, key);
  if (invoice === undefined) return MISSING;
  if (invoice.status !== 'open') return buildStatusError(invoice.status);
  if (!request.session.isVerified) return UNVERIFIED;
  if (!invoice.isMailable) return TEST_ONLY;
  const mail = await composeInvoiceMail(deps, invoice, kind);
  if (mail === null) return UNADDRESSED;
  const { merchantId, environment } = invoice;
  const takesPayments = await canTakePayments(deps.accounts, merchantId, environment);
  if (isMerchantBlocked({ environment, takesPayments })) return buildApiError('live_not_enabled');
  const result = await mailInvoice(deps.accounts, buildActor(request), { ...key, kind }, mail);
  if (result === 'missing') return MISSING;
  if (result === 'unaddressed') return UNADDRESSED;
  const soon = readWait(result, 'soon');
  if (soon !== undefined) return buildLimitError(SOON[kind], soon);
  const wait = readWait(result, 'wait');
  if (wait !== undefined) {
    return buildLimitError(`${LIMITED} Nothing was sent; try again later.`, wait);
  }
  if (result !== 'done') return buildStatusError(result);
  deps.nudgeMailer();
  return answerWith(deps, key);
}

const buildStatusError = (currentStatus: string): ApiError =>
  buildApiError('state_conflict', { currentStatus, requiredStatus: 'open' });

const buildLimitError = (message: string, retryAfterSeconds: number): ApiError =>
  buildApiError('rate_limited', { message, retryAfterSeconds });

/** The draft is unchanged: without `customer_email` it can be finalized at once. */
export const buildMailLimitError = (retryAfterSeconds: number): ApiError =>
  buildLimitError(`${LIMITED} The draft is unchanged; try again later.`, retryAfterSeconds);

/** The seconds of a result such as `wait 60`. */
export function readWait(result: string, word: 'soon' | 'wait'): number | undefined {
  return result.startsWith(`${word} `) ? Number(result.slice(word.length + 1)) : undefined;
}

/** null: the invoice names no address. `{number}` is left in the mail of a draft, whose number is not known yet. */
export async function composeInvoiceMail(
  deps: InvoiceDeps,
  invoice: Invoice,
  kind: InvoiceMailKind,
): Promise<InvoiceMail | null> {
  const { customerEmail: recipient, language, total, dueAt, number } = invoice;
  if (recipient === null) return null;
  const businessName = chooseMailName(await findStorefront(deps.accounts, invoice.merchantId));
  const facts = {
    total: formatRupiah(total),
    due: dueAt === null ? null : formatDeadline(dueAt.getTime(), TEXTS[language].locale),
    isOverdue: dueAt !== null && dueAt.getTime() < deps.nowMs(),
    isTest: invoice.environment === 'TEST',
  };
  const path = `/invoice/${invoice.id}`;
  const subject = { recipient, language, businessName, path, invoice: facts };
  const mail = deps.compose({ ...subject, kind: MAIL_KINDS[kind] });
  const hourly = deps.invoiceMailsPerHour;
  return number === null ? { ...mail, hourly } : { ...numberMail(mail, number), hourly };
}

/** The same mail with the number of the invoice. */
export function numberMail<Text extends { readonly subject: string; readonly body: string }>(
  mail: Text,
  number: string,
): Text {
  const write = (text: string): string => text.replaceAll('{number}', number);
  return { ...mail, subject: write(mail.subject), body: write(mail.body) };
}
