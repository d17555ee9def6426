// The dashboard: its files, and one HTML shell for every other path below /dashboard, because the browser decides which
// view an address shows.
import type { Assets } from './assets.js';
import { defineOpenRoute, type Route } from '../routing/route.js';
import type { DashboardFiles } from './dashboard-files.js';
import { renderShell } from './dashboard-shell.js';

const PATH = '/dashboard';
/** The segments below /dashboard that addresses of views have. */
const SEGMENTS = ['area', 'view', 'object', 'part'] as const;
const ANY_TEXT = { parse: (text: string): string => text, code: 'path_not_found' } as const;
const asset = ANY_TEXT;

export interface DashboardDeps {
  readonly brand: string;
  readonly baseUrl: string;
  /** SMTP_URL is set. */
  readonly sendsMail: boolean;
  readonly assets: Assets;
  readonly dashboardFiles: DashboardFiles;
}

export function buildDashboardRoutes(deps: DashboardDeps): readonly Route[] {
  const { brand, baseUrl, sendsMail, assets, dashboardFiles: files } = deps;
  const shell = { brand, baseUrl, sendsMail, icon: assets.findPath('icon.svg'), files };
  const views = SEGMENTS.map((_name, index) => SEGMENTS.slice(0, index + 1));
  return [
    // The browser shows the home page at both.
    buildShellRoute(PATH, [], shell),
    buildShellRoute(`${PATH}/`, [], shell),
    ...views.map((names) => {
      return buildShellRoute([PATH, ...names.map((name) => `{${name}}`)].join('/'), names, shell);
    }),
    defineOpenRoute({
      method: 'GET',
      path: `${PATH}/assets/{asset}`,
      cpuUs: 300,
      summary: 'A file of the dashboard',
      params: { asset },
      answers: { 200: null, 304: null },
      handle: ({ params, preferences }) => files.serve(params.asset, preferences),
    }),
  ];
}

function buildShellRoute(
  path: string,
  names: readonly string[],
  shell: Parameters<typeof renderShell>[0],
): Route {
  return defineOpenRoute({
    method: 'GET',
    path,
    cpuUs: 120,
    summary: 'The dashboard',
    params: Object.fromEntries(names.map((name) => [name, ANY_TEXT])),
    answers: { 200: null },
    handle: ({ preferences }) => renderShell(shell, preferences),
  });
}
