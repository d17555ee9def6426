// Pages as replies, with their security headers. All resources come from the same host and nothing is inline, so that
// markup which escaping missed still cannot run.
import type { HeaderPair, Reply } from '../routing/response.js';
import type { Html } from './html.js';

export const CSP_REPORTS_PATH = '/csp-reports';
/** `report-uri` is for browsers that do not know `report-to`. */
const POLICY =
  "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  `report-uri ${CSP_REPORTS_PATH}; report-to csp`;

const POLICY_NAME = 'Content-Security-Policy';
const POLICY_HEADER: HeaderPair = [POLICY_NAME, `default-src 'self'; ${POLICY}`];
const PAGE_HEADERS: readonly HeaderPair[] = [
  ['Reporting-Endpoints', `csp="${CSP_REPORTS_PATH}"`],
  ['X-Frame-Options', 'DENY'],
  // The address of a checkout page is the only secret that opens it, so it must not leak to other sites.
  ['Referrer-Policy', 'no-referrer'],
];
export const HTML_TYPE = 'text/html; charset=utf-8';

/** A whole page; `language` is that of its text. `styleNonce` allows the style elements that carry it. */
export function buildPageReply(
  status: number,
  { markup }: Html,
  language: string,
  styleNonce?: string,
): Reply {
  const headers: readonly HeaderPair[] = [
    styleNonce === undefined ? POLICY_HEADER : allowStyles(styleNonce),
    ...PAGE_HEADERS,
    ['Content-Language', language],
    ['Vary', 'Accept-Language'],
  ];
  return { code: null, status, body: markup, contentType: HTML_TYPE, headers };
}

function allowStyles(nonce: string): HeaderPair {
  return [POLICY_NAME, `default-src 'self'; style-src 'self' 'nonce-${nonce}'; ${POLICY}`];
}

/** After a form: the browser shows `path`, and a reload repeats nothing. */
export function redirectTo(path: string): Reply {
  const headers: readonly HeaderPair[] = [POLICY_HEADER, ...PAGE_HEADERS, ['Location', path]];
  return { code: null, status: 303, body: '', contentType: HTML_TYPE, headers };
}

/** Whether an HTML page serves the client better than the error body that programs get. */
export function isPageRequested(accept: string): boolean {
  return accept.includes('text/html');
}
