// Invoices of a merchant: drafted, changed, finalized, voided, listed (store/postgres/schema/0012_invoices.sql names the
// states).
import type { Environment, InvoiceId, MerchantId, PaymentId } from '#actors/core/ids.js';
import type { Currency } from '#actors/core/money.js';
import type { Mail } from '../accounts/mails.js';
import { selectActor, type Actor } from '../operations/audit.js';
import type { Postgres } from '../client.js';
import type { FoundRows, Page, PagePlace } from '../page.js';
import { listNewest } from './list-newest.js';

export const INVOICE_STATUSES = ['draft', 'open', 'paid', 'void'] as const;
export type InvoiceStatus = (typeof INVOICE_STATUSES)[number];

/** Stored as JSON; amounts are digit strings. */
export interface StoredItem {
  readonly description: string;
  readonly quantity: number;
  readonly unit_amount: string;
}

/** The fields of a draft that can change. */
export interface InvoiceTerms {
  readonly customerName: string | null;
  readonly customerEmail: string | null;
  readonly language: 'id' | 'en';
  readonly notes: string | null;
  readonly currency: Currency;
  readonly items: readonly StoredItem[];
  /** The total of the items, as digits. */
  readonly total: string;
  readonly dueAt: Date | null;
}

export interface InvoiceKey {
  readonly id: InvoiceId;
  readonly merchantId: MerchantId;
}

export interface NewInvoice extends InvoiceKey, InvoiceTerms {
  readonly environment: Environment;
}

export interface Invoice extends NewInvoice {
  /** null: it was never finalized. */
  readonly number: string | null;
  readonly status: InvoiceStatus;
  readonly revision: number;
  /** The payment that paid it. */
  readonly paymentId: PaymentId | null;
  readonly createdAt: Date;
  readonly finalizedAt: Date | null;
  readonly paidAt: Date | null;
  readonly voidedAt: Date | null;
  /** When the mails were stored, which are sent a moment later. */
  readonly sentAt: Date | null;
  readonly remindedAt: Date | null;
  /** False: it is never mailed, because TEST mails go to users of the merchant only. */
  readonly isMailable: boolean;
}

/** The columns of `Invoice`. */
export const selectInvoiceColumns = (sql: Postgres) => sql`
  id, merchant_id as "merchantId", environment, invoice_number(number) as number, status,
  customer_name as "customerName", customer_email as "customerEmail", language, notes, currency,
  items::json as items, total, due_at as "dueAt", revision, payment_id as "paymentId",
  created_at as "createdAt", finalized_at as "finalizedAt", paid_at as "paidAt",
  voided_at as "voidedAt", sent_at as "sentAt", reminded_at as "remindedAt",
  customer_email is null or may_mail_customer(merchant_id, environment, customer_email) as "isMailable"`;

export async function createInvoice(
  sql: Postgres,
  actor: Actor,
  invoice: NewInvoice,
): Promise<Invoice[]> {
  const { id, merchantId, environment, customerName, customerEmail, language, notes } = invoice;
  const { currency, items, total, dueAt } = invoice;
  return sql<Invoice[]>`
    with ${selectActor(sql, actor)}
    insert into invoices (id, merchant_id, environment, customer_name, customer_email, language, notes,
                          currency, items, total, due_at)
    select ${id}, ${merchantId}, ${environment}, ${customerName}, ${customerEmail}, ${language}, ${notes},
           ${currency}, ${JSON.stringify(items)}, ${total}::bigint, ${dueAt}::timestamptz
      from acting
    returning ${selectInvoiceColumns(sql)}`;
}

const CHANGED_COLUMNS = {
  customerName: 'customer_name',
  customerEmail: 'customer_email',
  language: 'language',
  notes: 'notes',
  currency: 'currency',
  items: 'items',
  total: 'total',
  dueAt: 'due_at',
} as const satisfies Record<keyof InvoiceTerms, string>;

/** The draft as it is then; empty: the merchant has none of that id, or it is a draft no more. */
export async function changeInvoice(
  sql: Postgres,
  actor: Actor,
  key: InvoiceKey,
  change: Partial<InvoiceTerms>,
): Promise<Invoice[]> {
  const named = Object.entries(change).map(([field, value]) => [
    CHANGED_COLUMNS[field as keyof InvoiceTerms],
    field === 'items' ? JSON.stringify(value) : value,
  ]);
  const update =
    named.length === 0
      ? sql`update invoices set`
      : sql`update invoices set ${sql(buildRow(named))},`;
  return sql<Invoice[]>`
    with ${selectActor(sql, actor)}
    ${update} revision = revision + 1 from acting
     where id = ${key.id} and merchant_id = ${key.merchantId} and status = 'draft'
    returning ${selectInvoiceColumns(sql)}`;
}

