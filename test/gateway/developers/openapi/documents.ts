// The OpenAPI documents as they are served, generated from the routes without a running service.
import { describeApi } from '#gateway/developers/openapi/document.js';
import {
  type ApiDocument,
  API_DOCUMENTS,
  selectRoutes,
} from '#gateway/developers/openapi/documents.js';
import type { Route } from '#gateway/routing/route.js';
import { listRoutes } from '#test/support/routes.js';

export type Tree = Readonly<Record<string, unknown>>;

export interface Described {
  readonly of: ApiDocument;
  readonly routes: readonly Route[];
  /** As it is sent. */
  readonly text: string;
  readonly document: Tree;
}

const SETTINGS = { brand: 'Acme', brandHeader: 'Acme', baseUrl: 'https://pay.example' };
export const ROUTES = listRoutes();

export const DESCRIBED: readonly Described[] = API_DOCUMENTS.map((of) => {
  const text = JSON.stringify(describeApi(of, ROUTES, SETTINGS));
  return { of, routes: selectRoutes(of, ROUTES), text, document: JSON.parse(text) as Tree };
});

/** The node at a path of keys; undefined: there is none. */
export function at(tree: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (node, key) => (typeof node === 'object' && node !== null ? (node as Tree)[key] : undefined),
    tree,
  );
}

/** The node that a reference names, or the node itself. */
export function follow(document: Tree, node: unknown): unknown {
  const ref = at(node, '$ref');
  return typeof ref === 'string' ? at(document, ...ref.slice(2).split('/')) : node;
}

/** Calls `visit` with every object of a tree, the inner ones first. */
export function walk(node: unknown, visit: (node: Tree, path: string) => void, path = ''): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, child] of Object.entries(node)) walk(child, visit, `${path}/${key}`);
  visit(node as Tree, path);
}
