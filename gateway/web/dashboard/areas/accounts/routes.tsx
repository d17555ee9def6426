// Views of accounts: those without a session, and those of the person who is signed in.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { openRoute, signedInRoute } from '@dashboard/shared/session/roots.js';
import { pickTexts } from '@dashboard/shared/session/search.js';

interface SignInSearch {
  /** Where to go afterwards: a path below /dashboard. */
  readonly next?: string;
}

const signInRoute = createRoute({
  getParentRoute: () => openRoute,
  path: 'sign-in',
  validateSearch: ({ next }: Record<string, unknown>): SignInSearch =>
    typeof next === 'string' ? { next } : {},
  component: lazyRouteComponent(() => import('./login/sign-in.js'), 'SignIn'),
});

const registerRoute = createRoute({
  getParentRoute: () => openRoute,
  path: 'register',
  component: lazyRouteComponent(() => import('./login/register.js'), 'Register'),
});

const forgotPasswordRoute = createRoute({
  getParentRoute: () => openRoute,
  path: 'forgot-password',
  component: lazyRouteComponent(() => import('./login/forgot-password.js'), 'ForgotPassword'),
});

const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account',
  component: lazyRouteComponent(() => import('./own/account-view.js'), 'AccountView'),
});

const secondFactorRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'account/second-factor',
  component: lazyRouteComponent(() => import('./own/second-factor-view.js'), 'SecondFactorView'),
});

const teamRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'team',
  component: lazyRouteComponent(() => import('./users/team-view.js'), 'TeamView'),
});

const verificationRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'verification',
  component: lazyRouteComponent(() => import('./kyc/verification-view.js'), 'VerificationView'),
});

const goingLiveRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'going-live',
  component: lazyRouteComponent(() => import('./kyc/going-live-view.js'), 'GoingLiveView'),
});

const brandRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'settings',
  component: lazyRouteComponent(() => import('./settings/brand-view.js'), 'BrandView'),
});

const notificationsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'settings/notifications',
  component: lazyRouteComponent(
    () => import('./settings/notifications-view.js'),
    'NotificationsView',
  ),
});

const erasuresRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: 'settings/erasures',
  validateSearch: pickTexts(['cursor']),
  component: lazyRouteComponent(() => import('./settings/erasures-view.js'), 'ErasuresView'),
});

/** Without a session. */
export const buildOpenRoutes = () => [signInRoute, registerRoute, forgotPasswordRoute] as const;

/** With a session. */
export const buildAccountRoutes = () =>
  [
    ...([accountRoute, secondFactorRoute, teamRoute, verificationRoute, goingLiveRoute] as const),
    ...([brandRoute, notificationsRoute, erasuresRoute] as const),
  ] as const;
