// The documentation without a browser: its pages, its links and its search.
import t from 'tap';
import { renderMarkdown } from '#gateway/docs/markdown.js';
import { GUIDE_NAMES } from '#gateway/docs/guides.js';
import { cutQuery } from '#gateway/docs/search.js';
import { API_DOCUMENTS, selectRoutes } from '#gateway/developers/openapi/documents.js';
import { escapeHtml } from '#gateway/pages/html.js';
import { ERROR_HELP } from '#gateway/routing/error-help.js';
import { ERRORS, type ErrorCode } from '#gateway/routing/errors.js';
import type { AnyRequest } from '#gateway/routing/request.js';
import { listRoutes } from '#test/support/routes.js';

const routes = listRoutes();
const pages = routes.filter(
  ({ method, path, mediaType }) =>
    method === 'GET' && /^\/docs(\/|$)/.test(path) && mediaType === undefined,
);

async function getPage(path: string, query: object = {}): Promise<string> {
  const route = pages.find((each) => each.path === path);
  const answer = await route?.handle({ query, cookies: '' } as AnyRequest);
  return String(answer?.code === null ? answer.body : '');
}

function parsePage(html: string): { links: readonly string[]; ids: ReadonlySet<string> } {
  const read = (pattern: RegExp): string[] =>
    [...html.matchAll(pattern)].map(([, value = '']) => value.replaceAll('&amp;', '&'));
  return { links: read(/<a [^>]*?href="([^"]+)"/g), ids: new Set(read(/ id="([^"]+)"/g)) };
}

const search = (q: string): Promise<string> => getPage('/docs/search', { q });
const listResults = (html: string): string[] =>
  [...html.matchAll(/<li>\s*<a href="([^"]+)">[^<]*<\/a>\s*<span class="place">/g)].map(
    ([, href = '']) => href,
  );

t.test('each guide is a page in the navigation of every page', async (t) => {
  t.equal(pages.length, GUIDE_NAMES.length + API_DOCUMENTS.length + 1);
  for (const { path } of pages) {
    const { links } = parsePage(await getPage(path));
    for (const { path: other } of pages) {
      if (other !== '/docs/search') t.ok(links.includes(other), `${path} leads to ${other}`);
    }
  }
});

t.test('every link of every page leads to a page and to a place on it', async (t) => {
  const places = new Map<string, ReadonlySet<string>>();
  for (const { path } of pages) places.set(path, parsePage(await getPage(path)).ids);
  const isFile = (path: string): boolean =>
    /^\/assets\//.test(path) || API_DOCUMENTS.some((document) => document.path === path);
  let checked = 0;
  for (const { path } of pages) {
    for (const link of parsePage(await getPage(path)).links) {
      const url = new URL(link, `https://pay.example${path}`);
      if (url.host !== 'pay.example' || isFile(url.pathname)) continue;
      checked += 1;
      const ids = places.get(url.pathname);
      t.ok(ids !== undefined, `${path} leads to ${link}`);
      const isOperation = url.hash.startsWith('#/');
      if (url.hash !== '' && !isOperation) t.ok(ids?.has(url.hash.slice(1)), `${path}: ${link}`);
    }
  }
  t.ok(checked > 300, `${checked} links`);
});

t.test('no page has anything inline, or an id twice', async (t) => {
  for (const { path } of pages) {
    const html = await getPage(path);
    t.notMatch(html, /<script(?![^>]* src=)|<style| style=| on[a-z]+=/, path);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    t.equal(new Set(ids).size, ids.length, path);
  }
});

t.test('the page of errors has each code with its anchor, cause and remedy', async (t) => {
  const html = await getPage('/docs/errors');
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    t.ok(html.includes(`id="${code}"`), code);
    const { cause, remedy } = ERROR_HELP[code];
    t.ok(html.includes(escapeHtml(cause)), `${code} with its cause`);
    t.ok(html.includes(escapeHtml(remedy)), `${code} with its remedy`);
  }
});

t.test('guides name the header and the address of the installation', async (t) => {
  const all = (await Promise.all(pages.map(({ path }) => getPage(path)))).join('');
  t.match(all, /X-Acme-Signature/);
  t.match(all, /Acme-Request-Id/);
  t.match(all, /API=https:\/\/pay\.example/);
  t.notMatch(all, /Service-[A-Z]|localhost:8080|Kasir/);
});

t.test('a search finds guides, errors and operations', async (t) => {
  const cases = [
    ['magic amount', '/docs/testing#by-amount'],
    ['idempotency', '/docs/idempotency'],
    ['amount_out_of_range', '/docs/errors#amount_out_of_range'],
    ['createPayment', '/docs/reference#/Payments/createPayment'],
    ['cancel a payment', '/docs/payments#cancel-a-payment'],
    ['webhok signatur', '/docs/webhooks#signatures'],
    ['retrys', '/docs/webhooks#retries-and-dead-letters'],
  ] as const;
  for (const [query, path] of cases) {
    const found = listResults(await search(query));
    t.ok(found.slice(0, 6).includes(path), `${query}: ${found.slice(0, 6).join(' ')}`);
  }
});

t.test('a search finds every error and every operation by its name', async (t) => {
  for (const code of Object.keys(ERRORS)) {
    t.equal(listResults(await search(code))[0], `/docs/errors#${code}`, code);
  }
  for (const document of API_DOCUMENTS) {
    for (const { operationId = '' } of selectRoutes(document, routes)) {
      const first = listResults(await search(operationId)).slice(0, 3);
      t.ok(
        first.some((path) => path.endsWith(`/${operationId}`)),
        `${operationId}: ${first.join(' ')}`,
      );
    }
  }
});

t.test('a search shows what was typed as text, and says when nothing is found', async (t) => {
  const hostile = '"><script>alert(1)</script>';
  const html = await search(hostile);
  t.notMatch(html, /<script>/);
  t.ok(html.includes(escapeHtml(hostile)));
  t.match(await search('xyzzyxyzzy'), /Nothing was found for/);
  t.match(await search(''), /Type a word/);
  t.match(await search('refunds'), /<mark>Refund/i, 'matches are marked');
});

t.test('a query is cut to a bounded number of words', (t) => {
  t.equal(cutQuery(`${'a '.repeat(500)}`).split(' ').length, 8);
  t.equal(cutQuery('x'.repeat(500)).length, 100);
  t.end();
});

t.test('a guide with two equal headings, or with a link to no guide, is an error', (t) => {
  const render = (text: string) => () =>
    renderMarkdown(text, { brandHeader: 'Acme', baseUrl: 'https://pay.example' }, () => {
      throw new Error('no guide');
    });
  t.throws(render('# A\n\n## B\n\n## B\n'), /two headings have the anchor b/);
  t.throws(render('# A\n\n[b](b.txt)\n'), /no guide/);
  t.end();
});
