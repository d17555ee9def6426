// The environment, TEST or LIVE. It is kept in the address, so that a link shows the same thing to a colleague.
import { useSearch } from '@tanstack/react-router';

export const ENVIRONMENTS = ['TEST', 'LIVE'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** Absent: TEST. */
export interface EnvironmentSearch {
  readonly environment?: Environment;
}

export function readEnvironment(search: Record<string, unknown>): EnvironmentSearch {
  const found = ENVIRONMENTS.find((each) => each === search['environment']);
  return found === undefined ? {} : { environment: found };
}

export function useEnvironment(): Environment {
  const search: EnvironmentSearch = useSearch({ strict: false });
  return search.environment ?? 'TEST';
}
