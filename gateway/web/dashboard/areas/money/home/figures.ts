// The requests of the home page to the API.
import { DAY_MS, TIME_ZONE } from '@core/days.js';
import { useQuery } from '@tanstack/react-query';
import { api, type MerchantSchema } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';
import { type Environment, useEnvironment } from '@dashboard/shared/session/environment.js';

const REFRESH_MS = 10_000;

export type Statistics = MerchantSchema['Statistics'];
export type Outcomes = Statistics['data'][number];

export const PERIODS = ['day', 'week', 'month'] as const;
export type Period = (typeof PERIODS)[number];
const DAYS = { week: 7, month: 30 } as const;

export const readPeriod = (text: string | undefined): Period =>
  PERIODS.find((period) => period === text) ?? 'week';

/** The last 24 hours, or days with today as the last one: the service shows the first one whole. */
function chooseTimes(period: Period): { interval: 'hour' | 'day'; from: string } {
  const now = new Date();
  if (period === 'day') {
    return { interval: 'hour', from: new Date(now.getTime() - DAY_MS).toISOString() };
  }
  const from = new Date(now.getTime() - (DAYS[period] - 1) * DAY_MS);
  return { interval: 'day', from: from.toISOString() };
}

function loadStatistics(environment: Environment, period: Period): Promise<Statistics> {
  const query = { environment, ...chooseTimes(period), time_zone: TIME_ZONE };
  return unwrap(api.GET('/v1/merchants/me/statistics', { params: { query } }));
}

export function useStatistics(period: Period) {
  const environment = useEnvironment();
  return useQuery({
    queryKey: ['statistics', environment, period],
    queryFn: () => loadStatistics(environment, period),
    refetchInterval: REFRESH_MS,
  });
}

export function useAttention() {
  const environment = useEnvironment();
  return useQuery({
    queryKey: ['attention', environment],
    queryFn: () =>
      unwrap(api.GET('/v1/merchants/me/attention', { params: { query: { environment } } })),
    refetchInterval: REFRESH_MS,
  });
}

/** `hasPayments`: whether the environment has a payment at all, however old; undefined: not known. */
export function useHasPayments(isAsked: boolean): {
  readonly hasPayments: boolean | undefined;
  readonly isLoading: boolean;
} {
  const environment = useEnvironment();
  const { data, isLoading } = useQuery({
    queryKey: ['payments', environment, 'any'],
    queryFn: () =>
      unwrap(
        api.GET('/v1/merchants/me/payments', { params: { query: { environment, limit: 1 } } }),
      ),
    enabled: isAsked,
    refetchInterval: REFRESH_MS,
  });
  // The answer of an earlier question may still be there.
  return { hasPayments: isAsked ? data && data.data.length > 0 : undefined, isLoading };
}

/** Whether something was paid, failed or waits. */
export const isEmpty = ({ total, pending }: Statistics): boolean =>
  total.paid.count + total.failed.count + total.cancelled.count + pending.count === 0;
