// The routes above all areas. The areas add theirs below one of these (app/router.tsx).
import { createRootRoute, createRoute, redirect, retainSearchParams } from '@tanstack/react-router';
import { queryClient } from '../api/queries.js';
import { type EnvironmentSearch, readEnvironment, recallEnvironment } from './environment.js';
import { sessionQuery } from './session.js';

export const rootRoute = createRootRoute({
  validateSearch: (search: Record<string, unknown>): EnvironmentSearch => readEnvironment(search),
  search: { middlewares: [retainSearchParams(['environment'])] },
});

/** Views without a session: sign-in, registration, mailed links. */
export const openRoute = createRoute({ getParentRoute: () => rootRoute, id: 'open' });

/** Views with a session; others lead to the sign-in and back. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location, search }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- The router takes redirects as thrown values.
      throw redirect({ to: '/sign-in', search: { next: location.href } });
    }
    // Administrators have no merchant whose home could be shown.
    if (session.merchant === null && location.pathname === '/') {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- The router takes redirects as thrown values.
      throw redirect({ to: '/admin/home' });
    }
    if (session.merchant === null || search.environment !== undefined) return;
    const environment = recallEnvironment(session.user.id);
    if (environment === 'TEST') return;
    const to = location.pathname;
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- The router takes redirects as thrown values.
    throw redirect({ to, search: { ...location.search, environment }, replace: true });
  },
});
