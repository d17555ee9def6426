// Payouts whose next step is due. The time is kept in the payout's row only, so nothing is lost with a process.
import type { Environment, PayoutId } from '#actors/core/ids.js';
import type { PayoutState } from '#actors/core/payout/state.js';
import type { RailName } from '#actors/core/rails/rail-names.js';
import type { Postgres } from '../client.js';
import { Turns } from '../turns.js';
import { type PayoutRow, selectPayout, buildPayoutState } from './payout-row.js';

export interface DuePayout {
  readonly state: PayoutState;
  readonly inquiries: number;
  /** The time of the rail's latest callback. */
  readonly calledBackAtMs: number | null;
}

type Row = PayoutRow & { readonly look_ups: number; readonly called_back_at: Date | null };

const buildDuePayout = (row: Row): DuePayout => ({
  state: buildPayoutState(row),
  inquiries: row.look_ups,
  calledBackAtMs: row.called_back_at?.getTime() ?? null,
});

/** Environments, and the merchants of each, take turns in the payouts that are to be sent, or to be inquired about. */
export function createPayoutTurns(step: 'send' | 'inquire'): Turns {
  return new Turns((sql) => ({
    table: sql`payouts`,
    waiting: sql`${step === 'send' ? sql`status = 'PENDING'` : sql`status <> 'PENDING'`} and due_at is not null`,
    key: sql`(environment || ' ' || merchant_id)`,
    dueAt: sql`due_at`,
  }));
}

/**
 * Loads pending payouts of these environments that may be sent, in the order of turns. Those of a merchant that is suspended
 * or switched off are held.
 */
export async function loadToSend(
  sql: Postgres,
  turns: Turns,
  environments: readonly Environment[],
  limit: number,
): Promise<DuePayout[]> {
  const keys = (await turns.listKeys(sql)).filter((key) =>
    environments.some((environment) => key.startsWith(environment)),
  );
  const isOn = sql`takes_payments(split_part(o.key, ' ', 2), split_part(o.key, ' ', 1))`;
  return loadTurns(sql, keys, turns.select(sql, keys, limit, isOn));
}

async function loadTurns(
  sql: Postgres,
  keys: readonly string[],
  turns: ReturnType<Turns['select']>,
): Promise<DuePayout[]> {
  if (keys.length === 0) return [];
  const rows = await sql<Row[]>`
    ${selectPayout(sql)} join (${turns}) t using (id) order by t.rank, t.due`;
  return rows.map(buildDuePayout);
}

/** Loads LIVE payouts that have waited for longer than `afterMs`, to be sent or for their result, and have no task for it. */
export async function loadOverdue(
  sql: Postgres,
  afterMs: number,
  limit: number,
): Promise<PayoutState[]> {
  const isOverdue = sql`environment = 'LIVE' and not is_unresolved
    and coalesce(sent_at, created_at) <= now() - ${afterMs}::float8 * interval '1 millisecond'`;
  const rows = await sql<Row[]>`
    ${selectPayout(sql)}
     where id in (
       select id from payouts where status = 'PENDING' and due_at is not null and ${isOverdue}
        union all
       select id from payouts where status = 'PROCESSING' and ${isOverdue})
     order by created_at, id limit ${limit}`;
  return rows.map(buildPayoutState);
}

/** Loads payouts of these rails whose inquiry is due, in the order of turns. */
export async function loadToInquire(
  sql: Postgres,
  turns: Turns,
  rails: readonly RailName[],
  limit: number,
): Promise<DuePayout[]> {
  const keys = await turns.listKeys(sql);
  const isOfRails = sql`rail = any(${[...rails]}::text[])`;
  return loadTurns(sql, keys, turns.select(sql, keys, limit, isOfRails));
}

/**
 * Begins the next inquiry of a payout and returns its number. One of several processes gets it, and no other begins until
 * `leaseMs` have passed. undefined: another process was faster.
 */
export async function beginInquiry(
  sql: Postgres,
  { state, inquiries }: DuePayout,
  leaseMs: number,
): Promise<number | undefined> {
  const rows = await sql<{ look_ups: number }[]>`
    update payouts
       set look_ups = look_ups + 1, due_at = clock_timestamp() + ${leaseMs}::bigint * interval '1 millisecond'
     where id = ${state.id} and version = ${state.version} and look_ups = ${inquiries}
    returning look_ups`;
  return rows[0]?.look_ups;
}

export interface InquiryDeferral {
  readonly inquiry: number;
  /** null: no inquiry follows. */
  readonly dueInMs: number | null;
  /** The rail's answer was unknown. */
  readonly isUnknown: boolean;
}

/** Plans the next inquiry after an answer without news. No effect when a later inquiry has begun. */
export async function deferInquiry(
  sql: Postgres,
  { id, version }: Pick<PayoutState, 'id' | 'version'>,
  { inquiry, dueInMs, isUnknown }: InquiryDeferral,
): Promise<void> {
  await sql`
    update payouts
       set due_at = clock_timestamp() + ${dueInMs}::bigint * interval '1 millisecond',
           is_unknown = ${isUnknown} and status = 'PROCESSING'
     where id = ${id} and version = ${version} and look_ups = ${inquiry}`;
}

/**
 * Makes an inquiry due now, since the rail has news, whatever the payout's status is. The result of an inquiry under way
 * is dropped, since it may be older. missing: the rail never got such a payout.
 */
export async function expediteInquiry(
  sql: Postgres,
  rail: RailName,
  id: PayoutId,
): Promise<'expedited' | 'missing'> {
  const rows = await sql`
    update payouts
       set look_ups = look_ups + 1, due_at = now(), called_back_at = now()
     where id = ${id} and rail = ${rail}
    returning id`;
  return rows.length === 1 ? 'expedited' : 'missing';
}
