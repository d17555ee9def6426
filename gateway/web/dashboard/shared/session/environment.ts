// The environment, TEST or LIVE. It is kept in the address, so that a link shows the same thing to a colleague. An address
// without it opens the environment that the person chose last in this browser.
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

const REMEMBERED = 'dashboard.environment.';

export function rememberEnvironment(userId: string, chosen: Environment): void {
  localStorage.setItem(REMEMBERED + userId, chosen);
}

/** The last choice of the person; TEST before the first one. */
export function recallEnvironment(userId: string): Environment {
  const chosen = localStorage.getItem(REMEMBERED + userId);
  return ENVIRONMENTS.find((each) => each === chosen) ?? 'TEST';
}

export function useEnvironment(): Environment {
  const search: EnvironmentSearch = useSearch({ strict: false });
  return search.environment ?? 'TEST';
}