const buildRow = (named: readonly unknown[][]) =>
  Object.fromEntries(named as [string, string][]) as Record<string, string>;

/** Empty: the merchant has no such invoice. */
export async function findInvoice(
  sql: Postgres,
  { id, merchantId }: InvoiceKey,
): Promise<Invoice[]> {
  return sql<Invoice[]>`
    select ${selectInvoiceColumns(sql)} from invoices where id = ${id} and merchant_id = ${merchantId}`;
}

/** A mail to a customer. `hourly` is the limit of the merchant; 0: none. */
export interface InvoiceMail extends Mail {
  readonly hourly: number;
}

/**
 * changed: the draft has another revision than the mail. `wait` and seconds: a mail limit is reached for so long. A
 * status: it does not allow this.
 */
export type FinalizeResult = 'done' | 'missing' | 'changed' | `wait ${number}` | InvoiceStatus;

/** `mail`: `{number}` in its text becomes the number. */
export async function finalizeInvoice(
  sql: Postgres,
  actor: Actor,
  invoice: InvoiceKey & { readonly revision: number },
  mail: InvoiceMail | null,
): Promise<FinalizeResult> {
  const { id, merchantId, revision } = invoice;
  const rows = await sql<{ result: FinalizeResult }[]>`
    with ${selectActor(sql, actor)}
    select finalize_invoice(${id}, ${merchantId}, ${revision}, ${mail?.id ?? null},
                            ${mail?.recipient ?? null}, ${mail?.subject ?? null},
                            ${mail?.body ?? null}, ${mail?.hourly ?? 0}) as result
      from acting where is_set`;
  return rows[0]?.result ?? 'missing';
}

export type InvoiceMailKind = 'invoice' | 'reminder';

/** `soon`: such a mail was stored a moment ago. `wait`: a mail limit is reached. Both with seconds. */
export type MailInvoiceResult =
  'done' | 'missing' | 'unaddressed' | `soon ${number}` | `wait ${number}` | InvoiceStatus;

/** Mails an open invoice again, or a reminder of it (functions/invoices.sql). */
export async function mailInvoice(
  sql: Postgres,
  actor: Actor,
  { id, merchantId, kind }: InvoiceKey & { readonly kind: InvoiceMailKind },
  mail: InvoiceMail,
): Promise<MailInvoiceResult> {
  const rows = await sql<{ result: MailInvoiceResult }[]>`
    with ${selectActor(sql, actor)}
    select mail_invoice(${id}, ${merchantId}, ${kind}, ${mail.id}, ${mail.recipient}, ${mail.subject},
                        ${mail.body}, ${mail.hourly}) as result
      from acting where is_set`;
  return rows[0]?.result ?? 'missing';
}

export async function voidInvoice(
  sql: Postgres,
  actor: Actor,
  { id, merchantId }: InvoiceKey,
): Promise<'done' | 'missing' | InvoiceStatus> {
  const rows = await sql<{ result: 'done' | 'missing' | InvoiceStatus }[]>`
    with ${selectActor(sql, actor)}
    select void_invoice(${id}, ${merchantId}) as result from acting where is_set`;
  return rows[0]?.result ?? 'missing';
}

export interface InvoiceFilter {
  readonly merchantId: MerchantId;
  /** null: both. */
  readonly environment: Environment | null;
  /** null: every status. */
  readonly status: InvoiceStatus | null;
  /** null: every number. */
  readonly number: string | null;
}

/** Newest first. */
export async function listInvoices(
  sql: Postgres,
  { merchantId, environment, status, number }: InvoiceFilter,
  page: Page,
): Promise<FoundRows<Invoice & PagePlace>> {
  const wanted = sql`
    (${environment}::text is null or environment = ${environment})
     and (${status}::text is null or status = ${status})
     and (${number}::text is null or invoice_number(number) = ${number})`;
  const shown = selectInvoiceColumns(sql);
  return listNewest<Invoice>(
    sql,
    { table: 'invoices', merchantId, filter: wanted, columns: shown },
    page,
  );
}
