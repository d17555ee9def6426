// Totals of a merchant's payments by hour or day of a time zone, and its pending payments.
import type { Environment, MerchantId } from '#actors/core/ids.js';
import { hasCode } from '../classify-failure.js';
import type { Postgres } from '../client.js';
import { joinColumn } from '../join-column.js';

export const TOTAL_OUTCOMES = ['paid', 'failed', 'cancelled', 'refunded', 'reversed'] as const;
export type TotalOutcome = (typeof TOTAL_OUTCOMES)[number];

export const INTERVALS = ['hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];

/** Each costs 2 µs, so that more of them would take too long. */
const MAX_DUE = 20_000;

export interface Calendar {
  /** Included; its hour or day is shown whole. */
  readonly from: Date;
  /** Not included. */
  readonly to: Date;
  readonly interval: Interval;
  /** Its hours and days are listed. */
  readonly timeZone: string;
}

/** The starts of all hours or days, oldest first; null if Postgres does not know the time zone. */
export async function listStarts(sql: Postgres, calendar: Calendar): Promise<Date[] | null> {
  const { from, to, interval, timeZone } = calendar;
  // The steps of hours are even; those of days are not where clocks change, so they are made by the clock of the zone.
  const query =
    interval === 'hour'
      ? sql<{ start: Date }[]>`
          select generate_series(date_trunc('hour', ${from}::timestamptz, ${timeZone}),
                                 ${to}::timestamptz - interval '1 microsecond', '1 hour') as start`
      : sql<{ start: Date }[]>`
          select day at time zone ${timeZone}::text as start
            from generate_series(date_trunc('day', ${from}::timestamptz at time zone ${timeZone}::text),
                                 (${to}::timestamptz - interval '1 microsecond') at time zone ${timeZone}::text,
                                 '1 day') as day`;
  try {
    return (await query).map(({ start }) => start);
  } catch (error) {
    if (hasCode(error, INVALID_PARAMETER_VALUE)) return null;
    throw error;
  }
}

const INVALID_PARAMETER_VALUE = '22023';

export interface TotalsFilter {
  readonly merchantId: MerchantId;
  readonly environment: Environment;
  readonly currency: string;
  /** Of hours or days, oldest first; at least one. */
  readonly starts: readonly Date[];
  /** Not included. */
  readonly to: Date;
}

/** Events of an hour or day that had the same outcome. */
export interface Total {
  /** Its place in `starts`. */
  readonly place: number;
  readonly outcome: TotalOutcome;
  readonly events: number;
  readonly amount: string;
}

/** Empty hours and days are left out. 366 days of a busy merchant are 100,000 rows. */
export async function readTotals(sql: Postgres, filter: TotalsFilter): Promise<Total[]> {
  const { merchantId, environment, currency, starts, to } = filter;
  return sql<Total[]>`
    with calendar as materialized (${selectCalendar(sql, starts)})
    select width_bucket(quarter, c.starts) - 1 as place, outcome,
           sum(events)::float8 as events, sum(amount)::text as amount
      from calendar c cross join payment_totals
     where merchant_id = ${merchantId} and environment = ${environment} and currency = ${currency}
       and quarter >= ${starts[0] ?? to} and quarter < ${to}
     group by 1, 2`;
}

/** Made once for all rows. */
const selectCalendar = (sql: Postgres, starts: readonly Date[]) => sql`
  select split(${joinColumn(starts, (start) => start.toISOString())})::timestamptz[] as starts`;

/** Payments that wait to be paid and were created in an hour or day. */
export interface PendingTotal {
  /** Its place in the starts; null: before all of them, or not before `to`. */
  readonly place: number | null;
  readonly payments: number;
  readonly amount: string;
}

export interface PendingTotals {
  readonly totals: readonly PendingTotal[];
  /** False: more may be pending. */
  readonly isComplete: boolean;
}

/**
 * Reads at most MAX_DUE payments that are due, in their order: a pending payment is due when it expires. So is a paid one whose
 * money is held, but most often later.
 */
export async function sumPending(sql: Postgres, filter: TotalsFilter): Promise<PendingTotals> {
  const { merchantId, environment, currency, starts, to } = filter;
  const rows = await sql<(PendingTotal & { readonly due: number })[]>`
    with calendar as materialized (${selectCalendar(sql, starts)})
    select case when created_at >= c.starts[1] and created_at < ${to}
                then width_bucket(created_at, c.starts) - 1 end as place,
           count(*) filter (where is_pending)::int as payments,
           coalesce(sum(amount) filter (where is_pending), 0)::text as amount,
           sum(count(*)) over ()::float8 as due
      from calendar c cross join (
        select amount, created_at,
               status in ('creating', 'pending') and currency = ${currency} as is_pending
          from payments
         where (environment || ' ' || merchant_id) = ${`${environment} ${merchantId}`} and due_at is not null
         order by due_at limit ${MAX_DUE}) as due
     group by 1`;
  const totals = rows.map(({ place, payments, amount }) => ({ place, payments, amount }));
  return { totals, isComplete: (rows[0]?.due ?? 0) < MAX_DUE };
}
