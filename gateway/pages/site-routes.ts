// Routes of the site as a whole: its icon, where to report a vulnerability, and where browsers report violations of the policy
// and faults of the dashboard.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPackageRoot } from '#ops/runtime/package-root.js';
import { buildApiError, reply, replyAs } from '../routing/response.js';
import { defineOpenRoute, defineRawRoute, type Route } from '../routing/route.js';
import { createCachedFile, serveFile } from './assets.js';
import type { NoteCspReport } from './csp-reports.js';
import type { NotePageFault } from './page-faults.js';
import { CSP_REPORTS_PATH } from './respond.js';

const DAY_MS = 86_400_000;
/** RFC 9116 recommends less than a year. It moves on every day, so that the file never expires. */
const VALID_DAYS = 180;
const REPORT_BYTES = 16 * 1024;
const FAULT_BYTES = 4 * 1024;
/** shared/faults/report.ts of the dashboard sends to it. */
const PAGE_FAULTS_PATH = '/page-faults';
const SECURITY_TXT = '/.well-known/security.txt';

export interface SiteRouteDeps {
  readonly baseUrl: string;
  /** null: there is no security.txt. */
  readonly securityContact: string | null;
  readonly noteCspReport: NoteCspReport;
  readonly notePageFault: NotePageFault;
  readonly nowMs: () => number;
}

export const buildSiteRoutes = (deps: SiteRouteDeps): readonly Route[] => [
  buildIconRoute(),
  defineOpenRoute({
    method: 'GET',
    path: SECURITY_TXT,
    cpuUs: 120,
    summary: 'Where to report a vulnerability (RFC 9116)',
    answers: { 200: null },
    mediaType: 'text/plain',
    errors: ['path_not_found'],
    handle: () => {
      if (deps.securityContact === null) return buildApiError('path_not_found');
      return replyAs('text/plain; charset=utf-8', 200, writeSecurityText(deps));
    },
  }),
  defineRawRoute({
    method: 'POST',
    path: CSP_REPORTS_PATH,
    cpuUs: 120,
    summary: 'Receive a CSP report of a browser',
    rawHeaders: 'none',
    answers: { 204: null },
    bodyLimitBytes: REPORT_BYTES,
    handle: (request) => {
      deps.noteCspReport(request.body.body);
      return reply(204, '');
    },
  }),
  defineRawRoute({
    method: 'POST',
    path: PAGE_FAULTS_PATH,
    cpuUs: 200,
    summary: 'Receive a report of the dashboard about its own fault',
    rawHeaders: 'none',
    answers: { 204: null },
    bodyLimitBytes: FAULT_BYTES,
    handle: (request) => {
      deps.notePageFault(request.body.body);
      return reply(204, '');
    },
  }),
];

/** Browsers ask for it beside an answer that names no icon: JSON, or a file. */
function buildIconRoute(): Route {
  const file = readFileSync(join(findPackageRoot(), 'gateway/web/icon.svg'));
  const icon = createCachedFile(file, 'image/svg+xml');
  return defineOpenRoute({
    method: 'GET',
    path: '/favicon.ico',
    cpuUs: 300,
    summary: 'The icon of the site',
    answers: { 200: null, 304: null },
    mediaType: 'image/svg+xml',
    handle: ({ preferences }) => serveFile(icon, preferences),
  });
}

function writeSecurityText({ baseUrl, securityContact, nowMs }: SiteRouteDeps): string {
  const today = Math.floor(nowMs() / DAY_MS) * DAY_MS;
  const expires = new Date(today + VALID_DAYS * DAY_MS).toISOString().replace('.000Z', 'Z');
  return (
    `Contact: ${securityContact}\nExpires: ${expires}\nPreferred-Languages: en, id\n` +
    `Canonical: ${baseUrl}${SECURITY_TXT}\n`
  );
}
