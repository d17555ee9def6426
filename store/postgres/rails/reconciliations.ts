// Reconciliations with rails: one row each, processed in pages (store/postgres/schema/0007_reconciliation.sql names the
// states). One statement stores a page with all that follows from it: the next cursor, differences, operator tasks and
// status inquiries. Only the lease holder can store one, so a page that two processes read counts once.
import type { Difference } from '#actors/core/tasks/rail-differences.js';
import type { ReportedState } from '#actors/core/statuses.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';

/** One rail on one of its days. */
export interface RailDayKey {
  readonly rail: RailName;
  /** `2026-08-02` */
  readonly day: string;
}

/** store/postgres/schema/0007_reconciliation.sql describes them. */
export const RECONCILIATION_STEPS = ['list', 'ask', 'payouts'] as const;
export type ReconciliationStep = (typeof RECONCILIATION_STEPS)[number];

export interface ClaimedReconciliation extends RailDayKey {
  readonly lease: number;
  readonly step: ReconciliationStep;
  readonly cursor: string | null;
  readonly postponed: number;
}

export interface FoundDifference extends Omit<Difference, 'booking'> {
  /** Of an order or a payout. */
  readonly orderId: string;
  /** null: the order is unknown, or it is a payout. */
  readonly paymentId: string | null;
  readonly payoutId: string | null;
  /** null: no operator has to act. */
  readonly task: { readonly id: string; readonly details: string } | null;
}

/** An unknown order in the rail's list: its rail is inquired, as after a callback about an unknown order. */
export interface Orphan {
  readonly orderId: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
}

/** A status inquiry that becomes due; it is repeated soon until it finds the report. */
export interface RequestedInquiry {
  readonly kind: 'order' | 'refund' | 'payout';
  readonly id: string;
  /** The rail's own id of an order. */
  readonly reference: string | null;
  /** null: nothing that an inquiry could find. */
  readonly report: ReportedState | null;
}

export interface ReconciledPage {
  readonly key: ClaimedReconciliation;
  /** Where the next page begins; null: the reconciliation has ended. */
  readonly next: Pick<ClaimedReconciliation, 'step' | 'cursor'> | null;
  readonly matched: number;
  readonly unanswered: number;
  readonly sightings: readonly string[];
  readonly differences: readonly FoundDifference[];
  readonly orphans: readonly Orphan[];
  readonly inquiries: readonly RequestedInquiry[];
}

/** Requests reconciliations. One that has ended begins anew; one that is under way continues. */
export async function requestReconciliations(
  sql: Postgres,
  keys: readonly RailDayKey[],
): Promise<void> {
  await sql`
    insert into rail_reconciliations as r (rail, day)
    select rail, day::date from unnest(${keys.map(({ rail }) => rail)}::text[],
                                       ${keys.map(({ day }) => day)}::text[]) as k (rail, day)
    on conflict (rail, day) do update
       set due_at = now(), asked_at = now(), postponed = 0, repeated = 0`;
}

/** Requests the days that are missing, from `fromDay` or each rail's last one until `toDay`. A new rail gets `toDay` only. */
export async function planReconciliations(
  sql: Postgres,
  rails: readonly RailName[],
  fromDay: string,
  toDay: string,
): Promise<void> {
  await sql`
    insert into rail_reconciliations (rail, day)
    select r.rail, d.day::date
      from unnest(${rails}::text[]) as r (rail)
      left join lateral (select max(day) as day from rail_reconciliations l
                          where l.rail = r.rail and l.day <= ${toDay}::text::date) last on true
      cross join lateral generate_series(
        greatest(coalesce(last.day + 1, ${toDay}::text::date), ${fromDay}::text::date),
        ${toDay}::text::date, interval '1 day') as d (day)
    on conflict (rail, day) do nothing`;
}

/** Claims a due reconciliation; one that has ended begins anew. undefined: none is due. */
export async function claimReconciliation(
  sql: Postgres,
  rails: readonly RailName[],
  leaseMs: number,
): Promise<ClaimedReconciliation | undefined> {
  const rows = await sql<ClaimedReconciliation[]>`
    with due as (
      select rail, day, ended_at is not null as is_anew from rail_reconciliations
       where rail = any(${rails}::text[]) and due_at <= now()
         and coalesce(leased_until <= now(), true)
       order by due_at, day limit 1 for update skip locked),
    unseen as (
      delete from rail_sightings s using due d where s.rail = d.rail and s.day = d.day and d.is_anew),
    dropped as (
      delete from rail_differences f using due d
       where f.rail = d.rail and f.day = d.day and d.is_anew)
    update rail_reconciliations r
       set lease = r.lease + 1, ended_at = null,
           leased_until = now() + ${leaseMs}::float8 * interval '1 millisecond',
           step = case when d.is_anew then 'list' else r.step end,
           cursor = case when d.is_anew then null else r.cursor end,
           matched = case when d.is_anew then 0 else r.matched end,
           unanswered = case when d.is_anew then 0 else r.unanswered end
      from due d where r.rail = d.rail and r.day = d.day
    returning r.rail, r.day::text, r.lease, r.step, r.cursor, r.postponed`;
  return rows[0];
}

/** The rail did not answer: the same page is due again after `waitMs`. */
export async function postponeReconciliation(
  sql: Postgres,
  { rail, day, lease }: ClaimedReconciliation,
  waitMs: number,
): Promise<void> {
  await sql`
    update rail_reconciliations
       set leased_until = null, postponed = postponed + 1,
           due_at = now() + ${waitMs}::float8 * interval '1 millisecond'
     where rail = ${rail} and day = ${day}::text::date and lease = ${lease}`;
}

/** When, and at most how often, a reconciliation with unanswered orders is repeated. */
export interface Repetition {
  readonly inMs: number;
  readonly most: number;
}

/** false: another process holds the lease, and nothing was stored. */
export async function recordPage(
  sql: Postgres,
  { key, next, matched, unanswered, ...found }: ReconciledPage,
  leaseMs: number,
  again: Repetition,
): Promise<boolean> {
  const json = (rows: readonly unknown[]) => sql`${JSON.stringify(rows)}::text::jsonb`;
  const rows = await sql<{ isKept: boolean }[]>`
    select record_reconciled_page(
      ${key.rail}, ${key.day}::text::date, ${key.lease}, ${leaseMs}, ${next?.step ?? null},
      ${next?.cursor ?? null}, ${matched}, ${unanswered}, ${again.inMs}, ${again.most},
      ${json(found.sightings)}, ${json(found.differences)}, ${json(found.orphans)},
      ${json(found.inquiries)}) as "isKept"`;
  return rows[0]?.isKept === true;
}
