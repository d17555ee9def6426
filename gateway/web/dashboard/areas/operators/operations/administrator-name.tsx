// An administrator by e-mail address instead of id.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { adminApi } from '@dashboard/shared/api/client.js';
import { unwrap } from '@dashboard/shared/api/failure.js';

const FRESH_MS = 60_000;

export const administratorsQuery = {
  queryKey: ['admin', 'administrators'],
  queryFn: () => unwrap(adminApi.GET('/v1/admin/administrators')),
};

export function AdministratorName({ id }: { readonly id: string }): ReactNode {
  const { data } = useQuery({ ...administratorsQuery, staleTime: FRESH_MS });
  return data?.data.find((each) => each.id === id)?.email ?? id;
}
