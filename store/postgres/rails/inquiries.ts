// Status inquiries. One process at a time claims an inquiry, under a new number. Its result is recorded by
// compare-and-set on the number, together with the commands that follow from it: an older result is dropped whole.
import type { ReportedState } from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';
import { Turns } from '../turns.js';

/** A call that was sent. */
export interface SentCall {
  readonly id: string;
  readonly request: string;
  /** The caller no longer waits for the answer. */
  readonly isGivenUp: boolean;
  /** The refund that is inquired has an answer; its rail may have another one by now. */
  readonly isAnswered: boolean;
}

export const INQUIRY_KINDS = ['order', 'refund'] as const;

export interface ClaimedInquiry {
  readonly id: string;
  readonly kind: (typeof INQUIRY_KINDS)[number];
  readonly number: number;
  readonly step: number;
  readonly inquireUntilMs: number;
  /** Callbacks before the inquiry began. */
  readonly callbacks: number;
  /** Their reports that no inquiry has confirmed yet. */
  readonly unconfirmed: readonly ReportedState[];
  readonly fastStep: number;
  /** The rail's own id when a callback reported it. */
  readonly reference: string | null;
  readonly snapshot: string;
  /** All unanswered calls of the payment, and the call of the refund that is inquired. */
  readonly calls: readonly SentCall[];
  /** How often the rail has not known the order, and since when; null: it never was missing, or it answered since. */
  readonly absence: { readonly count: number; readonly sinceMs: number } | null;
  /** How often inquiries had the order closed again. */
  readonly closes: number;
  /** The latest of these closes has not been made yet. */
  readonly isCloseDue: boolean;
  /** Amounts that callbacks reported for the order. */
  readonly reported: readonly ReportedMoney[];
}

export interface ReportedMoney {
  readonly amount: string;
  readonly currency: string;
}

export interface InquiryClaim {
  readonly rail: RailName;
  readonly limit: number;
  /** After this time another process may claim the inquiry. */
  readonly leaseMs: number;
  /** After this time the process that made a call no longer waits for it. */
  readonly givenUpMs: number;
  /** Without it, each claim begins with the first merchants. */
  readonly turns?: Turns;
}

/** Merchants take turns in the status inquiries of a rail. */
export function createInquiryTurns(rail: RailName): Turns {
  return new Turns((sql) => ({
    table: sql`status_inquiries`,
    waiting: sql`rail = ${rail} and due_at is not null`,
    key: sql`merchant_id`,
    dueAt: sql`due_at`,
  }));
}

/** Different amounts per order. */
const MAX_REPORTED = 20;

/** Claims due inquiries of a rail. */
export async function claimInquiries(
  sql: Postgres,
  { rail, limit, leaseMs, givenUpMs, turns = createInquiryTurns(rail) }: InquiryClaim,
): Promise<ClaimedInquiry[]> {
  const keys = await turns.listKeys(sql);
  if (keys.length === 0) return [];
  const isFree = sql`coalesce(leased_until <= now(), true)`;
  return sql<ClaimedInquiry[]>`
    with due as (
      select id from status_inquiries
       where id in (select t.id from (${turns.select(sql, keys, limit, isFree)}) t)
         and due_at <= now() and ${isFree}
         for update skip locked),
    claimed as (
      update status_inquiries i
         set number = i.number + 1, inquired_at = now(),
             leased_until = now() + ${leaseMs}::float8 * interval '1 millisecond',
             due_at = now() + ${leaseMs}::float8 * interval '1 millisecond'
        from due where i.id = due.id
      returning i.*)
    select c.id, c.kind, c.number, c.step, c.reference, p.snapshot, c.callbacks,
           to_json(c.unconfirmed) as unconfirmed, c.fast_step as "fastStep",
           c.closes,
           case when c.absences > 0
             then json_build_object('count', c.absences,
                                    'sinceMs', extract(epoch from c.absent_since)::float8 * 1000)
           end as absence,
           exists (select from rail_calls d where d.id = c.close_id and d.state = 'due') as "isCloseDue",
           extract(epoch from c.inquire_until)::float8 * 1000 as "inquireUntilMs",
           coalesce((select json_agg(json_build_object('id', s.id, 'request', s.request,
                                     'isAnswered', s.state = 'answered', 'isGivenUp',
                                     s.unknown_at is not null
                                     or s.sent_at < now() - ${givenUpMs}::float8 * interval '1 millisecond'))
                       from (select * from rail_calls where payment_id = c.payment_id and state = 'sent'
                              union all
                             select * from rail_calls
                              where c.kind = 'refund' and id = c.id and state = 'answered') as s),
                    '[]'::json) as calls,
           coalesce((select json_agg(json_build_object('amount', b.amount::text, 'currency', b.currency))
                       from (select distinct amount, currency from rail_callbacks
                              where subject_id = c.id and subject_kind = 'order' and rail = c.rail
                                and amount is not null and currency is not null
                              order by amount, currency limit ${MAX_REPORTED}) as b),
                    '[]'::json) as reported
      from claimed c join payments p on p.id = c.payment_id`;
}

export interface NextInquiry {
  readonly inMs: number;
  readonly step: number;
  readonly inquireUntilMs: number;
  /** null: nothing is unconfirmed. */
  readonly fast: { readonly step: number; readonly unconfirmed: readonly ReportedState[] } | null;
}

export interface RecordedInquiry {
  readonly inquiry: Pick<ClaimedInquiry, 'id' | 'number' | 'callbacks'>;
  readonly paymentId: string;
  /** null: inquiries end. */
  readonly next: NextInquiry | null;
  /** Calls that the result answers. */
  readonly answeredCalls: readonly string[];
  readonly commands: readonly string[];
  readonly absence: ClaimedInquiry['absence'];
  /** Close the order again. */
  readonly close: NewClose | null;
  /** An id that exists already is the same task. */
  readonly tasks: readonly InquiryTask[];
}

