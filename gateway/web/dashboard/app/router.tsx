// The routes of all areas below their roots. Everything in the search part of an address is a text.
import { createRouter } from '@tanstack/react-router';
import { buildAccountRoutes, buildOpenRoutes } from '@dashboard/areas/accounts/routes.js';
import { buildAdminRoutes } from '@dashboard/areas/operators/routes.js';
import { buildDevelopersRoutes } from '@dashboard/areas/developers/routes.js';
import { buildHomeRoutes } from '@dashboard/areas/money/home/routes.js';
import { buildMoneyRoutes } from '@dashboard/areas/money/routes.js';
import { buildSellingRoutes } from '@dashboard/areas/selling/routes.js';
import { openRoute, rootRoute, signedInRoute } from '@dashboard/shared/session/roots.js';
import { queryClient } from '@dashboard/shared/api/queries.js';
import { forgetSession, isSessionOver } from '@dashboard/shared/session/session.js';
import { NotFound, NotFoundPage, RouteError, RouteErrorPage } from './dead-ends.js';
import { Shell } from './shell.js';

const PRELOAD_DELAY_MS = 80;

const routeTree = rootRoute
  .update({ notFoundComponent: NotFoundPage })
  .addChildren([
    openRoute.addChildren(buildOpenRoutes()),
    signedInRoute
      .update({ component: Shell, errorComponent: RouteErrorPage })
      .addChildren([
        ...buildHomeRoutes(),
        ...buildMoneyRoutes(),
        ...buildSellingRoutes(),
        ...buildDevelopersRoutes(),
        ...buildAdminRoutes(),
        ...buildAccountRoutes(),
      ]),
  ]);

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPreloadDelay: PRELOAD_DELAY_MS,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(
      ([, value]) => value !== undefined && value !== '',
    );
    const text = new URLSearchParams(
      entries.map(([name, value]) => [name, String(value)]),
    ).toString();
    return text === '' ? '' : `?${text}`;
  },
});

/** A session that has ended leads to the sign-in, and from there back to the view. */
async function leave(): Promise<void> {
  const { location } = router.state;
  if (location.pathname === '/sign-in') return;
  await router.navigate({ to: '/sign-in', search: { next: location.href } });
  forgetSession();
}

for (const cache of [queryClient.getQueryCache(), queryClient.getMutationCache()]) {
  cache.subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'error') return;
    if (isSessionOver(event.action.error)) void leave();
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
