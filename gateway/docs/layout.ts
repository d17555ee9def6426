// The layout of every page of the documentation: search, side navigation, content, and the way to the next page.
import { type Html, renderHtml } from '../pages/html.js';

export interface DocsLink {
  readonly path: string;
  readonly title: string;
}

export interface NavigationPart {
  readonly title: string;
  readonly links: readonly DocsLink[];
}

export interface DocsLayout {
  readonly brand: string;
  readonly navigation: readonly NavigationPart[];
  readonly findPath: (name: string) => string;
}

export interface DocsPage {
  readonly path: string;
  readonly title: string;
  readonly content: Html;
  /** Headings of the page, for the navigation. */
  readonly headings?: readonly { readonly anchor: string; readonly title: string }[];
  /** Style sheets and scripts beside those of every page. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly Html[];
  readonly query?: string;
}

export function renderDocsPage(layout: DocsLayout, page: DocsPage): Html {
  const { brand, findPath } = layout;
  const { title, content, styles = [], scripts = [] } = page;
  return renderHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${brand} API</title>
        <link rel="icon" href="${findPath('icon.svg')}" />
        ${[...styles, 'docs.css'].map(
          (name) => renderHtml`<link rel="stylesheet" href="${findPath(name)}" />`,
        )}
        ${[...scripts]}
        <script type="module" src="${findPath('docs.js')}"></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        ${renderHeader(layout, page)}
        <div class="columns">
          <nav class="side" aria-label="Documentation">${renderNavigation(layout, page)}</nav>
          <main id="content" tabindex="-1">${content} ${renderTurns(layout, page)}</main>
        </div>
      </body>
    </html> `;
}

function renderHeader(layout: DocsLayout, page: DocsPage): Html {
  return renderHtml`<header>
    <a class="brand" href="/docs">${layout.brand} API</a>
    <form role="search" action="/docs/search">
      <input
        type="search"
        name="q"
        value="${page.query ?? ''}"
        maxlength="100"
        required
        aria-label="Search the documentation"
        placeholder="Search"
      />
      <button>Search</button>
    </form>
    <details class="menu">
      <summary>Menu</summary>
      <nav aria-label="Menu">${renderNavigation(layout, page)}</nav>
    </details>
  </header>`;
}

function renderNavigation({ navigation }: DocsLayout, page: DocsPage): Html {
  return renderHtml`${navigation.map(
    ({ title, links }) =>
      renderHtml`<p class="part">${title}</p>
        <ul>
          ${links.map((link) =>
            link.path === page.path ? renderCurrent(link, page) : renderLink(link),
          )}
        </ul>`,
  )}`;
}

const renderLink = ({ path, title }: DocsLink): Html =>
  renderHtml`<li><a href="${path}">${title}</a></li>`;

function renderCurrent({ path, title }: DocsLink, { headings = [] }: DocsPage): Html {
  const list = renderHtml`<ul>
    ${headings.map((heading) => renderLink({ path: `#${heading.anchor}`, title: heading.title }))}
  </ul>`;
  return renderHtml`<li>
    <a href="${path}" aria-current="page">${title}</a>
    ${headings.length === 0 ? null : list}
  </li>`;
}

function renderTurns({ navigation }: DocsLayout, { path }: DocsPage): Html | null {
  const links = navigation.flatMap((part) => part.links);
  const index = links.findIndex((link) => link.path === path);
  const next = index === -1 ? undefined : links[index + 1];
  if (next === undefined) return null;
  return renderHtml`<nav class="next" aria-label="Next page">
    Next: <a href="${next.path}">${next.title}</a>
  </nav>`;
}
