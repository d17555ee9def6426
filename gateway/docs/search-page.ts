// The results of a search, as a page that needs no scripts.
import { type Html, renderHtml } from '../pages/html.js';
import { type DocsLayout, renderDocsPage } from './layout.js';
import type { FoundEntry } from './search.js';

export const SEARCH_PATH = '/docs/search';
const BEFORE_CHARACTERS = 60;
const EXCERPT_CHARACTERS = 220;

export function renderSearch(
  layout: DocsLayout,
  query: string,
  results: readonly FoundEntry[],
): Html {
  const content = renderHtml`<div class="prose">
    <h1>Search</h1>
    <p role="status">${describeCount(query, results.length)}</p>
    <ol class="results">
      ${results.map(renderResult)}
    </ol>
  </div>`;
  return renderDocsPage(layout, { path: SEARCH_PATH, title: 'Search', content, query });
}

/** The page of a client that has used up the limit. */
export function renderTooManySearches(layout: DocsLayout): Html {
  const content = renderHtml`<div class="prose">
    <h1>Too many searches</h1>
    <p>Wait a moment, then search again.</p>
  </div>`;
  return renderDocsPage(layout, { path: SEARCH_PATH, title: 'Search', content });
}

function describeCount(query: string, count: number): string {
  if (query === '') return 'Type a word, an error code or the name of an operation.';
  if (count === 0) return `Nothing was found for “${query}”. Try fewer or other words.`;
  return `${count} ${count === 1 ? 'result' : 'results'} for “${query}”`;
}

function renderResult({ path, title, place, text, words }: FoundEntry): Html {
  return renderHtml`<li>
    <a href="${path}">${title}</a> <span class="place">${place}</span>
    <p>${renderExcerpt(text, words)}</p>
  </li>`;
}

function renderExcerpt(text: string, words: readonly string[]): readonly Html[] {
  const pattern = new RegExp(`(${words.map(escapePattern).join('|')})`, 'giu');
  const at = text.search(pattern);
  const start = at < BEFORE_CHARACTERS ? 0 : text.lastIndexOf(' ', at - BEFORE_CHARACTERS) + 1;
  const shown = text.slice(start, start + EXCERPT_CHARACTERS);
  const parts = shown
    .split(pattern)
    .map((part, index) =>
      index % 2 === 1 ? renderHtml`<mark>${part}</mark>` : renderHtml`${part}`,
    );
  const isCut = start + EXCERPT_CHARACTERS < text.length;
  return [...(start > 0 ? [renderHtml`… `] : []), ...parts, ...(isCut ? [renderHtml` …`] : [])];
}

const escapePattern = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
