// The outcomes of a merchant's payments over time, by hour or day of a time zone.
import {
  type Calendar,
  type Interval,
  listStarts,
  type PendingTotal,
  readTotals,
  sumPending,
  type Total,
  TOTAL_OUTCOMES,
  type TotalOutcome,
  type TotalsFilter,
} from '#store/postgres/payments/read-totals.js';
import { TIME_ZONE } from '#actors/core/days.js';
import type { Currency } from '#actors/core/money.js';
import type { Postgres } from '#store/postgres/client.js';
import { readConsistently } from '#store/postgres/consistent-reads.js';
import { readDate } from '#gateway/lists/filters.js';
import type { StoreDeps } from '#gateway/lists/listing.js';
import { buildParameterError } from '#gateway/lists/page.js';
import { findTenant } from '#gateway/auth/tenant-request.js';
import type { NoParams } from '#gateway/routing/request.js';
import { type Answer, type ApiError, reply } from '#gateway/routing/response.js';
import type { MerchantRequest } from '#gateway/routing/session-route.js';
import {
  DEFAULT_DAYS,
  MAX_DAYS,
  type Outcomes,
  type Statistics,
  type StatisticsQuery,
  ZONE_REQUIREMENT,
} from './schema.js';

export interface StatisticsDeps extends Pick<StoreDeps, 'readList'> {
  nowMs(): number;
}

const DAY_MS = 24 * 3_600_000;
/** Payments have no other currency. */
const CURRENCY: Currency = 'IDR';
/** Postgres knows no year 0, into which the first day of year 1 begins in some time zones. */
const EARLIEST = new Date(0);

/** 200 with all hours or days; 400 names the invalid parameter. */
export async function showStatistics(
  deps: StatisticsDeps,
  request: MerchantRequest<NoParams, undefined, StatisticsQuery>,
): Promise<Answer> {
  const now = new Date(deps.nowMs());
  const calendar = readCalendar(request.query, now);
  if ('code' in calendar) return calendar;
  const tenant = { ...findTenant(request), currency: CURRENCY } as const;
  const found = await deps.readList(tenant.merchantId, async (sql) => {
    const today = {
      ...calendar,
      from: now,
      to: new Date(now.getTime() + 1),
      interval: 'day',
    } as const;
    const starts = await listStarts(sql, calendar);
    const midnight = await listStarts(sql, today);
    if (starts === null || midnight === null) return null;
    const shown = { ...tenant, starts, to: calendar.to };
    const filters = { shown, today: { ...tenant, starts: midnight, to: today.to } };
    return readConsistently(sql, (tx) => readFigures(tx, filters));
  });
  if (found === null) return buildParameterError('time_zone', ZONE_REQUIREMENT);
  const { environment, currency } = tenant;
  const { interval, timeZone } = calendar;
  const head = {
    object: 'statistics',
    environment,
    currency,
    interval,
    time_zone: timeZone,
  } as const;
  return reply(200, JSON.stringify({ ...head, ...found } satisfies Statistics));
}

function readCalendar(query: StatisticsQuery, now: Date): Calendar | ApiError {
  const { interval = 'day', time_zone: timeZone = TIME_ZONE } = query;
  if (!isTimeZone(timeZone)) return buildParameterError('time_zone', ZONE_REQUIREMENT);
  const times = readPeriod(query, interval, now);
  return 'code' in times ? times : { ...times, interval, timeZone };
}

function readPeriod(
  query: StatisticsQuery,
  interval: Interval,
  now: Date,
): Pick<Calendar, 'from' | 'to'> | ApiError {
  const to = readDate(query, 'to') ?? now;
  if ('code' in to) return to;
  const from = readDate(query, 'from') ?? new Date(to.getTime() - DEFAULT_DAYS[interval] * DAY_MS);
  if ('code' in from) return from;
  if (from < EARLIEST) return buildParameterError('from', 'must be in 1970 or later');
  if (from >= to) return buildParameterError('from', 'must be before to');
  if (to.getTime() - from.getTime() > MAX_DAYS[interval] * DAY_MS) {
    return buildParameterError('from', `must be at most ${MAX_DAYS[interval]} days before to`);
  }
  return { from, to };
}

/** Also refuses what Postgres would take for a time zone and browsers would not, such as `FOO7`. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

interface Filters {
  readonly shown: TotalsFilter;
  readonly today: TotalsFilter;
}

/** The reads must be consistent: a payment that is paid between two of them would be neither pending nor paid. */
async function readFigures(
  sql: Postgres,
  { shown, today }: Filters,
): Promise<Pick<Statistics, 'pending' | 'today' | 'total' | 'data'>> {
  const totals = await readTotals(sql, shown);
  const ofToday = await readTotals(sql, today);
  const pending = await sumPending(sql, shown);
  const inPeriod = pending.totals.filter(({ place }) => place !== null);
  return {
    pending: { ...sumOf(pending.totals.map(countPending)), complete: pending.isComplete },
    today: sumOutcomes(ofToday),
    total: { ...sumOutcomes(totals), pending: sumOf(inPeriod.map(countPending)) },
    data: buildRows(shown.starts, totals, inPeriod),
  };
}

function buildRows(
  starts: readonly Date[],
  totals: readonly Total[],
  pending: readonly PendingTotal[],
): Statistics['data'] {
  const rows = starts.map((start) => ({
    start,
    totals: [] as Total[],
    pending: [] as PendingTotal[],
  }));
  for (const total of totals) rows[total.place]?.totals.push(total);
  for (const total of pending) rows[total.place ?? -1]?.pending.push(total);
  return rows.map((row) => ({
    start: row.start.toISOString(),
    ...sumOutcomes(row.totals),
    pending: sumOf(row.pending.map(countPending)),
  }));
}

interface Count {
  readonly count: number;
  readonly amount: string;
}

const countPending = ({ payments: count, amount }: PendingTotal): Count => ({ count, amount });

const sumOf = (counts: readonly Count[]): Count => ({
  count: counts.reduce((sum, { count }) => sum + count, 0),
  amount: counts.reduce((sum, { amount }) => sum + BigInt(amount), 0n).toString(),
});

function sumOutcomes(totals: readonly Total[]): Outcomes {
  const sums = Object.fromEntries(
    TOTAL_OUTCOMES.map((outcome) => {
      const own = totals.filter((each) => each.outcome === outcome);
      return [outcome, sumOf(own.map(({ events: count, amount }) => ({ count, amount })))];
    }),
  ) as Record<TotalOutcome, Count>;
  const ended = sums.paid.count + sums.failed.count;
  return { ...sums, success_rate: ended === 0 ? null : sums.paid.count / ended };
}
