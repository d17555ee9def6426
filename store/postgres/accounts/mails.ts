// The outbox of mails. The statement that causes a mail also inserts it, so that both commit or neither does. A mail beyond
// the limits of its budget is left out (functions/mails.sql).
import type { UserId } from '#actors/core/ids.js';
import type { Postgres } from '../client.js';
import { Turns } from '../turns.js';

/** The limits that a mail counts in. Each has its own, so that a flood of one kind suppresses no other. */
export const MAIL_BUDGETS = [
  'registration',
  'reset',
  'invite',
  'invoice',
  'notice',
  'operation',
  'payment',
  'receipt',
] as const;
export type MailBudget = (typeof MAIL_BUDGETS)[number];

export interface Mail {
  readonly id: string;
  readonly budget: MailBudget;
  readonly recipient: string;
  readonly subject: string;
  readonly body: string;
}

/** Part of a larger statement: inserts the mail once for each row of `source`. */
export function insertMailFrom(
  sql: Postgres,
  { id, budget, recipient, subject, body }: Mail,
  source: string,
  merchantId: string | null = null,
) {
  return sql`
    insert into mails (id, budget, recipient, subject, body, merchant_id)
    select ${id}, ${budget}, ${recipient}, ${subject}, ${body}, ${merchantId}::text from ${sql(source)}`;
}

/** Beside the mails themselves. */
export interface MailSubject {
  /** They count in its limits too. */
  readonly merchantId: string | null;
  /** An erasure of this payment erases them. */
  readonly paymentId: string | null;
}

const NO_SUBJECT: MailSubject = { merchantId: null, paymentId: null };

/** Part of a larger statement: inserts each of the mails once for each row of `source`. */
export function insertMailsFrom(
  sql: Postgres,
  mails: readonly Mail[],
  source: string,
  { merchantId, paymentId } = NO_SUBJECT,
) {
  const column = (name: keyof Mail): string[] => mails.map((mail) => mail[name]);
  return sql`
    insert into mails (id, budget, recipient, subject, body, merchant_id, payment_id)
    select m.*, ${merchantId}::text, ${paymentId}::text from ${sql(source)},
           unnest(${column('id')}::text[], ${column('budget')}::text[], ${column('recipient')}::text[],
                  ${column('subject')}::text[], ${column('body')}::text[])
             as m (id, budget, recipient, subject, body)`;
}

/** Returns false, and writes nothing, if the user got such a mail within the hour, or has not proven the address. */
export async function writeLockoutMail(
  sql: Postgres,
  userId: UserId,
  mail: Mail,
): Promise<boolean> {
  const rows = await sql`
    with locked as (
      update users set lockout_mailed_at = now()
       where id = ${userId} and verified_at is not null
         and (lockout_mailed_at is null or lockout_mailed_at < now() - interval '1 hour')
      returning 1),
    mailed as (${insertMailFrom(sql, mail, 'locked')})
    select 1 from locked`;
  return rows.length === 1;
}

export interface ClaimedMail extends Omit<Mail, 'budget'> {
  /** It is given up when this try fails. */
  readonly isLastTry: boolean;
}

/** As in the index `mails_unsent`. */
const mayTry = (sql: Postgres) => sql`attempts < 8`;

/** Budgets, and the merchants of each, take turns: invoices of one merchant delay no reset of a password. */
export function createMailTurns(): Turns {
  return new Turns((sql) => ({
    table: sql`mails`,
    waiting: sql`sent_at is null and ${mayTry(sql)}`,
    key: sql`(budget || ' ' || coalesce(merchant_id, ''))`,
    dueAt: sql`next_attempt_at`,
  }));
}

/**
 * Claims due mails. An unsent mail is claimed again after 30 s, 2 min, 8 min and so on, at most eight times: a mail server may
 * be away for 45 hours.
 */
export async function claimMails(
  sql: Postgres,
  turns: Turns,
  limit: number,
): Promise<ClaimedMail[]> {
  const keys = await turns.listKeys(sql);
  if (keys.length === 0) return [];
  return sql<ClaimedMail[]>`
    update mails set attempts = attempts + 1,
                     next_attempt_at = now() + make_interval(secs => 30 * power(4, attempts))
     where id in (select id from mails
                   where id in (select t.id from (${turns.select(sql, keys, limit)}) t)
                     and sent_at is null and next_attempt_at <= now()
                     for update skip locked)
    returning id, recipient, subject, body, not ${mayTry(sql)} as "isLastTry"`;
}

export async function recordSent(sql: Postgres, id: string): Promise<void> {
  await sql`update mails set sent_at = now(), body = '', error = null where id = ${id}`;
}

export async function recordFailure(sql: Postgres, id: string, error: string): Promise<void> {
  await sql`update mails set error = ${error} where id = ${id}`;
}

export interface KeptMail extends Omit<Mail, 'budget'> {
  readonly createdAt: Date;
  readonly sentAt: Date | null;
  readonly error: string | null;
}

/** Lists mails, newest first. */
export async function listMails(
  sql: Postgres,
  recipient: string | null,
  limit: number,
): Promise<KeptMail[]> {
  return sql<KeptMail[]>`
    select id, recipient, subject, body, created_at as "createdAt", sent_at as "sentAt", error
      from mails where (${recipient}::text is null or recipient = ${recipient})
     order by created_at desc, id desc limit ${limit}`;
}
