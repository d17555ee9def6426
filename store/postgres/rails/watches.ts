// What is looked up at rails. A look-up is claimed (one at a time, numbered) and its result recorded by compare-and-set
// on the number, together with the commands that follow from it: an older result is dropped whole.
import type { RailName } from '../../../actors/core/rails/answers.js';
import type { Postgres } from '../client.js';

/** A call that was sent and has no answer yet. */
export interface SentCall {
  readonly id: string;
  readonly request: string;
  /** Whoever made it does not wait for its answer any more. */
  readonly isGivenUp: boolean;
}

export interface ClaimedWatch {
  readonly id: string;
  readonly kind: 'order' | 'refund';
  readonly number: number;
  readonly step: number;
  readonly watchUntilMs: number;
  /** The rail's own id, where a callback told it. */
  readonly reference: string | null;
  readonly snapshot: string;
  /** Of the payment, whatever they are about. */
  readonly calls: readonly SentCall[];
  /** What callbacks said of the order's money. */
  readonly told: readonly ToldMoney[];
}

export interface ToldMoney {
  readonly amount: string;
  readonly currency: string;
}

export interface WatchClaim {
  readonly rail: RailName;
  readonly limit: number;
  /** Who claims a look-up and dies loses it after that. */
  readonly leaseMs: number;
  /** Whoever made a call has given it up after that. */
  readonly givenUpMs: number;
}

/** Different sums, of one order. */
const MOST_TOLD = 20;

/** Claims look-ups of a rail that are due. */
export async function claimWatches(
  sql: Postgres,
  { rail, limit, leaseMs, givenUpMs }: WatchClaim,
): Promise<ClaimedWatch[]> {
  return sql<ClaimedWatch[]>`
    with due as (
      select id from rail_watches
       where rail = ${rail} and look_at <= now() and coalesce(leased_until <= now(), true)
       order by look_at limit ${limit} for update skip locked),
    claimed as (
      update rail_watches w
         set number = w.number + 1,
             leased_until = now() + ${leaseMs}::float8 * interval '1 millisecond',
             look_at = now() + ${leaseMs}::float8 * interval '1 millisecond'
        from due where w.id = due.id
      returning w.*)
    select c.id, c.kind, c.number, c.step, c.reference, p.snapshot,
           extract(epoch from c.watch_until)::float8 * 1000 as "watchUntilMs",
           coalesce((select json_agg(json_build_object('id', s.id, 'request', s.request, 'isGivenUp',
                                     s.unknown_at is not null
                                     or s.sent_at < now() - ${givenUpMs}::float8 * interval '1 millisecond'))
                       from rail_calls s where s.payment_id = c.payment_id and s.state = 'sent'),
                    '[]'::json) as calls,
           coalesce((select json_agg(json_build_object('amount', b.amount::text, 'currency', b.currency))
                       from (select distinct amount, currency from rail_callbacks
                              where subject_id = c.id and subject_kind = 'order' and rail = c.rail
                                and amount is not null and currency is not null
                              order by amount, currency limit ${MOST_TOLD}) as b),
                    '[]'::json) as told
      from claimed c join payments p on p.id = c.payment_id`;
}

/** null: there is nothing left to be watched. */
export interface NextLook {
  readonly inMs: number;
  readonly step: number;
  readonly watchUntilMs: number;
}

export interface LookResult {
  readonly watch: Pick<ClaimedWatch, 'id' | 'number'>;
  readonly paymentId: string;
  readonly next: NextLook | null;
  /** Calls that the result answers. */
  readonly answeredCalls: readonly string[];
  readonly commands: readonly string[];
  /** For operators; the same id again is the same task. */
  readonly tasks: readonly WatchTask[];
}

export interface WatchTask {
  readonly id: string;
  readonly kind: 'callback_contradicted' | 'refund_unresolved';
  /** JSON of texts. */
  readonly details: string;
}

export interface RecordedLook {
  /** False: a later look-up has begun since; nothing was kept. */
  readonly isLatest: boolean;
  /** Of the commands, in their order. */
  readonly factIds: readonly string[];
}

/** A watch that was hastened during the look-up stays due. Calls are found by id alone, as in record-answers.ts. */
export async function recordLook(sql: Postgres, result: LookResult): Promise<RecordedLook> {
  const { watch, paymentId, next, answeredCalls, commands, tasks } = result;
  const factIds = commands.map((_, index) => `${watch.id}#${watch.number}.${index}`);
  const rows = await sql`
    with told as (
      update rail_watches
         set leased_until = null, step = ${next?.step ?? 0},
             watch_until = coalesce(to_timestamp(${next?.watchUntilMs ?? null}::float8 / 1000), watch_until),
             look_at = case when look_at < leased_until then look_at
                            else now() + ${next?.inMs ?? null}::float8 * interval '1 millisecond' end
       where id = ${watch.id} and number = ${watch.number} returning id),
    answered as (
      update rail_calls
         set state = 'answered', answer = ${commands[0] ?? ''}, answered_at = now()
       where id = any(${answeredCalls}::text[]) and state is not distinct from 'sent'
           and exists (select from told)),
    kept as (
      insert into rail_facts (id, payment_id, command)
      select f.id, ${paymentId}, f.command
        from unnest(${factIds}::text[], ${commands}::text[]) as f (id, command)
       where exists (select from told)
      on conflict (id) do nothing),
    asked as (
      insert into operator_tasks (id, kind, payment_id, details, opened_at)
      select t.id, t.kind, ${paymentId}, t.details, date_trunc('milliseconds', now())
        from unnest(${tasks.map(({ id }) => id)}::text[], ${tasks.map(({ kind }) => kind)}::text[],
                    ${tasks.map(({ details }) => details)}::text[]) as t (id, kind, details)
       where exists (select from told)
      on conflict (id) do nothing)
    select id from told`;
  return { isLatest: rows.length > 0, factIds };
}

/** How many calls have no answer that their rail was asked for, by rail. */
export async function countUnknownCalls(sql: Postgres): Promise<Map<string, number>> {
  const rows = await sql<{ rail: string; calls: number }[]>`
    select rail, count(*)::integer as calls from rail_calls
     where state = 'sent' and unknown_at is not null group by rail`;
  return new Map(rows.map(({ rail, calls }) => [rail, calls]));
}
