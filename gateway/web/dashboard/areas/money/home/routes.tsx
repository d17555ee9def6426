// The home page: the first view after the sign-in of a merchant's user. Administrators have one of their own.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { signedInRoute } from '@dashboard/shared/session/roots.js';
import { pickTexts } from '@dashboard/shared/session/search.js';
import { sessionQuery } from '@dashboard/shared/session/session.js';

const homeRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: pickTexts(['period']),
  beforeLoad: async () => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- The router takes redirects as thrown values.
    if (session?.merchant === null) throw redirect({ to: '/admin/home' });
  },
  component: lazyRouteComponent(() => import('./home-view.js'), 'HomeView'),
});

export const buildHomeRoutes = () => [homeRoute] as const;
