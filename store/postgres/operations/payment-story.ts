// The story of one payment, from every table that has a part of it. Only columns and members are read that hold no text of a
// person and no secret: no bodies, no instructions, no names. So an erasure leaves nothing to hide here. Every table but
// payment_events is read by an index, or is small.
import type { OrderId, PaymentId, RefundId } from '#actors/core/ids.js';
import { formatTransitionKey } from '#actors/core/ids.js';
import type { Position } from '#actors/core/partition.js';
import type { Postgres } from '../client.js';

export interface StoryEntry {
  readonly at: Date;
  readonly kind: string;
  /** Its id, or its type. */
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface StoryScope {
  readonly id: PaymentId;
  /** Of its latest event. */
  readonly version: number;
  readonly orderIds: readonly OrderId[];
  readonly refundIds: readonly RefundId[];
}

/** All but the events, in no order. */
export async function readStory(sql: Postgres, scope: StoryScope): Promise<StoryEntry[]> {
  const found: StoryEntry[] = [];
  for (const read of [readLedger, readRails, readWebhooks, readPeople, readCommands]) {
    found.push(...(await read(sql, scope)));
  }
  return found;
}

/** Postings of the payment, of its tasks and of its approvals. */
const readLedger = (sql: Postgres, { id }: StoryScope) => sql<StoryEntry[]>`
  select at, 'posting' as kind, reason as subject,
         json_build_object('debit', debit, 'credit', credit, 'amount', amount::text, 'currency', currency,
                           'cause', cause_id) as details
    from postings
   where cause_id = ${id}
      or cause_id in (select id from operator_tasks where payment_id = ${id})
      or cause_id in (select id from approvals where payment_id = ${id})`;

/** Ids of calls begin with that of their payment, and of inquiries are those of orders and of refunds' calls. */
const readRails = (sql: Postgres, { id, orderIds, refundIds }: StoryScope) => {
  const first = `call_${formatTransitionKey(id, 1)}`;
  const last = `call_${id.slice(id.indexOf('_') + 1)}~`;
  return sql<StoryEntry[]>`
    with calls as (select * from rail_calls where id >= ${first} and id < ${last})
    select requested_at as at, 'rail call' as kind, id as subject,
           json_strip_nulls(json_build_object(
             'operation', operation, 'rail', rail, 'order', request::json ->> 'orderId', 'state', state,
             'sent_at', sent_at, 'unknown_at', unknown_at, 'answered_at', answered_at,
             'command', answer::json ->> 'type', 'result', answer::json #>> '{answer,result}')) as details
      from calls
    union all
    select coalesce(inquired_at, due_at, inquire_until), 'inquiry', id,
           json_build_object('about', kind, 'rail', rail, 'number', number, 'due_at', due_at, 'absences', absences,
                             'unconfirmed', to_json(unconfirmed))
      from status_inquiries where id = any(${[...orderIds]}::text[]) or id in (select id from calls)
    union all
    select received_at, 'callback', subject_id,
           json_build_object('rail', rail, 'status', status, 'repeats', repeats, 'amount', amount::text)
      from rail_callbacks where subject_id = any(${[...orderIds, ...refundIds]}::text[])
    union all
    select stored_at, 'pending command', id, json_build_object('type', command::json ->> 'type')
      from rail_facts where payment_id = ${id}`;
};

/** Ids of deliveries' events begin with that of their payment. */
const readWebhooks = (sql: Postgres, { id }: StoryScope) => {
  const body = id.slice(id.indexOf('_') + 1);
  return sql<StoryEntry[]>`
    with deliveries as (
      select * from webhook_deliveries
       where event_id > ${`evt_${body}`} and event_id < ${`evt_${body}~`} and payment_id = ${id})
    select created_at as at, 'delivery' as kind, id as subject,
           json_strip_nulls(json_build_object(
             'type', type, 'event', event_id, 'endpoint', endpoint_id, 'status', status, 'attempts', attempts,
             'reason', reason, 'next_attempt_at', case when status = 'pending' then next_attempt_at end)) as details
      from deliveries
    union all
    select a.at, 'attempt', a.delivery_id,
           json_build_object('number', a.attempt, 'duration_ms', a.duration_ms, 'status_code', a.status_code,
                             'outcome', coalesce(a.failure, 'delivered'))
      from webhook_attempts a join deliveries d on d.id = a.delivery_id`;
};

/** Requests of clients and decisions of people. */
const readPeople = (sql: Postgres, { id }: StoryScope) => sql<StoryEntry[]>`
  select at, 'request' as kind, request_id as subject,
         json_build_object('method', method, 'path', path, 'status', status, 'code', code, 'key', key_id) as details
    from api_logs where payment_id = ${id}
  union all
  select opened_at, 'task', id,
         json_strip_nulls(json_build_object('kind', kind, 'status', status, 'resolved_at', resolved_at, 'action', action,
                                            'resolved_by', resolved_by))
    from operator_tasks where payment_id = ${id}
  union all
  select proposed_at, 'decision', id,
         json_strip_nulls(json_build_object('kind', kind, 'status', status, 'amount', amount::text,
                                            'proposed_by', proposed_by, 'decided_by', decided_by, 'ended_at', ended_at))
    from approvals where payment_id = ${id}
  union all
  select decided_at, 'decision', refund_id,
         json_build_object('kind', type, 'amount', amount::text, 'decided_by', decided_by)
    from refund_ends where payment_id = ${id}
  union all
  select asked_at, 'erasure', id, json_build_object('erased_at', erased_at, 'with_reference', with_reference)
    from erasure_subjects where id = ${id}`;

/** Commands that were set aside. These tables are small. A quarantined command may be no JSON. */
const readCommands = (sql: Postgres, { id }: StoryScope) => sql<StoryEntry[]>`
  select quarantined_at as at, 'quarantined command' as kind,
         partition || '-' || position_ms || '-' || position_seq || '-' || index as subject,
         json_build_object('type', substring(command from '"type":"([a-z_]{1,40})"'), 'error', error) as details
    from quarantined_commands where strpos(command, ${id}) > 0
  union all
  select deferred_at, 'deferred command', partition || '-' || position_ms || '-' || position_seq || '-' || index,
         json_build_object('type', substring(command from '"type":"([a-z_]{1,40})"'), 'source', source)
    from deferred_commands where payment_id = ${id}`;

export interface StoredPayment {
  readonly version: number;
  readonly createdAt: Date;
  readonly snapshot: string;
}

export async function findPayment(
  sql: Postgres,
  id: PaymentId,
): Promise<StoredPayment | undefined> {
  const rows = await sql<StoredPayment[]>`
    select version, created_at as "createdAt", snapshot from payments where id = ${id}`;
  return rows[0];
}

export interface FoundEvent extends StoryEntry {
  readonly version: number;
}

/** Events that merchants received: they have an index by payment. */
export const listSentEvents = (sql: Postgres, id: PaymentId) => sql<FoundEvent[]>`
  select version, at, 'event' as kind, type as subject,
         (event::jsonb || jsonb_build_object('version', version))::json as details
    from payment_events where payment_id = ${id} and envelope is not null`;

export interface EventPlace {
  readonly position: Position;
  readonly index: number;
}

export interface EventPage {
  readonly events: readonly FoundEvent[];
  /** Of the last event that was read; null: no event follows. */
  readonly last: (EventPlace & { readonly atMs: number }) | null;
}

type PageRow = FoundEvent & {
  readonly ms: string;
  readonly seq: string;
  readonly index: number;
  readonly is_found: boolean;
};

/** Reads the events of a partition behind a place in their order, since the others have no index by payment. */
export async function readEventPage(
  sql: Postgres,
  { id, partition }: { readonly id: PaymentId; readonly partition: number },
  { position: { ms, seq }, index }: EventPlace,
  limit: number,
): Promise<EventPage> {
  const rows = await sql<PageRow[]>`
    with page as materialized (
      select * from payment_events
       where partition = ${partition}
         and (position_ms, position_seq, index) > (${String(ms)}::bigint, ${String(seq)}::bigint, ${index}::integer)
       order by position_ms, position_seq, index limit ${limit}),
    last as (select * from page order by position_ms desc, position_seq desc, index desc limit 1)
    select position_ms as ms, position_seq as seq, index, payment_id = ${id} as is_found, version, at, 'event' as kind,
           type as subject, (event::jsonb || jsonb_build_object('version', version))::json as details
      from page where payment_id = ${id}
        or (position_ms, position_seq, index) = (select position_ms, position_seq, index from last)
     order by position_ms, position_seq, index`;
  const last = rows.at(-1);
  const place = last && {
    position: { ms: BigInt(last.ms), seq: BigInt(last.seq) },
    ...{ index: last.index, atMs: last.at.getTime() },
  };
  const events = rows
    .filter((row) => row.is_found)
    .map(({ version, at, kind, subject, details }) => ({ version, at, kind, subject, details }));
  return { events, last: place ?? null };
}
