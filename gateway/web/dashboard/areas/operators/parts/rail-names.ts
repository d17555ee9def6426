// The rails of this installation. Their names come from the API: no script of the dashboard contains one, because merchants
// can read every script.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';

const FRESH_MS = 60_000;

export const railsQuery = queryOptions({
  queryKey: ['admin', 'rails'],
  queryFn: () => unwrap(adminApi.GET('/v1/admin/rails')),
});

/** Empty until they are known. */
export function useRailNames(): readonly string[] {
  const { data } = useQuery({ ...railsQuery, staleTime: FRESH_MS });
  return data?.data.map(({ rail }) => rail) ?? [];
}
