// All routes of the gateway, for tests that read them; their handlers are not called.
import { createAssets } from '#gateway/pages/assets.js';
import { readAssetFiles } from '#gateway/pages/asset-files.js';
import { type RouteDeps, buildRoutes } from '#gateway/routes.js';
import type { Route } from '#gateway/routing/route.js';

/** The routes in the OpenAPI document. */
export function listDescribedRoutes(): readonly Route[] {
  return listRoutes().filter(({ isHidden }) => isHidden !== true);
}

/** Builds the routes with the dependencies that building needs; handlers need more. */
export function listRoutes(deps: Partial<RouteDeps> = {}): readonly Route[] {
  const own = {
    brand: 'Acme',
    brandHeader: 'Acme',
    baseUrl: 'https://pay.example',
    assets: createAssets(readAssetFiles()),
    ...deps,
  };
  return buildRoutes(own as RouteDeps);
}
