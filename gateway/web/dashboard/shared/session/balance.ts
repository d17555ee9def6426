// The balance of the environment, which the home page and the money area show.
import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.js';
import { unwrap } from '../api/failure.js';
import { useEnvironment } from './environment.js';

const REFRESH_MS = 10_000;

export function useBalance() {
  const environment = useEnvironment();
  return useQuery({
    queryKey: ['balance', environment],
    queryFn: () =>
      unwrap(api.GET('/v1/merchants/me/balance', { params: { query: { environment } } })),
    refetchInterval: REFRESH_MS,
  });
}
