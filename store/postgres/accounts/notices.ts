// Notices: facts that merchants and their customers hear of by mail (schema/0003_accounts.sql). They wait here until a
// gateway has composed their mails.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { Turns } from '../turns.js';
import { insertMailsFrom, type Mail } from './mails.js';

/** To users of the merchant; each can be switched off. */
export const MERCHANT_NOTICE_KINDS = [
  'charged_back',
  'endpoint_failing',
  'endpoint_disabled',
  'payment_received',
  'payout_failed',
  'kyc_decided',
] as const;
export type MerchantNoticeKind = (typeof MERCHANT_NOTICE_KINDS)[number];
/** A receipt goes to the customer. */
export const NOTICE_KINDS = [...MERCHANT_NOTICE_KINDS, 'receipt'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface Notice {
  /** Digits. */
  readonly id: string;
  readonly kind: NoticeKind;
  readonly merchantId: MerchantId;
  readonly fact: string;
  /** JSON. */
  readonly details: string;
}

export function createNoticeTurns(): Turns {
  return new Turns((sql) => ({
    table: sql`notices`,
    waiting: sql`ended_at is null`,
    key: sql`merchant_id`,
    dueAt: sql`next_at`,
  }));
}

/** Merchants take turns. Nothing is claimed: two gateways may compose the same mails, and one of them inserts them. */
export async function listDueNotices(
  sql: Postgres,
  turns: Turns,
  limit: number,
): Promise<Notice[]> {
  const keys = await turns.listKeys(sql);
  if (keys.length === 0) return [];
  return sql<Notice[]>`
    select n.id::text as id, n.kind, n.merchant_id as "merchantId", n.fact, n.details
      from (${turns.select(sql, keys, limit)}) t join notices n on n.id = t.id
     order by t.rank, t.due`;
}

/** Their facts begin with the id of a payment, of whose customer their mails tell: an erasure finds them. */
const OF_PAYMENTS: ReadonlySet<NoticeKind> = new Set([
  'charged_back',
  'payment_received',
  'receipt',
]);

/** Ends the notice and inserts its mails, unless another gateway has. Returns whether this call did. */
export async function endNotice(
  sql: Postgres,
  { id, kind, merchantId, fact }: Notice,
  mails: readonly Mail[],
): Promise<boolean> {
  const subject = {
    merchantId: kind === 'receipt' ? merchantId : null,
    paymentId: OF_PAYMENTS.has(kind) ? (fact.split(' ')[0] ?? null) : null,
  };
  const rows = await sql`
    with ended as (
      update notices set ended_at = now(), error = null where id = ${id}::bigint and ended_at is null
      returning 1),
    mailed as (${insertMailsFrom(sql, mails, 'ended', subject)})
    select 1 from ended`;
  return rows.length === 1;
}

const AGAIN_AFTER = '5 minutes';

/** Its mails could not be composed; it does not delay others meanwhile. */
export async function delayNotice(sql: Postgres, id: string, error: string): Promise<void> {
  await sql`
    update notices set next_at = now() + ${AGAIN_AFTER}::text::interval, error = ${error}
     where id = ${id}::bigint and ended_at is null`;
}

export interface Recipient {
  readonly email: string;
  readonly language: string;
}

/** Users of the merchant with these roles who have proven their address. */
export async function listRecipients(
  sql: Postgres,
  merchantId: MerchantId,
  roles: readonly string[],
): Promise<Recipient[]> {
  return sql<Recipient[]>`
    select email, language from users
     where merchant_id = ${merchantId} and role = any(${[...roles]}::text[]) and verified_at is not null
     order by email`;
}

export interface NoticedPayout {
  readonly environment: string;
  readonly amount: string;
  readonly bankCode: string;
  /** Of the account number; empty: it was erased. */
  readonly lastFour: string;
  readonly referenceId: string | null;
}

/** Returns an empty list when the payout does not exist. */
export async function findNoticedPayout(sql: Postgres, id: string): Promise<NoticedPayout[]> {
  return sql<NoticedPayout[]>`
    select environment, amount::text as amount, bank_code as "bankCode",
           right(account_number, 4) as "lastFour", reference_id as "referenceId"
      from payouts where id = ${id}`;
}

/** The language of the invoice that a payment pays; empty: it pays none. */
export async function findInvoiceLanguage(
  sql: Postgres,
  paymentId: string,
): Promise<{ language: string }[]> {
  return sql<{ language: string }[]>`
    select i.language from invoice_payments p join invoices i on i.id = p.invoice_id
     where p.payment_id = ${paymentId}`;
}

/** Returns false for TEST, unless a user of the merchant has proven this address. */
export async function mayMailCustomer(
  sql: Postgres,
  merchantId: MerchantId,
  { environment, email }: { readonly environment: Environment; readonly email: string },
): Promise<boolean> {
  const [row] = await sql<{ may: boolean }[]>`
    select may_mail_customer(${merchantId}, ${environment}, ${email}) as may`;
  return row?.may === true;
}
