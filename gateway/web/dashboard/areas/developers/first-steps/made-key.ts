// The TEST key that the person made since the page was loaded, for the snippets of the first steps. It is kept in memory
// only, and signing out clears it with all other answers.
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '@dashboard/shared/api/queries.js';

const QUERY_KEY = ['made-test-key'] as const;

interface MadeKey {
  readonly environment: string;
  readonly scopes: readonly string[];
  readonly secret: string;
}

export function keepMadeKey({ environment, secret, scopes }: MadeKey): void {
  const canWrite = scopes.length === 0 || scopes.includes('write');
  if (environment === 'TEST' && canWrite) queryClient.setQueryData(QUERY_KEY, secret);
}

/** null: none was made since the page was loaded. */
export function useMadeKey(): string | null {
  const { data } = useQuery<string | null>({
    queryKey: QUERY_KEY,
    queryFn: () => Promise.resolve(null),
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return data ?? null;
}
