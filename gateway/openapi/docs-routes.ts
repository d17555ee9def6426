// The routes of the documentation, which is generated from all routes including these.
import { createCachedFile, type Assets, type CachedFile, serveFile } from '../pages/assets.js';
import { type DocsDeps, renderDocs } from './docs-page.js';
import { buildPageReply } from '../pages/respond.js';
import { describeApi } from './document.js';
import { defineOpenRoute, type Route } from '../routing/route.js';

export interface DocsRouteDeps extends Omit<DocsDeps, 'findPath'> {
  readonly assets: Assets;
}

/** All routes, with those of the documentation. */
export function addDocsRoutes(routes: readonly Route[], deps: DocsRouteDeps): readonly Route[] {
  const files = new Map<'document', CachedFile>();
  const html = renderDocs({ ...deps, findPath: (name) => deps.assets.findPath(name) });
  const docs = buildPageReply(200, html, 'en');
  const all: readonly Route[] = [
    ...routes,
    defineOpenRoute({
      method: 'GET',
      path: '/docs',
      summary: 'The interactive documentation',
      answers: { 200: null },
      handle: () => docs,
    }),
    defineOpenRoute({
      method: 'GET',
      path: '/docs/openapi.json',
      summary: 'Show the OpenAPI document',
      answers: { 200: null, 304: null },
      mediaType: 'application/json',
      handle: ({ preferences }) => serveFile(findDocument(files), preferences),
    }),
    defineOpenRoute({
      method: 'GET',
      path: '/assets/{asset}',
      summary: 'A file of a page',
      params: { asset: { parse: (text: string) => text, code: 'path_not_found' } },
      answers: { 200: null, 304: null },
      mediaType: '*/*',
      handle: ({ params, preferences }) => deps.assets.serve(params.asset, preferences),
    }),
  ];
  const text = JSON.stringify(describeApi(all, deps));
  files.set('document', createCachedFile(Buffer.from(text), 'application/json'));
  return all;
}

function findDocument(files: ReadonlyMap<'document', CachedFile>): CachedFile {
  const file = files.get('document');
  if (file === undefined) throw new Error('the OpenAPI document was not generated yet');
  return file;
}
