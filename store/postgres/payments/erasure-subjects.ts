// Objects that are being erased: how they are claimed, and the steps, each of which can be repeated
// (store/postgres/schema/0014_erasures.sql names the states).
import type { InvoiceId, PaymentId, PayoutId } from '#actors/core/ids.js';
import { eraseEnvelope } from '#actors/core/webhooks/envelope.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';
import { Turns } from '../turns.js';

export interface ErasureSubject {
  readonly id: PaymentId | PayoutId | InvoiceId;
  readonly withReference: boolean;
  /** null: the subject is no payment. */
  readonly snapshot: string | null;
}

/** Creates erasures for objects older than `days`, up to `most` of each merchant; returns their number. */
export async function requestErasureByAge(
  sql: Postgres,
  days: number,
  most: number,
): Promise<number> {
  const rows = await sql<{ created: number }[]>`
    select ask_erasures_by_age(${days}, ${most}) as created`;
  return rows[0]?.created ?? 0;
}

/** Environments, and the merchants of each, take turns. */
export function createErasureTurns(): Turns {
  return new Turns((sql) => ({
    table: sql`erasure_subjects`,
    waiting: sql`swept_at is null`,
    key: sql`(environment || ' ' || merchant_id)`,
    dueAt: sql`due_at`,
  }));
}

/**
 * Claims up to `most` due subjects for a second. A payment with a quarantined event is not due until the event is
 * repaired.
 */
export async function claimSubjects(
  sql: Postgres,
  turns: Turns,
  most: number,
): Promise<ErasureSubject[]> {
  const keys = await turns.listKeys(sql);
  if (keys.length === 0) return [];
  const isSound = sql`not exists (select from webhook_events_set_aside s where s.payment_id = erasure_subjects.id)`;
  return sql<ErasureSubject[]>`
    with due as (
      select e.id from erasure_subjects e
       where e.id in (select t.id from (${turns.select(sql, keys, most, isSound)}) t)
         and e.swept_at is null and e.due_at <= now()
         for update skip locked),
    claimed as (
      update erasure_subjects e set due_at = now() + interval '1 second' from due where e.id = due.id
      returning e.id, e.with_reference)
    select c.id, c.with_reference as "withReference", p.snapshot
      from claimed c left join payments p on p.id = c.id`;
}

/** For subjects that are not final yet: they are due again after a minute. */
export async function postponeSubjects(sql: Postgres, ids: readonly string[]): Promise<void> {
  await sql`
    update erasure_subjects set due_at = now() + interval '1 minute' where id = any(${[...ids]}::text[])`;
}

export interface ErasedPayment {
  readonly id: PaymentId;
  readonly withReference: boolean;
  /** The ids under which rails know the payment and its refunds. */
  readonly names: readonly string[];
  /** The words by which the erased payment is found. */
  readonly terms: readonly string[];
}

/** Erases everything outside of the snapshot. */
export async function erasePaymentTraces(
  sql: Postgres,
  { id, withReference, names, terms }: ErasedPayment,
): Promise<void> {
  const events = await sql<{ version: number; envelope: string }[]>`
    select version, envelope from payment_events where payment_id = ${id} and envelope is not null`;
  const envelopes = events.map(({ version, envelope }) => {
    return { version, before: envelope, after: eraseEnvelope(envelope, withReference) };
  });
  const changed = envelopes.filter(({ before, after }) => before !== after);
  if (changed.length > 0) {
    await sql`
      update payment_events e set envelope = c.envelope
        from unnest(split(${joinColumn(changed, (one) => one.version)})::integer[],
                    split(${joinColumn(changed, (one) => one.after)})) as c (version, envelope)
       where e.payment_id = ${id} and e.version = c.version and e.envelope is not null`;
  }
  const eventIds = envelopes.map(({ after }) => (JSON.parse(after) as { id: string }).id);
  await sql`
    select erase_payment_traces(${id}, ${[...names]}::text[], ${eventIds}::text[], ${withReference}),
           replace_search_terms(${id}, ${[...terms]}::text[])`;
}

/** Returns false when the payout is not final yet. */
export async function erasePayout(
  sql: Postgres,
  { id, withReference }: ErasureSubject,
): Promise<boolean> {
  const rows = await sql<{ done: boolean }[]>`select erase_payout(${id}, ${withReference}) as done`;
  return rows[0]?.done === true;
}

export async function eraseInvoice(sql: Postgres, { id }: ErasureSubject): Promise<boolean> {
  const rows = await sql<{ done: boolean }[]>`select erase_invoice(${id}) as done`;
  return rows[0]?.done === true;
}
