// The environment, TEST or LIVE. It is kept in the address, so that a link shows the same thing to a colleague. An address
// without it opens the environment that the person chose last in this browser. An object exists in one environment only: its
// view changes the address to that one.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiFailure } from '../api/failure.js';

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

const NOT_FOUND = 404;

/** Reads an object in the environment of the address or, if it is not there, in the other one. @throws ApiFailure */
export async function findInEnvironments<Found extends object>(
  asked: Environment,
  read: (environment: Environment) => Promise<Found>,
): Promise<Found & { readonly environment: Environment }> {
  try {
    return { ...(await read(asked)), environment: asked };
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.status !== NOT_FOUND) throw error;
    const environment = asked === 'TEST' ? 'LIVE' : 'TEST';
    return { ...(await read(environment)), environment };
  }
}

/** Changes the address to the environment of the object that is shown. Returns whether it has that one already. */
export function useEnvironmentOf(object: { readonly environment: string } | undefined): boolean {
  const shown = useEnvironment();
  const navigate = useNavigate();
  const { environment = shown } = readEnvironment({ environment: object?.environment });
  const isShown = environment === shown;
  useEffect(() => {
    if (isShown) return;
    const search = (former: object): object => ({ ...former, environment });
    void navigate({ to: '.', search: search as never, replace: true });
  }, [environment, isShown, navigate]);
  return isShown;
}
