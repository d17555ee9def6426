// The routes of the documentation: guides, reference and search, all rendered at start from docs/guides and from the other
// routes.
import { Type } from '@sinclair/typebox';
import { createSessionCookie, findSessionTokens } from '../auth/session-cookie.js';
import { describeApi } from '../developers/openapi/document.js';
import { type ApiDocument, API_DOCUMENTS } from '../developers/openapi/documents.js';
import { createCachedFile, type Assets, serveFile } from '../pages/assets.js';
import { type Html, renderHtml } from '../pages/html.js';
import { buildPageReply, isPageRequested } from '../pages/respond.js';
import type { Preferences } from '../routing/request.js';
import type { Answer, ApiError } from '../routing/response.js';
import { buildQuerySpec, defineOpenRoute, type Route } from '../routing/route.js';
import { listErrorSections, renderErrorTable } from './errors-table.js';
import { type Guide, readGuides } from './guides.js';
import { type DocsLayout, renderDocsPage } from './layout.js';
import { findReference, listOperationEntries, renderReference } from './reference.js';
import { createSearch, type Search, type SearchEntry } from './search.js';
import { renderSearch, renderTooManySearches, SEARCH_PATH } from './search-page.js';

export interface DocsRouteDeps {
  readonly brand: string;
  readonly brandHeader: string;
  readonly baseUrl: string;
  readonly assets: Assets;
}

/** All routes, with those of the documentation. */
export function addDocsRoutes(routes: readonly Route[], deps: DocsRouteDeps): readonly Route[] {
  const guides = readGuides(deps);
  const layout = buildLayout(deps, guides);
  const search = createSearch(listSearchEntries(guides, routes));
  return [
    ...routes,
    ...guides.map((guide) => buildPageRoute(guide.path, guide.title, renderGuide(layout, guide))),
    ...API_DOCUMENTS.flatMap((document) => [
      buildReferenceRoute(document, layout, routes, deps),
      buildDocumentRoute(document, routes, deps),
    ]),
    buildSearchRoute(layout, search),
    buildAssetRoute(deps.assets),
  ];
}

function buildLayout({ brand, assets }: DocsRouteDeps, guides: readonly Guide[]): DocsLayout {
  const reference = API_DOCUMENTS.map(findReference);
  return {
    brand,
    findPath: (name) => assets.findPath(name),
    navigation: [
      { title: 'Guides', links: guides },
      { title: 'Reference', links: reference },
    ],
  };
}

function renderGuide(layout: DocsLayout, { name, path, title, content, sections }: Guide): Html {
  const isErrors = name === 'errors';
  const codes = isErrors ? [{ anchor: 'codes', title: 'All codes' }] : [];
  return renderDocsPage(layout, {
    path,
    title,
    content: renderHtml`<article class="prose">
      ${content} ${isErrors ? renderErrorTable() : null}
    </article>`,
    headings: [...sections.filter(({ anchor }) => anchor !== ''), ...codes],
  });
}

function buildPageRoute(path: string, title: string, page: Html): Route {
  const answer = buildPageReply(200, page, 'en');
  return defineOpenRoute({
    method: 'GET',
    path,
    cpuUs: 120,
    summary: `Documentation: ${title}`,
    answers: { 200: null },
    handle: () => answer,
  });
}

/** Two pages: a session may make a TEST key. */
function buildReferenceRoute(
  document: ApiDocument,
  layout: DocsLayout,
  routes: readonly Route[],
  { baseUrl }: DocsRouteDeps,
): Route {
  const build = (hasSession: boolean): Answer =>
    buildPageReply(200, renderReference(layout, document, routes, hasSession), 'en');
  const [withSession, without] = [build(true), build(false)];
  const { name } = createSessionCookie(baseUrl);
  return defineOpenRoute({
    method: 'GET',
    path: findReference(document).path,
    cpuUs: 120,
    summary: 'Documentation: An interactive reference',
    readsCookies: true,
    answers: { 200: null },
    handle: ({ cookies }) => (findSessionTokens(cookies, name).length > 0 ? withSession : without),
  });
}

function buildDocumentRoute(
  document: ApiDocument,
  routes: readonly Route[],
  deps: DocsRouteDeps,
): Route {
  const text = JSON.stringify(describeApi(document, routes, deps));
  const file = createCachedFile(Buffer.from(text), 'application/json');
  return defineOpenRoute({
    method: 'GET',
    path: document.path,
    cpuUs: 400,
    summary: 'An OpenAPI document',
    answers: { 200: null, 304: null },
    mediaType: 'application/json',
    handle: ({ preferences }) => serveFile(file, preferences),
  });
}

function buildSearchRoute(layout: DocsLayout, search: Search): Route {
  const showApiError = (error: ApiError, { accept }: Preferences): Answer => {
    if (!isPageRequested(accept) || error.code !== 'rate_limited') return error;
    const page = buildPageReply(429, renderTooManySearches(layout), 'en');
    const { headers = [], retryAfterSeconds = 1 } = error.details;
    const retryAfter = ['Retry-After', String(retryAfterSeconds)] as const;
    return { ...page, headers: [...page.headers, retryAfter, ...headers] };
  };
  return defineOpenRoute({
    method: 'GET',
    path: SEARCH_PATH,
    cpuUs: 3500,
    summary: 'Search the documentation',
    query: buildQuerySpec(Type.Object({ q: Type.Optional(Type.String()) })),
    limit: 'checkout',
    showApiError,
    answers: { 200: null },
    handle: ({ query }) => {
      const words = (query.q ?? '').trim();
      return buildPageReply(200, renderSearch(layout, words, search(words)), 'en');
    },
  });
}

function buildAssetRoute(assets: Assets): Route {
  return defineOpenRoute({
    method: 'GET',
    path: '/assets/{asset}',
    cpuUs: 400,
    summary: 'A file of a page',
    params: { asset: { parse: (text: string) => text, code: 'path_not_found' } },
    answers: { 200: null, 304: null },
    mediaType: '*/*',
    handle: ({ params, preferences }) => assets.serve(params.asset, preferences),
  });
}

function listSearchEntries(
  guides: readonly Guide[],
  routes: readonly Route[],
): readonly SearchEntry[] {
  const sections = guides.flatMap(({ name, path, title: place, sections: own }) =>
    [...own, ...(name === 'errors' ? listErrorSections() : [])].map(({ anchor, ...section }) => ({
      ...{ path: anchor === '' ? path : `${path}#${anchor}`, place, ...section },
    })),
  );
  const operations = API_DOCUMENTS.flatMap((document) => listOperationEntries(document, routes));
  return [...sections, ...operations];
}
