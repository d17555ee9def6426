// The documentation, printed from all rows: those that are given and its own.
import { createCachedFile, type Assets, type CachedFile, serveFile } from '../pages/assets.js';
import { type DocsParts, renderDocs } from './docs-page.js';
import { page } from '../pages/respond.js';
import { describeApi } from './document.js';
import { openRoute, type Route } from '../routing/route.js';

export interface DocsRouteParts extends Omit<DocsParts, 'pathOf'> {
  readonly assets: Assets;
}

/** All rows, with those of the documentation. */
export function withDocs(routes: readonly Route[], parts: DocsRouteParts): readonly Route[] {
  const files = new Map<'document', CachedFile>();
  const html = renderDocs({ ...parts, pathOf: (name) => parts.assets.pathOf(name) });
  const docs = page(200, html, 'en');
  const all: readonly Route[] = [
    ...routes,
    openRoute({
      method: 'GET',
      path: '/docs',
      summary: 'The interactive documentation',
      answers: { 200: null },
      handle: () => docs,
    }),
    openRoute({
      method: 'GET',
      path: '/docs/openapi.json',
      summary: 'Show the OpenAPI document',
      answers: { 200: null, 304: null },
      mediaType: 'application/json',
      handle: ({ wishes }) => serveFile(documentOf(files), wishes),
    }),
    openRoute({
      method: 'GET',
      path: '/assets/{asset}',
      summary: 'A file of a page',
      params: { asset: { parse: (text: string) => text, code: 'path_not_found' } },
      answers: { 200: null, 304: null },
      mediaType: '*/*',
      handle: ({ params, wishes }) => parts.assets.serve(params.asset, wishes),
    }),
  ];
  const text = JSON.stringify(describeApi(all, parts));
  files.set('document', createCachedFile(Buffer.from(text), 'application/json'));
  return all;
}

function documentOf(files: ReadonlyMap<'document', CachedFile>): CachedFile {
  const file = files.get('document');
  if (file === undefined) throw new Error('the document was not printed yet');
  return file;
}