export interface NewClose {
  readonly id: string;
  readonly rail: RailName;
  readonly request: string;
  readonly inMs: number;
  /** Only if the result answers this call, since it had no other answer. null: in any case. */
  readonly onlyWithout: string | null;
}

export interface InquiryTask {
  readonly id: string;
  readonly kind:
    | 'callback_contradicted'
    | 'callback_unconfirmed'
    | 'instructions_unusable'
    | 'refund_unresolved'
    | 'rail_difference';
  /** JSON of texts. */
  readonly details: string;
}

/**
 * Returns for each result, in their order, whether it was the latest; an older result is dropped. An inquiry that a callback
 * made due while it ran stays due, and its report stays unconfirmed: the answer may be older. Calls are found by id
 * alone, for the reason given in record-answers.ts. The answer to a charge closes the task that waited for it.
 */
export async function recordInquiries(
  sql: Postgres,
  results: readonly RecordedInquiry[],
): Promise<boolean[]> {
  const rows = await sql<{ index: number }[]>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(results.map(describeInquiry))}::text::json)
        as g (index integer, id text, number integer, payment_id text, step integer, in_ms float8,
              inquire_until_ms float8, callbacks integer, unconfirmed text[], fast_step integer,
              absences integer, absent_since_ms float8, answered text[], commands text[], close json,
              tasks json)
       order by id),
    latest as (
      update status_inquiries i
         set leased_until = null, step = g.step,
             inquire_until = coalesce(to_timestamp(g.inquire_until_ms / 1000), i.inquire_until),
             due_at = case when i.due_at < i.leased_until or i.callbacks > g.callbacks then i.due_at
                            else now() + g.in_ms * interval '1 millisecond' end,
             unconfirmed = case when i.callbacks > g.callbacks then i.unconfirmed else g.unconfirmed end,
             fast_step = case when i.callbacks > g.callbacks then i.fast_step else g.fast_step end,
             absences = g.absences, absent_since = to_timestamp(g.absent_since_ms / 1000),
             closes = i.closes + case when g.close ->> 'id' is null then 0 else 1 end,
             close_id = coalesce(g.close ->> 'id', i.close_id)
        from given g where i.id = g.id and i.number = g.number
      returning g.*, i.merchant_id),
    answered as (
      update rail_calls c
         set state = 'answered', answer = coalesce(t.commands[1], ''), answered_at = now()
        from latest t cross join lateral unnest(t.answered) as a (id)
       where c.id = a.id and c.state is not distinct from 'sent'
      returning c.id, c.payment_id, c.request::json ->> 'orderId' as order_id),
    resolved as (
      update operator_tasks o
         set status = 'resolved', note = 'The rail has said what became of the order.',
             resolved_at = date_trunc('milliseconds', now())
        from answered a
       where o.payment_id = a.payment_id and o.kind = 'attempt_unresolved' and o.status = 'open'
         and o.details::jsonb ->> 'orderId' = a.order_id),
    closed as (
      insert into rail_calls (id, payment_id, merchant_id, rail, operation, request, due_at)
      select n.id, t.payment_id, t.merchant_id, n.rail, 'close', n.request, now() + n."inMs" * interval '1 ms'
        from latest t cross join lateral json_to_record(t.close)
             as n (id text, rail text, request text, "inMs" float8, "onlyWithout" text)
       where n.id is not null
         and (n."onlyWithout" is null or exists (select from answered a where a.id = n."onlyWithout"))
      on conflict (id) do nothing),
    kept as (
      insert into rail_facts (id, payment_id, command)
      select t.id || '#' || t.number || '.' || f.place - 1, t.payment_id, f.command
        from latest t cross join lateral unnest(t.commands) with ordinality as f (command, place)
      on conflict (id) do nothing),
    asked as (
      insert into operator_tasks (id, kind, payment_id, details, opened_at)
      select k.id, k.kind, t.payment_id, k.details, date_trunc('milliseconds', now())
        from latest t cross join lateral json_to_recordset(t.tasks) as k (id text, kind text, details text)
      on conflict (id) do nothing)
    select index from latest`;
  const latest = new Set(rows.map(({ index }) => index));
  return results.map((_, index) => latest.has(index));
}

function describeInquiry(
  result: RecordedInquiry,
  index: number,
): Readonly<Record<string, unknown>> {
  const { inquiry, paymentId, next, answeredCalls, commands, absence, close, tasks } = result;
  return {
    ...{ index, id: inquiry.id, number: inquiry.number, payment_id: paymentId },
    ...{ step: next?.step ?? 0, in_ms: next?.inMs ?? null, callbacks: inquiry.callbacks },
    ...{ unconfirmed: next?.fast?.unconfirmed ?? [], fast_step: next?.fast?.step ?? 0 },
    ...{ inquire_until_ms: next?.inquireUntilMs ?? null, answered: answeredCalls, commands },
    ...{ absences: absence?.count ?? 0, absent_since_ms: absence?.sinceMs ?? null, close, tasks },
  };
}

/** Counts, by rail, the sent calls whose answer was lost or is pending. */
export async function countUnknownCalls(sql: Postgres): Promise<Map<string, number>> {
  const rows = await sql<{ rail: string; calls: number }[]>`
    select rail, count(*)::integer as calls from rail_calls
     where state = 'sent' and unknown_at is not null group by rail`;
  return new Map(rows.map(({ rail, calls }) => [rail, calls]));
}
