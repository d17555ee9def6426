// Writes the types of the dashboard's API clients from the OpenAPI documents of the sources: dist/openapi/<name>.d.ts.
//   node --import=tsx --conditions=kasir-source ops/dev/setup/generate-api-types.ts
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { describeApi } from '#gateway/developers/openapi/document.js';
import {
  ADMINISTRATORS,
  type ApiDocument,
  DASHBOARD,
} from '#gateway/developers/openapi/documents.js';
import { buildRoutes, type RouteDeps } from '#gateway/routes.js';
import { findPackageRoot } from '#ops/runtime/package-root.js';

const DOCUMENTS: Readonly<Record<string, ApiDocument>> = {
  merchant: DASHBOARD,
  administrator: ADMINISTRATORS,
};
const FRAME = { brand: 'Kasir', brandHeader: 'Kasir', baseUrl: 'http://localhost:8080' };
/** The routes are read and not called, so what only handlers need is left out. */
const DEPS = {
  ...FRAME,
  assets: { findPath: () => '' },
  dashboardFiles: { script: '', imports: [], styles: [] },
} as unknown as RouteDeps;

const folder = join(findPackageRoot(), 'dist/openapi');
mkdirSync(folder, { recursive: true });
const routes = buildRoutes(DEPS);
for (const [name, document] of Object.entries(DOCUMENTS)) {
  const text = JSON.stringify(describeApi(document, routes, FRAME));
  const types = astToString(await openapiTypescript(text));
  const path = join(folder, `${name}.d.ts`);
  if (!existsSync(path) || readFileSync(path, 'utf8') !== types) writeFileSync(path, types);
}
