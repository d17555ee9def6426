// The interactive reference: one page for each OpenAPI document. Without scripts a page lists its operations.
import {
  type ApiDocument,
  findTag,
  MERCHANTS,
  selectRoutes,
} from '../developers/openapi/documents.js';
import { type Html, renderHtml } from '../pages/html.js';
import type { Route } from '../routing/route.js';
import { type DocsLayout, type DocsLink, renderDocsPage } from './layout.js';
import type { SearchEntry } from './search.js';

/** Merchants' servers are the usual readers. */
const OTHERS_WEIGHT = 0.8;

export function findReference({ path, title }: ApiDocument): DocsLink {
  const name = /(\w+)\.json$/.exec(path)?.[1] ?? '';
  const isMain = path === MERCHANTS.path;
  return {
    path: isMain ? '/docs/reference' : `/docs/reference/${name}`,
    title: title.charAt(0).toUpperCase() + title.slice(1),
  };
}

/** `hasSession`: the browser sent the cookie of a session, so the page may ask for the rights of its user. */
export function renderReference(
  layout: DocsLayout,
  document: ApiDocument,
  routes: readonly Route[],
  hasSession: boolean,
): Html {
  const { path, title } = findReference(document);
  const bundle = layout.findPath('swagger-ui-bundle.js');
  const content = renderHtml`<section class="prose" aria-label="${title}">
      <h1>${title}</h1>
      <p>${document.summary}</p>
      <p>For programs: <a href="${document.path}">${document.path}</a>.</p>
      <noscript>
        <p>With scripts, this page shows every field and sends requests. The operations are:</p>
        <ul>
          ${selectRoutes(document, routes).map(
            ({ method, path: pattern, summary }) =>
              renderHtml`<li><code translate="no">${method} ${pattern}</code> ${summary}</li>`,
          )}
        </ul>
      </noscript>
    </section>
    ${renderPlace(document, hasSession)}`;
  return renderDocsPage(layout, {
    path,
    title,
    content,
    styles: ['swagger-ui.css', 'reference.css'],
    scripts: [
      renderHtml`<script defer src="${bundle}"></script>`,
      renderHtml`<script type="module" src="${layout.findPath('reference.js')}"></script>`,
    ],
  });
}

const renderPlace = ({ path }: ApiDocument, hasSession: boolean): Html =>
  hasSession
    ? renderHtml`<div id="swagger" translate="no" data-document="${path}" data-session></div>`
    : renderHtml`<div id="swagger" translate="no" data-document="${path}"></div>`;

/** For the search; the hash opens the operation. */
export function listOperationEntries(
  document: ApiDocument,
  routes: readonly Route[],
): readonly SearchEntry[] {
  const reference = findReference(document);
  return selectRoutes(document, routes).map((route) => {
    const { operationId = '', method, path, summary, description = '' } = route;
    const tag = encodeURIComponent(findTag(document, path)?.name ?? '').replaceAll('%20', '_');
    return {
      path: `${reference.path}#/${tag}/${operationId}`,
      title: `${summary} (${operationId})`,
      place: reference.title,
      text: `${method} ${path}. ${description.replaceAll('`', '')}`,
      weight: document === MERCHANTS ? 1 : OTHERS_WEIGHT,
    };
  });
}
