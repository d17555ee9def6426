// What rails answered to calls. An answer is stored with the command that follows from it, in one statement and before
// that command is sent: from then on the command is never lost. The first answer counts; whoever comes later (a call
// whose order was looked up meanwhile) changes nothing.
import type { Postgres } from '../client.js';

export interface CallAnswer {
  readonly callId: string;
  readonly command: string;
  /** What is watched because of the call: rail_watches.id. */
  readonly inquiryId: string;
  /** When it is looked up next; null: there is nothing left to be watched. */
  readonly inquireInMs: number | null;
}

/**
 * Of each, in their order, whether it was the first. `is not distinct from` keeps Postgres from the index of the calls
 * that are sent (rail_calls_sent): it takes that for nearly empty, and read all that waited at a hanging rail for each
 * answer. Whoever changes many watches takes them in the order of their ids.
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
        ${answers.map((answer) => answer.inquireInMs?.toString() ?? null)}::text[]::float8[])
        as g (id, command, watch_id, look_in_ms) order by watch_id),
    answered as (
      update rail_calls c set state = 'answered', answer = g.command, answered_at = now()
        from given g where c.id = g.id and c.state is not distinct from 'sent'
      returning c.id, c.payment_id, g.command, g.watch_id, g.look_in_ms),
    kept as (
      insert into rail_facts (id, payment_id, command) select id, payment_id, command from answered
      on conflict (id) do nothing),
    watched as (
      update rail_watches w set look_at = now() + a.look_in_ms * interval '1 millisecond'
        from answered a where w.id = a.watch_id)
    select id from answered`;
  const first = new Set(rows.map(({ id }) => id));
  return answers.map(({ callId }) => first.has(callId));
}

/** The rail did not say, or not yet how it ends: it is looked up in `lookInMs`. */
export async function recordUnknown(
  sql: Postgres,
  callId: string,
  watchId: string,
  lookInMs: number,
): Promise<void> {
  await sql`
    with unknown as (
      update rail_calls set unknown_at = coalesce(unknown_at, now())
       where id = ${callId} and state is not distinct from 'sent' returning id)
    update rail_watches
       set look_at = least(look_at, now() + ${lookInMs}::float8 * interval '1 millisecond')
     where id = ${watchId} and exists (select from unknown)`;
}
