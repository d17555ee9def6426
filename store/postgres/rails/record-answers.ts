// Answers of rails to calls. One statement stores an answer with the command that follows from it, before the command is
// sent: from then on it cannot be lost. The first answer counts; a later one, such as a call's own answer after a status
// inquiry has found it, changes nothing.
import { REFUND_SENT_WITHIN_MS } from '#actors/core/payment/refunds.js';
import type { Postgres } from '../client.js';

export interface CallAnswer {
  readonly callId: string;
  readonly command: string;
  /** The id of the status inquiry of the call's order or refund. */
  readonly inquiryId: string;
  /** Until the next status inquiry; null: none follows. */
  readonly inquireInMs: number | null;
  /** The rail's own id of the order; null: the answer does not tell. */
  readonly reference: string | null;
}

/**
 * Returns for each answer, in their order, whether it was the first. `is not distinct from` keeps Postgres from using the
 * index rail_calls_sent: the planner takes it for nearly empty, and would read every call that waits at a hanging rail,
 * for each answer. Status inquiries are locked in the order of their ids, so that statements do not deadlock. The answer does not
 * put off the inquiry that a callback asked for.
 */
export async function recordAnswers(
  sql: Postgres,
  answers: readonly CallAnswer[],
): Promise<boolean[]> {
  const rows = await sql<{ id: string }[]>`
    with given as (
      select * from unnest(
        ${answers.map((answer) => answer.callId)}::text[],
        ${answers.map((answer) => answer.command)}::text[],
        ${answers.map((answer) => answer.inquiryId)}::text[],
        ${answers.map((answer) => answer.inquireInMs?.toString() ?? null)}::text[]::float8[],
        ${answers.map((answer) => answer.reference)}::text[])
        as g (id, command, inquiry_id, due_in_ms, reference) order by inquiry_id),
    answered as (
      update rail_calls c set state = 'answered', answer = g.command, answered_at = now()
        from given g where c.id = g.id and c.state is not distinct from 'sent'
      returning c.id, c.payment_id, g.command, g.inquiry_id, g.due_in_ms, g.reference),
    kept as (
      insert into rail_facts (id, payment_id, command) select id, payment_id, command from answered
      on conflict (id) do nothing),
    inquired as (
      update status_inquiries i
         set due_at = case when i.unconfirmed = '{}' then now() + a.due_in_ms * interval '1 millisecond'
                            else least(i.due_at, now() + a.due_in_ms * interval '1 millisecond') end,
             reference = coalesce(a.reference, i.reference)
        from answered a where i.id = a.inquiry_id)
    select id from answered`;
  const first = new Set(rows.map(({ id }) => id));
  return answers.map(({ callId }) => first.has(callId));
}

/** One claim of a call: `sentAt` tells it from other claims. */
export interface CallClaim {
  readonly callId: string;
  readonly sentAt: string;
}

/**
 * Notes that the request of a refund is made now. False: the call is not this claim's any more. From here on no other
 * process makes the call, unless this one says that nothing was sent.
 */
export async function beginRefund(sql: Postgres, { callId, sentAt }: CallClaim): Promise<boolean> {
  const rows = await sql`
    update rail_calls set begun_at = now()
     where id = ${callId} and state is not distinct from 'sent'
       and sent_at = ${sentAt}::text::timestamptz and begun_at is null
    returning id`;
  return rows.length === 1;
}

export interface UnsentCall extends CallClaim {
  readonly inquiryId: string;
  readonly dueInMs: number;
}

/**
 * The refund was not requested by this claim: its call is due again, and there is nothing to inquire. If an earlier request of it may have
 * arrived, inquiries go on instead.
 */
export async function recordUnsent(
  sql: Postgres,
  { callId, sentAt, inquiryId, dueInMs }: UnsentCall,
): Promise<void> {
  const rows = await sql`
    with unsent as (
      update rail_calls
         set state = 'due', sent_at = null, due_at = now() + ${dueInMs}::float8 * interval '1 millisecond'
       where id = ${callId} and state is not distinct from 'sent' and unknown_at is null
         and sent_at = ${sentAt}::text::timestamptz
      returning id),
    ended as (
      update status_inquiries set due_at = null
       where id = ${inquiryId} and exists (select from unsent))
    select from unsent`;
  const unknown = { callId, inquiryId, inquireInMs: dueInMs, reference: null };
  if (rows.length === 0) await recordUnknown(sql, unknown);
}

/**
 * Makes the call of a refund due again after a lost answer: the rail recognises the repeat by its key. Returns false when it
 * is too late for that.
 */
export async function repeatRefund(sql: Postgres, callId: string, keyMs: number): Promise<boolean> {
  const withinMs = Math.min(keyMs, REFUND_SENT_WITHIN_MS);
  const rows = await sql`
    update rail_calls
       set state = 'due', sent_at = null, due_at = now(), unknown_at = coalesce(unknown_at, now())
     where id = ${callId} and state is not distinct from 'sent' and operation = 'refund'
       and requested_at > now() - ${withinMs}::float8 * interval '1 millisecond'
    returning id`;
  return rows.length === 1;
}

/**
 * Makes the call of a refund due again whose claimer is gone and had not begun its request: nothing was sent. A claimer
 * that was only slow cannot begin any more. Returns false otherwise, or when it is too late.
 */
export async function repeatUnbegunRefund(
  sql: Postgres,
  callId: string,
  givenUpMs: number,
): Promise<boolean> {
  const rows = await sql`
    update rail_calls set state = 'due', sent_at = null, due_at = now()
     where id = ${callId} and state is not distinct from 'sent' and operation = 'refund'
       and begun_at is null and sent_at < now() - ${givenUpMs}::float8 * interval '1 millisecond'
       and requested_at > now() - ${REFUND_SENT_WITHIN_MS}::float8 * interval '1 millisecond'
    returning id`;
  return rows.length === 1;
}

export interface UnknownCall extends Omit<CallAnswer, 'command'> {
  readonly inquireInMs: number;
}

/** The answer is lost, pending or of no use: a status inquiry follows in `inquireInMs`. */
export async function recordUnknown(
  sql: Postgres,
  { callId, inquiryId, inquireInMs, reference }: UnknownCall,
): Promise<void> {
  await sql`
    with unknown as (
      update rail_calls set unknown_at = coalesce(unknown_at, now())
       where id = ${callId} and state is not distinct from 'sent' returning id)
    update status_inquiries
       set due_at = least(due_at, now() + ${inquireInMs}::float8 * interval '1 millisecond'),
           reference = coalesce(${reference}, reference)
     where id = ${inquiryId} and exists (select from unknown)`;
}
