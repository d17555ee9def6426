// The cache of answers. An error of the caller is not repeated; others are, twice.
import { QueryClient } from '@tanstack/react-query';
import { ApiFailure } from './failure.js';

const FRESH_MS = 5_000;
const MAX_RETRIES = 2;
const CALLERS_ERROR = { from: 400, to: 499 } as const;

function isWorthRetrying(failures: number, error: Error): boolean {
  const isCallersError =
    error instanceof ApiFailure &&
    error.status >= CALLERS_ERROR.from &&
    error.status <= CALLERS_ERROR.to;
  return !isCallersError && failures < MAX_RETRIES;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    // A browser that believes to be offline asks too: it may be wrong, and a view that waits in silence looks up to date.
    queries: { staleTime: FRESH_MS, retry: isWorthRetrying, networkMode: 'always' },
  },
});
